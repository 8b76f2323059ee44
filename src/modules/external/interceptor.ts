/** What an external module says of itself (`interceptors/list`), in the forms that the drafts of the proposal have had. */
import { isObject, type JsonObject, type JsonValue, own } from '../../protocol/json.ts'
import { methodFilter } from '../methods.ts'

export type Phase = 'request' | 'response'

/** One of the interceptors that a module offers. */
export interface Interceptor {
  readonly name: string
  /** `sink`: it is told, and its answer means nothing. */
  readonly type: 'mutation' | 'validation' | 'sink'
  readonly mode: 'enforce' | 'audit'
  readonly failOpen: boolean
  readonly priority: Readonly<Record<Phase, number>>
  wants(event: string, phase: Phase): boolean
}

/** More than anybody offers. */
const MAX_NAME = 200

/** Undefined: of a type that a later draft may have, and that nobody here knows how to ask. Throws Error with what is wrong with it. */
export function readInterceptor(value: JsonValue): Interceptor | undefined {
  if (!isObject(value)) throw new Error('offers an interceptor that is no object')
  const { name, type } = value
  if (typeof name !== 'string' || name === '' || name.length > MAX_NAME)
    throw new Error('offers an interceptor without a name')
  if (typeof type !== 'string') throw new Error(`offers \`${name}\` without a type`)
  const known = TYPES.get(type)
  if (known === undefined) return undefined
  const hooks = hooksOf(value)
  if (hooks.length === 0) throw new Error(`offers \`${name}\` without hooks`)
  const filters = hooks.map(({ events, phase }) => ({ phase, wants: eventFilter(events, phase) }))
  return {
    name,
    type: known,
    mode: value.mode === 'audit' ? 'audit' : 'enforce',
    failOpen: value.failOpen === true,
    priority: { request: priorityOf(value, 'request'), response: priorityOf(value, 'response') },
    wants: (event, phase) => filters.some((filter) => filter.phase === phase && filter.wants(event)),
  }
}

const TYPES = new Map<string, Interceptor['type']>([
  ['mutation', 'mutation'],
  ['validation', 'validation'],
  ['sink', 'sink'],
  ['observability', 'sink'],
])

interface Hook {
  events: readonly string[]
  phase: Phase
}

/** `hooks: [{ events, phase }]`, `hook: { events, phase }`, or `events` and `phase` beside the name; `both` is two hooks. */
function hooksOf(interceptor: JsonObject): Hook[] {
  const { hooks, hook } = interceptor
  const written = Array.isArray(hooks) ? hooks : [hook ?? interceptor]
  return written.filter(isObject).flatMap(({ events, phase }) => {
    if (!Array.isArray(events)) return []
    const names = events.filter((event) => typeof event === 'string')
    const phases: Phase[] = phase === 'request' || phase === 'response' ? [phase] : ['request', 'response']
    return phases.map((one) => ({ events: names, phase: one }))
  })
}

/** A star asks for every request; notifications are sent to those alone that name them. */
function eventFilter(events: readonly string[], phase: Phase): (event: string) => boolean {
  const all = events.includes('*') || events.includes(`*/${phase}`)
  const named = methodFilter(events.filter((event) => event !== '*' && !event.startsWith('*/')))
  return (event) => (all && !event.startsWith('notifications/')) || named(event)
}

function priorityOf(interceptor: JsonObject, phase: Phase): number {
  const hint = interceptor.priorityHint
  const value = isObject(hint) ? own(hint, phase) : hint
  return typeof value === 'number' && Number.isFinite(value) ? value : 0
}

/** Lower ones first, then by name. */
export function inOrder(interceptors: readonly Interceptor[], phase: Phase): Interceptor[] {
  return interceptors.toSorted(
    (a, b) => a.priority[phase] - b.priority[phase] || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0),
  )
}
