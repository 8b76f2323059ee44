import { isObject, type JsonObject, own } from '../protocol/json.ts'

/** False only for a server that said what it can do and left this out; `initialize` is what is known of it, if anything. */
export function mayOffer(initialize: JsonObject | undefined, capability: string): boolean {
  const capabilities = initialize && own(initialize, 'capabilities')
  return !isObject(capabilities) || own(capabilities, capability) !== undefined
}
