/** What run, doctor and stats have in common: from an invocation to a configuration. */
import type { Loaded } from '../config/candidate.ts'
import { loadConfigOnUse } from '../config/load-on-use.ts'
import { ProxyError } from '../protocol/errors.ts'
import type { Host } from './host.ts'
import type { Invocation } from './program.ts'
import { wrapConfig } from './wrap.ts'

export async function settle(
  host: Host,
  { config, flags, wrapped }: Invocation,
  { serversOptional = false }: { serversOptional?: boolean } = {},
): Promise<Loaded> {
  if (wrapped !== undefined && config !== undefined) {
    throw new ProxyError(
      'CONFIG_INVALID',
      'There are both --config and a command after "--".',
      'Give one of the two; settings for a wrapped command are flags and MCPPROXY_ variables.',
    )
  }
  const { env, cwd, home } = host
  const value = wrapped === undefined ? undefined : wrapConfig(wrapped, env)
  return loadConfigOnUse({ path: config, value, flags, env, cwd, home, serversOptional })
}
