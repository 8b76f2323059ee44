/** A message comes back as what it went as: a call as a call, a list as a list. */
import { isInputRequired } from '../../protocol/eras.ts'
import { isObject, type JsonObject, type JsonValue } from '../../protocol/json.ts'

type Check = (value: JsonValue | undefined) => boolean

const text: Check = (value) => typeof value === 'string'
const object: Check = isObject
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value)
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check)
const having =
  (members: Readonly<Record<string, Check>>): Check =>
  (value) =>
    isObject(value) &&
    Object.entries(members).every(([key, check]) => check(Object.hasOwn(value, key) ? value[key] : undefined))

const block = having({ type: text })
const named = having({ name: text })
const content = (value: JsonValue | undefined): boolean =>
  Array.isArray(value) ? value.every(block) : block(value)

/** What a message of a method has at least (MCP specification, schema). Others are objects and no more is known of them. */
const REQUESTS: Readonly<Record<string, Check>> = {
  'tools/call': having({ name: text, arguments: optional(object) }),
  'prompts/get': having({ name: text, arguments: optional(object) }),
  'resources/read': having({ uri: text }),
  'resources/subscribe': having({ uri: text }),
  'resources/unsubscribe': having({ uri: text }),
  'completion/complete': having({ ref: object, argument: object }),
  'logging/setLevel': having({ level: text }),
  'sampling/createMessage': having({ messages: listOf(object) }),
  'elicitation/create': having({ message: text }),
  'notifications/message': having({ level: text }),
  'notifications/progress': having({ progress: (value) => typeof value === 'number' }),
  'notifications/resources/updated': having({ uri: text }),
}

const RESULTS: Readonly<Record<string, Check>> = {
  'tools/list': having({ tools: listOf(having({ name: text, inputSchema: optional(object) })) }),
  'tools/call': having({
    content: optional(listOf(block)),
    structuredContent: optional((value) => value !== undefined),
  }),
  'prompts/list': having({ prompts: listOf(named) }),
  'prompts/get': having({ messages: listOf(having({ role: text, content })) }),
  'resources/list': having({ resources: listOf(having({ uri: text })) }),
  'resources/templates/list': having({ resourceTemplates: listOf(having({ uriTemplate: text })) }),
  'resources/read': having({ contents: listOf(having({ uri: text })) }),
  'completion/complete': having({ completion: object }),
  'sampling/createMessage': having({ role: text, content }),
  'elicitation/create': having({ action: text }),
  'roots/list': having({ roots: listOf(having({ uri: text })) }),
}

/** True when `value` is params (phase `request`) or a result (phase `response`) of this method. */
export function isOfType(value: unknown, method: string, phase: 'request' | 'response'): value is JsonObject {
  if (!isObject(value)) return false
  const checks = phase === 'request' ? REQUESTS : RESULTS
  // To ask for input is the servers' business.
  if (phase === 'response' && isInputRequired(value)) return false
  if (
    phase === 'response' &&
    method === 'tools/call' &&
    value.content === undefined &&
    value.structuredContent === undefined
  )
    return Object.hasOwn(value, 'task')
  return !Object.hasOwn(checks, method) || checks[method]?.(value) === true
}
