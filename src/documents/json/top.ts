/** The top of JSON: the names of an object, the number of elements of a list. */
import { isObject, valueOfJson } from '../../protocol/json.ts'

export interface Top {
  keys?: string[]
  elements?: number
}

/** Shorter texts are parsed. For a longer one that would take many times its size in memory. */
const LONG = 4_000_000

/** Undefined: the text is neither object nor list. A long one is looked at as far as its brackets and quotes go. */
export function topOf(text: string): Top | undefined {
  if (!/^\s*[[{]/.test(text.slice(0, 1000))) return undefined
  return text.length > LONG ? scanTop(text) : parsedTop(text)
}

function parsedTop(text: string): Top | undefined {
  const value = valueOfJson(text)
  if (Array.isArray(value)) return { elements: value.length }
  return isObject(value) ? { keys: Object.keys(value) } : undefined
}

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c]
/** The characters outside of the strings of JSON, by their code. */
const OUTSIDE = new Uint8Array(65_536)
for (const character of '{}[],: \t\r\n0123456789+-.eEtrufalsn') OUTSIDE[character.charCodeAt(0)] = 1
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d]

/** The same without making anything of what is inside. Repeated names count once, as they do in an object. */
export function scanTop(text: string): Top | undefined {
  const keys = new Set<string>()
  const start = text.search(/\S/)
  const isObjectText = text.charCodeAt(start) === OPEN_OBJECT
  const closers: number[] = []
  let commas = 0
  let expectsKey = isObjectText
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      const end = stringEnd(text, at + 1)
      if (end < 0) return undefined
      if (expectsKey && closers.length === 1) {
        const key = read(text.slice(at, end))
        if (key === undefined) return undefined
        keys.add(key)
        expectsKey = false
      }
      at = end - 1
    } else if (!OUTSIDE[code]) {
      // Single quotes, None, True: what another language writes is no JSON, however its brackets stand.
      return undefined
    } else if (code === COMMA) {
      if (closers.length !== 1) continue
      commas++
      expectsKey = isObjectText
    } else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      closers.push(code === OPEN_LIST ? CLOSE_LIST : CLOSE_OBJECT)
    } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) {
      if (closers.pop() !== code) return undefined
      if (closers.length > 0) continue
      if (text.slice(at + 1).trim() !== '') return undefined
      if (isObjectText) return { keys: [...keys] }
      const isEmpty = text.slice(start + 1, at).search(/\S/) < 0
      return { elements: isEmpty ? 0 : commas + 1 }
    }
  }
  return undefined
}

/** Behind the quote that ends the string which begins at `from`; -1 when none does. */
function stringEnd(text: string, from: number): number {
  for (let quote = text.indexOf('"', from); quote >= 0; quote = text.indexOf('"', quote + 1)) {
    let backslashes = 0
    while (text.charCodeAt(quote - 1 - backslashes) === BACKSLASH && quote - 1 - backslashes >= from)
      backslashes++
    if (backslashes % 2 === 0) return quote + 1
  }
  return -1
}

function read(string: string): string | undefined {
  try {
    return String(JSON.parse(string))
  } catch {
    return undefined
  }
}
