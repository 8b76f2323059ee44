/** Loads the configuration for programs, which have all modules at hand and do not wait. */
import type { JsonObject } from '../protocol/json.ts'
import { modulesCheck } from './check-modules.ts'
import { type CandidateRequest, checkCandidate, findConfig, type Loaded } from './load.ts'
import type { ModuleOptions } from './modules.ts'
import type { Config } from './schema.ts'

export type { Loaded } from './load.ts'

/** Where a configuration is taken from, and the modules that it may name. */
export interface LoadRequest extends CandidateRequest {
  /** Modules of the embedder that `use` may name, beside those of the proxy. */
  modules?: readonly ModuleOptions[]
}

/**
 * Fails with ProxyError CONFIG_NOT_FOUND when there is no file, and with CONFIG_INVALID, which tells every problem at
 * once, when there is something wrong with it.
 */
export function loadConfig(request: LoadRequest): Loaded {
  return checkCandidate(findConfig(request), request, modulesCheck(request.modules))
}

/** A complete configuration from an object in memory, for embedding and for tests. Nothing is read but `value`. */
export function parseConfig(value: JsonObject, modules: readonly ModuleOptions[] = []): Config {
  const [cwd, home] = [process.cwd(), process.cwd()]
  return loadConfig({ value, env: {}, cwd, home, serversOptional: true, modules }).config
}
