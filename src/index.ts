/** Public API: run the gateway inside another program, and write layers for it. */

export type { OAuthSettings } from './config/auth-options.ts'
export type { Environment, Surroundings } from './config/expand.ts'
export type { CandidateRequest } from './config/load.ts'
export { type Loaded, type LoadRequest, loadConfig, parseConfig } from './config/load-program.ts'
export type {
  ExternalModule,
  ModuleBasics,
  ModuleConfig,
  ModuleOptions,
  UsedModule,
} from './config/modules.ts'
export type { DeepReadonly } from './config/option.ts'
export type { Profile } from './config/profiles.ts'
export type { Problem } from './config/report.ts'
export type { Config, Settings } from './config/schema.ts'
export type {
  InProcessServer,
  RemoteServer,
  ServerBasics,
  ServerConfig,
  StdioServer,
} from './config/servers.ts'
export { createGateway, type GatewayOptions, type ServerEntry } from './embed.ts'
export type { ChangedFile, ClientCard, ConsoleHost } from './features/console/options.ts'
export type { ResultSettings } from './features/shape/options.ts'
export type * from './gateway/contract.ts'
export {
  type Counts,
  type Described,
  defineObjectModule as defineModule,
  type Module,
  type ModuleContext,
  type ModuleDefinition,
  type ModuleHealth,
  type Notice,
  type Notify,
  type ObjectModule,
  type ObjectModuleDefinition,
} from './module-runtime/module.ts'
export type { NamingPattern } from './module-runtime/patterns.ts'
export type { Trial } from './observe/holdout.ts'
export type { Logger } from './observe/log.ts'
export type {
  SavingsDay,
  SavingsKind,
  SavingsReport,
  SavingsRow,
  SavingsTotals,
} from './observe/savings-report.ts'
export type { ClientRule, Shows } from './protocol/client-rules.ts'
export { LargeResult, plain, type Result } from './protocol/content.ts'
export type { Destination, Effect, Limit } from './protocol/effects.ts'
export type { Exchange, Handler, Middleware, ShowList } from './protocol/embedding.ts'
export type { Era } from './protocol/eras.ts'
export {
  ERROR_CODES,
  type ErrorCode,
  type ErrorInfo,
  type Exit,
  ProxyError,
  RpcError,
} from './protocol/errors.ts'
export type * from './protocol/exchange.ts'
export type { JsonObject, JsonPrimitive, JsonValue } from './protocol/json.ts'
export type { Kind } from './protocol/lists.ts'
export type * from './protocol/message.ts'
export type { Origin } from './protocol/origin.ts'
export type { Rate, Take } from './protocol/rate.ts'
export type { SharedMap } from './protocol/shared-map.ts'
export type { Timed } from './protocol/timing.ts'
export type { Mark } from './store/store.ts'
export type { SensitiveRule, TextChange, TextRule } from './text/change/change-rules.ts'
export type { SensitiveKind } from './text/change/scan.ts'
export type { Serve } from './upstream/in-process.ts'
