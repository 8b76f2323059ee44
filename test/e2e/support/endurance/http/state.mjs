/** The open sessions and streams of the server, and the faults that it was asked for. */

export const sessions = new Map()
export const streams = new Set()
/** Calls that get no answer, by marker. */
export const hanging = new Map()
/** Markers of calls that were refused once. */
export const refused = new Set()
/** Answers that wait for the client to take up their stream, by event id. */
export const unsent = new Map()
/** How the next handshakes break, by path. */
export const brokenHandshakes = new Map()
/** Calls that came, `all` of them. */
export const calls = { all: 0 }

/** As both eras tell of the server. */
export const serverInfo = { name: 'endurance', version: '1' }
export const capabilities = { tools: { listChanged: true } }
