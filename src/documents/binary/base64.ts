/** Base64 as it stands in JSON: found by its bytes, before anything is parsed, and whatever depth of quoting it is in. */

/** Bytes `from` to `to` of a JSON text, that one not included. */
export interface Run {
  readonly from: number
  readonly to: number
}

/** Its own characters, those of URLs, and what line breaks, slashes and plus signs are written with in JSON. */
const WRITTEN = new Uint8Array(256)
for (const byte of Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_=\\'))
  WRITTEN[byte] = 1

const BACKSLASH = 0x5c
/** Bytes in a row by which a run is suspected. */
const WINDOW = 48

/** True when there may be a run of at least `least` bytes. Looks at a small share of the bytes. */
export function mayHoldBase64(bytes: Uint8Array, least: number): boolean {
  for (let at = 0; at < bytes.length; at += stepOf(least)) {
    if (!isWindow(bytes, at)) continue
    const run = runAround(bytes, at, 0, least)
    if (run.to - run.from >= least) return true
  }
  return false
}

/** All runs of at least `least` bytes, in their order. */
export function runsOf(bytes: Uint8Array, least: number): Run[] {
  const found: Run[] = []
  let end = 0
  for (let at = 0; at < bytes.length; at += stepOf(least)) {
    if (at < end || !isWindow(bytes, at)) continue
    const run = runAround(bytes, at, end)
    end = run.to
    if (run.to - run.from >= least) found.push(run)
  }
  return found
}

/** Every run of that length holds one of the places that are looked at, with a window behind it. */
function stepOf(least: number): number {
  return Math.max(1, Math.floor(least / 2))
}

function isWindow(bytes: Uint8Array, from: number): boolean {
  if (from + WINDOW > bytes.length) return false
  for (let at = from; at < from + WINDOW; at++) if (WRITTEN[bytes[at] ?? 0] !== 1) return false
  return true
}

/** `enough`: bytes after which it need not be followed any further. */
function runAround(bytes: Uint8Array, at: number, least: number, enough = Number.POSITIVE_INFINITY): Run {
  let from = at
  while (from > least && at - from < enough && WRITTEN[bytes[from - 1] ?? 0] === 1) from--
  from = behindWord(bytes, from, at)
  let to = at
  while (to < bytes.length && to - from < enough && WRITTEN[bytes[to] ?? 0] === 1) to++
  if (to - at < enough) to = beforeWord(bytes, at, to)
  // The backslashes that quote the end of a string within a string.
  while (to > from && bytes[to - 1] === BACKSLASH) to--
  return { from, to }
}

/** A line of base64 is longer than this; a shorter one above it is a word of the text. */
const LONGEST_WORD = 40

/** Where base64 ends before a line break and a word: behind its padding, or where none of its own lines ends. */
function beforeWord(bytes: Uint8Array, at: number, to: number): number {
  const from = Math.max(at, to - LONGEST_WORD)
  const written = (start: number, end: number) =>
    Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1')
  const end = written(from, to)
  const padded = /^(.*?=)\\+[nrt]/s.exec(end)?.[1]
  const whole = padded ?? /^(.*?[^\\])\\+[nrt]\w+$/s.exec(end)?.[1]
  const isWrapped = padded === undefined && /\\[nr]/.test(written(at, Math.min(from, at + 200)))
  return whole === undefined || isWrapped ? to : from + whole.length
}

/** Where the line begins that is behind a word and a line break, as JSON writes one. A word and `=` may be the end of other base64. */
function behindWord(bytes: Uint8Array, from: number, at: number): number {
  const start = Buffer.from(
    bytes.buffer,
    bytes.byteOffset + from,
    Math.min(LONGEST_WORD, at - from),
  ).toString('latin1')
  const [above = ''] = /^.*\w.*\\[nrt]/s.exec(start) ?? []
  return from + above.length
}

/** Base64 without what JSON and line breaks put into it. */
export function base64In(bytes: Uint8Array, { from, to }: Run): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString('latin1')
  if (!text.includes('\\')) return text
  return text.replaceAll(/\\+(?:u([0-9a-fA-F]{4})|[nr])?/g, (_, code?: string) =>
    code === undefined ? '' : String.fromCharCode(Number.parseInt(code, 16)),
  )
}

/** True when the run is base64 and nothing else: a place in it is a place in the bytes that it stands for. */
export function isClean(bytes: Uint8Array, { from, to }: Run): boolean {
  return !Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).includes(BACKSLASH)
}

/** Bytes that so many characters of base64 stand for, at most. */
export function bytesIn(characters: number): number {
  return Math.floor((characters * 3) / 4)
}
