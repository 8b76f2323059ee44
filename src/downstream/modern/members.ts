/** Members of a JSON object that is too large to be worth parsing. */

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a
const OPENING = new Set([0x7b, 0x5b])
const CLOSING = new Set([0x7d, 0x5d])
const SPACE = new Set([0x20, 0x09, 0x0a, 0x0d])

/**
 * Where the value of a member of the object itself begins, or undefined when it has no such member. `json` is UTF-8, `name` a
 * name that JSON writes without escapes. Bytes are looked at one by one only where the name occurs at all, up to there.
 */
export function findMember(json: Buffer, name: string): number | undefined {
  const quoted = Buffer.from(`"${name}"`)
  let depth = 0
  /** Outside of strings, always. */
  let at = 0
  for (let found = json.indexOf(quoted); found !== -1; found = json.indexOf(quoted, at)) {
    while (at < found) {
      const byte = json[at] ?? 0
      if (byte === QUOTE) at = endOfString(json, at)
      else {
        if (OPENING.has(byte)) depth++
        else if (CLOSING.has(byte)) depth--
        at++
      }
    }
    // What a string only ended with was stepped over.
    if (at > found) continue
    at += quoted.length
    const next = pastSpace(json, at)
    if (depth === 1 && json[next] === COLON) return pastSpace(json, next + 1)
  }
  return undefined
}

/** The object with these members in front of its own, in memory that threads share. `members` is JSON without braces. */
export function withMembers(json: Buffer, members: readonly string[]): Uint8Array<SharedArrayBuffer> {
  const start = json.indexOf('{') + 1
  const empty = json[pastSpace(json, start)] === 0x7d
  const added = Buffer.from(members.join(',') + (empty ? '' : ','))
  const bytes = new Uint8Array(new SharedArrayBuffer(json.length + added.length))
  bytes.set(json.subarray(0, start))
  bytes.set(added, start)
  bytes.set(json.subarray(start), start + added.length)
  return bytes
}

/** The position behind the closing quote of the string that begins here; the end when it has none. */
function endOfString(json: Buffer, start: number): number {
  for (let end = json.indexOf(QUOTE, start + 1); end !== -1; end = json.indexOf(QUOTE, end + 1)) {
    let slashes = 0
    while (json[end - 1 - slashes] === BACKSLASH) slashes++
    if (slashes % 2 === 0) return end + 1
  }
  return json.length
}

function pastSpace(json: Buffer, start: number): number {
  let at = start
  while (SPACE.has(json[at] ?? 0)) at++
  return at
}
