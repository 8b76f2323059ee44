/** Python literals: what servers in Python send when they print a list instead of encoding it. */
import type { JsonValue } from '../../protocol/json.ts'
import { parseJson } from '../json/stringify.ts'
import { defineFormat, PLAIN } from './define.ts'

// One token each: a string, a call around literals, a word, or anything that is the same in JSON.
const TOKEN =
  /([rbu]?)('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")|(datetime\.datetime|datetime\.date|datetime\.time|Decimal|UUID)\(([^()]{0,200})\)|\b(True|False|None|nan|inf)\b|,\s*([\])}])|([^'"A-Za-z,]+|[A-Za-z_]\w*|,)/gsy
const WORDS: Readonly<Record<string, string>> = {
  True: 'true',
  False: 'false',
  None: 'null',
  nan: 'null',
  inf: 'null',
}
const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '0': '\0',
  a: '\x07',
  b: '\b',
  f: '\f',
  v: '\v',
  '\n': '',
}

/** True for what begins as a list or dictionary of literals and is no JSON. */
function looksLikePython(text: string): boolean {
  const start = text.slice(0, 2000).trimStart()
  return (
    /^[[({]\s*(?:[[({]\s*)*(?:'|"|-?\d|None\b|True\b|False\b|\w+\()/.test(start) &&
    /[\])}]\s*$/.test(text.slice(-80))
  )
}

/** The value of a list, tuple or dictionary of literals: tuples are lists, dates are ISO 8601, decimals are strings. */
export function readPython(text: string): JsonValue | undefined {
  const json: string[] = []
  const token = new RegExp(TOKEN)
  while (token.lastIndex < text.length) {
    const match = token.exec(text)
    if (!match) return undefined
    const [whole, prefix, string, call, args = '', word, close, rest] = match
    if (string !== undefined) json.push(JSON.stringify(unescaped(string.slice(1, -1), prefix === 'r')))
    else if (call !== undefined) json.push(JSON.stringify(written(call, args)))
    else if (word !== undefined) json.push(WORDS[word] ?? 'null')
    else if (close !== undefined) json.push(brackets(close))
    else json.push(rest === undefined ? whole : brackets(rest))
  }
  const parsed = parseJson(json.join(''))
  return typeof parsed?.value === 'object' && parsed.value !== null ? parsed.value : undefined
}

function brackets(text: string): string {
  return text.replaceAll('(', '[').replaceAll(')', ']')
}

const STRING = /^(?:'[^'\\]*(?:\\.[^'\\]*)*'|"[^"\\]*(?:\\.[^"\\]*)*")$/s

/** The text that a string literal stands for; undefined where the text is none. */
export function stringOf(literal: string): string | undefined {
  return STRING.test(literal) ? unescaped(literal.slice(1, -1), false) : undefined
}

function unescaped(text: string, raw: boolean): string {
  if (raw || !text.includes('\\')) return text
  return text.replace(/\\(?:x([\da-f]{2})|u([\da-f]{4})|U([\da-f]{8})|(.))/gis, (whole, x, u, long, char) => {
    const code = x ?? u ?? long
    if (code === undefined) return Object.hasOwn(ESCAPES, char) ? (ESCAPES[char] ?? whole) : whole
    const point = Number.parseInt(code, 16)
    return point <= 0x10ffff ? String.fromCodePoint(point) : whole
  })
}

/** `datetime.datetime(2024, 5, 1, 12, 0)` → `2024-05-01T12:00:00`; `Decimal('1.20')` → `1.20`. */
function written(call: string, args: string): string {
  if (!call.startsWith('datetime')) return args.trim().replace(/^['"]|['"]$/g, '')
  const numbers = args
    .split(',')
    .map((part) => part.trim())
    .filter((part) => /^\d+$/.test(part))
  const [a = '0', b = '1', c = '1', d = '0', e = '0', f = '0', micro] = numbers
  const two = (part: string) => part.padStart(2, '0')
  if (call.endsWith('.time')) return [a, numbers[1] ?? '0', numbers[2] ?? '0'].map(two).join(':')
  const date = `${a.padStart(4, '0')}-${two(b)}-${two(c)}`
  if (call.endsWith('.date')) return date
  const zone = /\butc\b/i.test(args) ? 'Z' : ''
  return `${date}T${two(d)}:${two(e)}:${two(f)}${micro === undefined ? '' : `.${micro.padStart(6, '0')}`}${zone}`
}

/** Tried after JSON, which it resembles. Never takes code: every token is a literal, and the whole is one list, tuple or dictionary. */
export const python = defineFormat<{ value: JsonValue }>({
  ...PLAIN.json,
  name: 'python',
  detect(text) {
    const value = looksLikePython(text) ? readPython(text) : undefined
    return value === undefined ? undefined : { value }
  },
  read: (_, { value }) => value,
})
