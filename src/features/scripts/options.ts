/** `proxySettings.bridge`: scripts of this machine that list, search and call over HTTP. The options, and what must hold. */

import * as z from 'zod'
import { isLoopback } from '../../config/loopback.ts'
import { flag, integer } from '../../config/option.ts'
import type { Path, Report } from '../../config/report.ts'

/** Long enough that it cannot be guessed. */
const SHORTEST_TOKEN = 32

export const bridgeSchema = z.object({
  enabled: flag('Let scripts of this machine list, search and call tools over HTTP, with a token.').default(
    false,
  ),
  port: integer(
    'The port of the bridge with stdio, on 127.0.0.1. 0: any free one. With streamable-http and sse it is served at `port`.',
    { min: 0, max: 65_535 },
  ).default(0),
  token: z
    .string()
    .regex(/^[A-Za-z0-9._~+/-]{32,512}=*$/)
    .meta({
      description:
        'The bearer token of scripts. Not set: the proxy makes one and keeps it in `dataDir`, in bridge-token.',
      allowed: `${SHORTEST_TOKEN} to 512 letters, digits and . _ ~ + / -`,
    })
    .optional(),
  tools: z
    .array(z.string().min(1))
    .meta({
      description:
        'Names of tools that scripts may call, also as `server/tool`; `*` stands for any characters. Empty: all tools that declare that they only read.',
    })
    .default([]),
  inlineBytes: integer(
    'The longest result in an answer. The proxy keeps longer ones, and the answer has their id.',
    {
      unit: 'bytes',
      min: 0,
      max: 100_000_000,
    },
  ).default(4_096),
  resultTtlSeconds: integer('How long scripts can fetch a kept result.', {
    unit: 'seconds',
    min: 1,
    max: 86_400,
  }).default(600),
})

/** Reports a bridge that other machines could reach. `overHttp`: it is served where clients are, at `host`. */
export function checkBridge(
  { enabled }: { enabled: boolean },
  host: string,
  overHttp: boolean,
  at: Path,
  report: Report,
): void {
  if (!enabled || !overHttp || isLoopback(host)) return
  report.addAt('error', [...at, 'enabled'], {
    message: `is true, but the proxy listens on ${host}: the bridge is for scripts of this machine alone`,
    remedy: 'Set "host": "127.0.0.1", or remove "bridge".',
  })
}
