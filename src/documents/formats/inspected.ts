/** Values as programs in JavaScript print them: `{ id: 1, name: 'a' }` of Node, `{ _id: ObjectId("…") }` of the shell of MongoDB, JSON5 without comments. */
import type { JsonValue } from '../../protocol/json.ts'
import { parseJson } from '../json/stringify.ts'
import { exactNumber } from './cells.ts'
import { defineFormat, PLAIN } from './define.ts'

const STRING = String.raw`'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\x60(?:[^\x60\\]|\\.)*\x60`
/** One token each. All else, such as a name by itself, is no value. */
const TOKEN = new RegExp(
  [
    String.raw`(?<joined>(?:${STRING})(?:\s*\+\s*(?:${STRING}))*)`,
    // A key, and a date as `console.log` writes it.
    String.raw`(?<key>[A-Za-z_$][\w$]{0,200})\s*:(?!:)`,
    String.raw`(?<date>-?\d{4,6}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z)`,
    // `ObjectId("…")`, `new Date(…)`, `NumberLong(5)`.
    String.raw`(?:new )?(?<call>ObjectId|ISODate|Date|NumberLong|NumberInt|NumberDecimal|Long|Int32|Double|Decimal128|Timestamp|UUID|BinData|Binary)\((?<args>[^()]{0,400})\)`,
    String.raw`(?<word>true|false|null|undefined|NaN|-?Infinity)\b`,
    // In place of what is not printed: `[Object]`, `[Function: run]`; and `... 5 more items` behind the first hundred.
    String.raw`(?<short>\[(?:Object|Array|Function|AsyncFunction|Class|class|Circular|Getter|Setter|Symbol|Date|RegExp)\b[^\][\n]{0,120}\](?!\s*[{(]))`,
    String.raw`(?<more>\.\.\. \d+ more [a-z]+)`,
    // The name of a class or of a reference before its fields.
    String.raw`(?<named><ref \*\d+>|\[[A-Za-z][\w: ]{0,60}\](?=\s*\{)|[A-Z][\w$]{0,80}(?:\(\d+\))?(?=\s*[{[]))`,
    String.raw`(?<big>-?\d{1,400})n\b`,
    String.raw`(?<number>-?(?:\d[\d_]{0,400}(?:\.\d+)?|\.\d+)(?:[eE][-+]?\d+)?)(?![\w$])`,
    String.raw`,\s*(?<last>[\]}])`,
    '(?<arrow>=>)',
    String.raw`(?<mark>[[\]{},:])`,
    String.raw`\s+`,
  ].join('|'),
  'gsy',
)
const PART = new RegExp(STRING, 'gs')
const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  v: '\v',
  0: '\0',
}
/** The type of a number of MongoDB. */
const NUMERIC = /^(?:NumberLong|NumberInt|Long|Int32|Double)$/
const MOST_LOOKED = 2_000
/** Gaps that are told one by one. */
const MOST_TOLD = 5

/** True for what begins as an object with a bare key, or with a call that only such a program prints, and ends as one. */
function looksInspected(text: string): boolean {
  const start = text.slice(0, MOST_LOOKED).trimStart()
  return (
    /^(?:[A-Z][\w$]*\(\d+\) )?(?:\[\s*)*(?:[A-Z][\w$]*(?:\(\d+\))? )?\{\s*(?:[A-Za-z_$][\w$]*\s*:|["'][\w$-]+["']\s*:\s*(?:new )?[A-Z][A-Za-z0-9]+\()/.test(
      start,
    ) && /[\]}]\s*$/.test(text.slice(-80))
  )
}

interface Read {
  readonly value: JsonValue
  /** `400 more items`, which the program did not print. */
  readonly left: readonly string[]
}

/** The value; a list where several stand one below the other. Undefined where some token is none of a value. */
function readInspected(text: string): Read | undefined {
  const json: string[] = []
  const left: string[] = []
  const token = new RegExp(TOKEN)
  let [depth, values] = [0, 0]
  const open = (): void => {
    if (depth === 0 && values++ > 0) json.push(',')
    depth += 1
  }
  while (token.lastIndex < text.length) {
    const groups = token.exec(text)?.groups
    if (!groups) return undefined
    const { joined, key, date, call, args = '', word, short, more, big, number, last, arrow, mark } = groups
    if (more !== undefined) {
      left.push(more.slice(4))
      while (json.at(-1) === ',' || json.at(-1) === '') json.pop()
      continue
    }
    if (mark === '{' || mark === '[') open()
    // One value after the other: commas between them are ours.
    if (mark === ',' && depth === 0) continue
    if (mark === '}' || mark === ']' || last !== undefined) depth -= 1
    if (joined !== undefined)
      json.push(JSON.stringify([...joined.matchAll(PART)].map(([part]) => unescaped(part)).join('')))
    else if (key !== undefined) json.push(`${JSON.stringify(key)}:`)
    else if (call !== undefined) json.push(called(call, args))
    else if (word !== undefined) json.push(word === 'true' || word === 'false' ? word : 'null')
    else if (number !== undefined) json.push(written(number))
    else if (arrow !== undefined) json.push(':')
    else json.push(mark ?? last ?? asText(date ?? short ?? big))
  }
  if (depth !== 0) return undefined
  const parsed = parseJson(values > 1 ? `[${json.join('')}]` : json.join(''))
  return typeof parsed?.value === 'object' && parsed.value !== null
    ? { value: parsed.value, left }
    : undefined
}

function asText(said: string | undefined): string {
  return said === undefined ? '' : JSON.stringify(said)
}

function unescaped(part: string): string {
  const inner = part.slice(1, -1)
  if (!inner.includes('\\')) return inner
  return inner.replace(
    /\\(?:x([\da-f]{2})|u([\da-f]{4})|u\{([\da-f]{1,6})\}|(.))/gis,
    (whole, x, u, point, char) => {
      const code = x ?? u ?? point
      if (code === undefined) return char === '\n' ? '' : (ESCAPES[char] ?? char)
      const value = Number.parseInt(code, 16)
      return value <= 0x10ffff ? String.fromCodePoint(value) : whole
    },
  )
}

/** `ObjectId("6a…")` is the text in it, `NumberLong(5)` the number. */
function called(call: string, args: string): string {
  const bare = args.trim().replace(/^(["'])(.*)\1$/s, '$2')
  const number = NUMERIC.test(call) ? exactNumber(bare) : undefined
  return number === undefined ? JSON.stringify(bare) : String(number)
}

function written(number: string): string {
  const plain = number.replaceAll('_', '').replace(/^(-?)\./, '$10.')
  return /^-?0\d/.test(plain) ? JSON.stringify(plain) : plain
}

/** Tried after JSON and Python. Never takes programs: each token is of a value, and the whole is objects. */
export const inspected = defineFormat<Read>({
  ...PLAIN.json,
  name: 'inspected',
  detect: (text) => (looksInspected(text) ? readInspected(text) : undefined),
  read: (_, { value }) => value,
  asides: (_, { left }) =>
    left.length > 0 ? [`not printed by the program: ${left.slice(0, MOST_TOLD).join(', ')}`] : [],
})
