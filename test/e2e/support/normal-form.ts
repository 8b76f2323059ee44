/** Two transcripts of one server differ in times, ids and what happens by chance. Here is every such difference, by name. */
import type { Message } from './recorder.ts'

/** Text within any string, with what takes its place. */
const CHANCE: readonly [RegExp, string][] = [
  [/\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b/g, '<uuid>'],
  [/\b[\da-f]{32}\b/g, '<task>'],
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, '<time>'],
  [/\bcreated at [\d:]+ [AP]M/g, 'created at <time>'],
]

/** The environment of the server process, of which the proxy passes on a part. */
const ENVIRONMENT = /^\{\n {2}"[A-Za-z_]\w*": ".*"\n\}$/s

/** The one variable that it is told to pass on. */
export const MARK = 'EVERYTHING_MARK'

/** A message of random level, every five seconds. */
const SIMULATED_LOG =
  /^(?:Debug|Info|Notice|Warning|Error|Critical|Emergency)-level message|^Alert level-message/

/**
 * One message without what chance decides. Ids of JSON-RPC go: every connection has its own.
 * @param original the name under which the server knows what is called this; for a proxy that puts prefixes before names
 */
export function normal(
  { method, params, result, error }: Message,
  original: (text: string) => string,
): unknown {
  const form = { ...(method === undefined ? {} : { method }), params, result, error }
  return visit(isSimulatedLog(form) ? { method, params: 'by chance' } : form, original)
}

function isSimulatedLog({ method, params }: { method?: string; params?: Message['params'] }): boolean {
  return method === 'notifications/message' && SIMULATED_LOG.test(String(params?.data))
}

function visit(value: unknown, original: (text: string) => string): unknown {
  if (typeof value === 'string') return ofText(value, original)
  if (Array.isArray(value)) return value.map((one) => visit(one, original))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value)
      // A number of the client's SDK, which counts its own requests.
      .filter(([key, item]) => item !== undefined && key !== 'progressToken')
      .map(([key, item]) => [key, key === 'blob' ? ofBlob(String(item)) : visit(item, original)]),
  )
}

function ofText(text: string, original: (text: string) => string): string {
  if (ENVIRONMENT.test(text)) return `${MARK}=${(JSON.parse(text) as Record<string, string>)[MARK]}`
  return CHANCE.reduce(
    (result, [pattern, replacement]) => result.replace(pattern, replacement),
    original(text),
  )
}

/** Base64; the server encodes the time of day as well. */
function ofBlob(blob: string): string {
  const text = Buffer.from(blob, 'base64').toString('utf8')
  return text.includes('created at') ? ofText(text, String) : blob
}

/** A list that changed is announced as often as a server likes; the watched resource changes, and a task goes on, by the clock. */
const ANNOUNCEMENT =
  /^notifications\/(?:(?:tools|resources|prompts)\/list_changed|resources\/updated|tasks\/status)$/

export function isAnnouncement({ method }: Message): boolean {
  return ANNOUNCEMENT.test(method ?? '')
}

/** Announcements of one step: each once, after all others, for they have no place in their order. */
export function settled(messages: readonly Message[]): Message[] {
  const others = messages.filter((message) => !isAnnouncement(message))
  const announced = messages
    .filter(isAnnouncement)
    .map(({ method, params }): [string, Message] => [
      `${method} ${params?.uri}`,
      { method, params: params?.uri === undefined ? undefined : { uri: params.uri } } as Message,
    ])
    .sort(([one], [other]) => (one < other ? -1 : 1))
  return [...others, ...new Map(announced).values()]
}
