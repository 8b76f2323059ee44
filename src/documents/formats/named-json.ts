/** JSON behind the name of what it is of, a line each, as brokers of messages print it: `home/hall/temp {"value": 21}`. */
import { isObject, type JsonObject, type JsonValue, setOwn } from '../../protocol/json.ts'
import { indexLines } from '../../text/lines.ts'
import { parseJson } from '../json/stringify.ts'
import { asideOf, freeName } from './cells.ts'
import { defineFormat } from './define.ts'
import { type BelowWords, belowWords } from './words-above.ts'

/** A name is no time and no level, as in a log, and no key, as in YAML. */
const LINE =
  /^[ \t]{0,8}(?!\d{1,4}[-/:.T]\d|\[?[A-Z]{3,8}[\]:]? )([^\s{}"'=,|]{1,200})(?<!:)[ \t]+(\S.*?)[ \t\r]*$/
const BEGINS = /^[ \t]{0,8}[^\s{}"'=,]{1,200}[ \t]{1,40}\{"/m
/** Characters in which an object comes. */
const SOON = 2_000
const LEAST = 3
/** The share of lines with an object. Others may have a number or a word. */
const MOSTLY = 0.6

type Records = () => JsonValue[]

function readLines(text: string): Records | undefined {
  const lines = indexLines(text)
  const found: (readonly [source: string, value: JsonValue])[] = []
  let objects = 0
  for (let index = 0; index < lines.count; index++) {
    const line = lines.at(index)
    if (line.trim() === '') continue
    const [, source = '', written = ''] = LINE.exec(line) ?? []
    const value = written === '' ? undefined : valueIn(written)
    if (value === undefined) return undefined
    found.push([source, value])
    if (isObject(value)) objects += 1
  }
  if (found.length < LEAST || objects < found.length * MOSTLY) return undefined
  return () => found.map(([source, value]) => recordOf(source, value))
}

function valueIn(written: string): JsonValue | undefined {
  if (written.startsWith('{')) return parseJson(written)?.value
  return /\s/.test(written) ? undefined : (parseJson(written)?.value ?? written)
}

/** The name, and beside it the members of the object or the value. */
function recordOf(source: string, value: JsonValue): JsonObject {
  const members = isObject(value) ? value : { value }
  const record: JsonObject = {}
  setOwn(record, freeName(new Set(Object.keys(members)), 'source'), source)
  for (const [key, held] of Object.entries(members)) setOwn(record, key, held)
  return record
}

/** Tried before CSV, which commas within objects look like. Never takes lines that begin with a time, a level or a key, or with a service and a bar, which are a log. */
export const namedJson = defineFormat<BelowWords<Records>>({
  name: 'named json',
  family: 'table',
  detect(text) {
    if (!BEGINS.test(text.slice(0, SOON))) return undefined
    const evidence = readLines(text)
    return evidence
      ? { evidence, above: [] }
      : belowWords(text, (rest) => rest.search(BEGINS) === 0, readLines)
  },
  read: (_, { evidence }) => evidence(),
  asides: (_, { above }) => above.map(asideOf),
})
