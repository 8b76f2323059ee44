/**
 * The limits on what one server or one client may ask of the proxy, in one table. The option `limits`, its documentation and the words
 * of every refusal are made of it.
 */

interface Limit {
  readonly description: string
  readonly unit: string
  readonly min: number
  readonly max: number
  readonly default: number
}

const KIBIBYTE = 1024
const MEBIBYTE = 1024 * KIBIBYTE

/** By the name that the option has under `limits`. */
export const LIMITS = {
  serverTurnBytes: {
    description: 'The most bytes read from one server before the others have their turn.',
    unit: 'bytes',
    min: 64 * KIBIBYTE,
    max: 256 * MEBIBYTE,
    default: MEBIBYTE,
  },
  serverTurnMessages: {
    description: 'The most lines read from one server before the others have their turn.',
    unit: 'lines',
    min: 1,
    max: 100_000,
    default: 128,
  },
  serverMessagesPerSecond: {
    description:
      'The most notifications, requests and lines without a message read from one server in a second; a long one counts once for each 4 KiB. Reading pauses until the second is over.',
    unit: 'messages',
    min: 1,
    max: 1_000_000,
    default: 2_000,
  },
  serverBadLines: {
    description:
      'The most lines without a message that one server may send in a minute. Its connection ends with the next one.',
    unit: 'lines',
    min: 1,
    max: 1_000_000_000,
    default: 10_000,
  },
  serverMessageBytes: {
    description: 'The longest message of a server that is not a result. A longer one is thrown away.',
    unit: 'bytes',
    min: 64 * KIBIBYTE,
    max: 256 * MEBIBYTE,
    default: 4 * MEBIBYTE,
  },
  serverMessageValues: {
    description:
      'The most JSON values in a message of a server that is not a result. A message with more is thrown away.',
    unit: 'values',
    min: 10_000,
    max: 100_000_000,
    default: 50_000,
  },
  serverMessageDepth: {
    description:
      'The most levels of objects and arrays in a message of a server that is not a result. A message with more is thrown away.',
    unit: 'levels',
    min: 32,
    max: 100_000,
    default: 1_000,
  },
  serverErrorCharacters: {
    description:
      'The longest message of a JSON-RPC error of a server, and the longest data with it. A longer message is cut and says so; longer data is left out.',
    unit: 'characters',
    min: 200,
    max: 100_000_000,
    default: 32_000,
  },
  serverQuestions: {
    description:
      'The most requests of one connection to a server that may be under way. The next one is answered with an error at once.',
    unit: 'requests',
    min: 1,
    max: 100_000,
    default: 32,
  },
  serverUnreadBytes: {
    description:
      'The most bytes that wait for one server process to read them. Calls fail until it has read some; cancellations still go out.',
    unit: 'bytes',
    min: MEBIBYTE,
    max: 1024 * MEBIBYTE,
    default: 64 * MEBIBYTE,
  },
  serverWatchedResources: {
    description:
      'The most resources of one server that all clients together may watch. Every change of them sends the whole list.',
    unit: 'resources',
    min: 1,
    max: 1_000_000,
    default: 10_000,
  },
  serverListBytes: {
    description: 'The most bytes of one list of a server, all pages together. The list ends there.',
    unit: 'bytes',
    min: 64 * KIBIBYTE,
    max: 1024 * MEBIBYTE,
    default: 32 * MEBIBYTE,
  },
  serverListItems: {
    description: 'The most items of one list of a server, all pages together. The list ends there.',
    unit: 'items',
    min: 1,
    max: 10_000_000,
    default: 50_000,
  },
  serverListValues: {
    description: 'The most JSON values in one page of a list of a server. The list ends before it.',
    unit: 'values',
    min: 10_000,
    max: 100_000_000,
    default: 2_000_000,
  },
  serverListMs: {
    description: 'The longest that all pages of one list of a server may take. The list ends there.',
    unit: 'milliseconds',
    min: 100,
    max: 86_400_000,
    default: 120_000,
  },
  connections: {
    description:
      'The most open connections over HTTP, of all clients together. A further one is closed at once.',
    unit: 'connections',
    min: 1,
    max: 1_000_000,
    default: 10_000,
  },
  requestBytes: {
    description: 'The longest body of a request over HTTP.',
    unit: 'bytes',
    min: 64 * KIBIBYTE,
    max: 256 * MEBIBYTE,
    default: 16 * MEBIBYTE,
  },
  requestValues: {
    description: 'The most JSON values and keys in a message of a client. One with more is refused.',
    unit: 'values',
    min: 1_000,
    max: 100_000_000,
    default: 250_000,
  },
  requestDepth: {
    description: 'The most levels of objects and arrays in a message of a client. One with more is refused.',
    unit: 'levels',
    min: 32,
    max: 100_000,
    default: 1_000,
  },
  introductionBytes: {
    description: 'The most bytes that a client may say of itself: its clientInfo and capabilities.',
    unit: 'bytes',
    min: 4 * KIBIBYTE,
    max: 16 * MEBIBYTE,
    default: 64 * KIBIBYTE,
  },
  bodyBytes: {
    description:
      'The most bytes of requests that are being received over HTTP, of all clients together. A client that sends more is told to try again later.',
    unit: 'bytes',
    min: MEBIBYTE,
    max: 64 * 1024 * MEBIBYTE,
    default: 256 * MEBIBYTE,
  },
  clientSessions: {
    description:
      'The most sessions over HTTP of one client, by its token or, without one, its address. Idle ones leave for a new one.',
    unit: 'sessions',
    min: 1,
    max: 1_000_000,
    default: 250,
  },
  clientSubscriptions: {
    description:
      'The most `subscriptions/listen` streams of one client that may be open, by its token or, without one, its address. A client that opens more is told to end another one first.',
    unit: 'streams',
    min: 1,
    max: 1_000_000,
    default: 250,
  },
  clientProcesses: {
    description:
      'The most server processes for one client, by its token or, without one, its session. Idle ones leave for a new one.',
    unit: 'processes',
    min: 1,
    max: 100_000,
    default: 100,
  },
  processes: {
    description: 'The most server processes for all clients together. Idle ones leave for a new one.',
    unit: 'processes',
    min: 1,
    max: 100_000,
    default: 500,
  },
  idleProcessMs: {
    description:
      'How long the server process of a client over HTTP goes on with no call under way and no stream of that client open. It ends then, and the next call starts it again: raise this for servers that remember something between calls.',
    unit: 'milliseconds',
    min: 1_000,
    max: 86_400_000,
    default: 120_000,
  },
} as const satisfies Readonly<Record<string, Limit>>

export type LimitName = keyof typeof LIMITS

/** A value for each limit. */
export type Limits = Readonly<Record<LimitName, number>>

/** The limits where the configuration says nothing. */
export const LIMIT_DEFAULTS: Limits = Object.fromEntries(
  Object.entries(LIMITS).map(([name, limit]) => [name, limit.default]),
) as Record<LimitName, number>

/** How often each limit was passed since the process began: every refusal asks for its words here. */
const passed = new Map<LimitName, number>()

/** The limits that were passed since the process began, and how often. */
export function limitsPassed(): ReadonlyMap<LimitName, number> {
  return passed
}

/** How a refusal names its limit and says how to raise it, to follow what happened. Asked for when a limit was passed, and counted. */
export function limitWords(name: LimitName, limits: Limits): string {
  passed.set(name, (passed.get(name) ?? 0) + 1)
  return `the limit is ${limits[name]} ${LIMITS[name].unit} (raise \`limits.${name}\` in \`proxySettings\` if this is intended)`
}
