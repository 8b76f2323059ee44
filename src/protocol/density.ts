/** How much there is in a JSON text, counted before it is parsed: a short text can hold very many values. */

/** The limits of a text. */
interface Density {
  /** Values, keys of objects among them. */
  values: number
  /** Objects and arrays inside one another. */
  depth: number
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a

/**
 * The limit that the text exceeds; undefined when it keeps to both. Time is linear in the bytes that are read, which end where a limit is
 * passed. For text that is no JSON the answer means nothing.
 */
export function tooDense(bytes: Uint8Array, { values, depth }: Density): keyof Density | undefined {
  const size = bytes.length
  // A text that is short enough cannot hold that much.
  if (size <= values && size <= 2 * depth) return undefined
  let found = 1
  let level = 0
  for (let i = 0; i < size; i++) {
    const byte = bytes[i] as number
    if (byte === QUOTE) {
      for (i++; i < size && bytes[i] !== QUOTE; i++) if (bytes[i] === BACKSLASH) i++
    } else if (byte === COMMA || byte === COLON) {
      if (++found > values) return 'values'
    } else if ((byte | 0x20) === 0x7b) {
      // `{` and `[`
      if (++level > depth) return 'depth'
      if (++found > values) return 'values'
    } else if ((byte | 0x20) === 0x7d) {
      level--
    }
  }
  return undefined
}
