/** Public API: run the gateway inside another program, and write layers for it. */

export { type Loaded, type LoadRequest, loadConfig, parseConfig } from './config/load-program.ts'
export type { ModuleOptions } from './config/modules.ts'
export type { Config } from './config/schema.ts'
export { createGateway, type GatewayOptions, type ServerEntry } from './embed.ts'
export type * from './gateway/contract.ts'
export {
  type Counts,
  type Described,
  defineModule,
  type Module,
  type ModuleContext,
  type ModuleDefinition,
  type ModuleHealth,
  type Notice,
  type Notify,
} from './module-runtime/module.ts'
export type { NamingPattern } from './module-runtime/patterns.ts'
export type { Logger } from './observe/log.ts'
export type { SavingsReport } from './observe/savings-report.ts'
export { LargeResult, plain, type Result } from './protocol/content.ts'
export { ERROR_CODES, type ErrorCode, ProxyError, RpcError } from './protocol/errors.ts'
export type { Agent, Client, Exchange, Handler, Middleware } from './protocol/exchange.ts'
export type { JsonObject, JsonValue } from './protocol/json.ts'
export type { JsonRpcMessage, Transport } from './protocol/message.ts'
export type { TextChange, TextRule } from './text/change-rules.ts'
export type { Serve } from './upstream/in-process.ts'
