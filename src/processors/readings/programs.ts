/** A program of jq, or an expression of JMESPath, that no parameters say: it is run on the data. */
import type { Document } from '../../documents/document.ts'
import type { JsonValue } from '../../protocol/json.ts'
import { type Program, readJq } from '../../query/jq/interpreter.ts'
import { readJmespath } from '../../query/language/dialects/jmespath.ts'
import { safely } from '../../query/refusal.ts'
import { select } from '../steps/select.ts'
import { where } from '../steps/where.ts'

const LONGEST = 4_000
/** The beginnings of programs. Other texts are not tried. */
const BEGINNING =
  /^(?:[.[{]|(?:reduce|foreach|def|map|select|limit|first|last|any|all|to_entries|with_entries|group_by|sort_by|unique_by|keys|length|add|paths?|del|walk)\b|\w+\(\s*\.)/

/** The values that a program gives, as rows, and on what it was run. */
interface Answer {
  readonly values: JsonValue[]
  readonly note: string
}

/**
 * Runs a program on the whole result, or else on its main list; what is said of each record in `where` chooses records. Undefined where the
 * text is no program, or a path or condition that is read as such.
 */
export function runProgram(text: string, place: string, document: Document): Answer | undefined {
  if (place !== 'where' && place !== 'path') return undefined
  return asJq(text, place, document) ?? (place === 'path' ? asJmespath(text, document) : undefined)
}

function asJq(text: string, place: 'where' | 'path', document: Document): Answer | undefined {
  const source = (/^jq\s+(?:-\w+\s+)*'(.+)'\s*$/s.exec(text.trim())?.[1] ?? text).trim()
  const signs = place === 'path' ? /[|(;{]/ : /[|(;[{]/
  if (source.length > LONGEST || !BEGINNING.test(source) || !signs.test(source)) return undefined
  const program = readJq(source)
  if (program === undefined) return undefined
  if (place === 'where') return onWhole(program, document) ?? onEach(source, text, document)
  return !hasCalls(source) && leads(text, document) ? undefined : onWhole(program, document)
}

/** Conditions in an expression are read leniently, where all else in it is a path. */
function asJmespath(text: string, document: Document): Answer | undefined {
  const search = readJmespath(text.trim())
  if (search === undefined) return undefined
  const run = (input: JsonValue): JsonValue[] => [search(input)]
  const hasSigns = readJmespath(text.replaceAll(/\[\?[^\]]*\]/g, '[]')) !== undefined
  if (!hasSigns && leads(text, document)) return undefined
  return onWhole({ name: 'JMESPath', isWhole: true, begins: () => true, run }, document)
}

/** False for paths, and for `select` with a comparison, which are read leniently. */
function hasCalls(source: string): boolean {
  const plain = source.replaceAll(/"[^"]*"/g, '""').replaceAll(/\b(?:select|map)\(/g, '(')
  return /\w\(|\([^()]*\|/.test(plain)
}

function leads(path: string, document: Document): boolean {
  const { error, content } = select.process(document, { path })
  return error === undefined && content.rows().count > 0
}

function onWhole(program: Program & { name?: string }, document: Document): Answer | undefined {
  if (!program.isWhole) return undefined
  const whole = document.json()
  const list = document.records() && document.rows().items
  const inputs = [
    { input: whole, name: 'the whole result' },
    { input: list as JsonValue | undefined, name: 'the list of records' },
  ]
  for (const { input, name } of inputs) {
    if (input === undefined || !program.begins(input)) continue
    const values = safely(() => program.run(input))
    if (values === undefined || values.every((value) => value === null) || isHuge(values)) continue
    const [only] = values
    return {
      values: values.length === 1 && Array.isArray(only) ? only : values,
      note: `Run by ${program.name ?? 'jq'} on ${name}.`,
    }
  }
  return undefined
}

/** The records that fulfil a condition of jq, where it is read in no other way. */
function onEach(source: string, text: string, document: Document): Answer | undefined {
  const records = document.records() && document.rows().items
  if (records === undefined || where.process(document, { where: [text] }).error === undefined)
    return undefined
  const condition = /^select\(/.test(source) ? source : `select(${source})`
  const program = readJq(`.[] | ${condition}`)
  const values = program && safely(() => program.run(records as JsonValue))
  return values && { values, note: 'Run by jq on each record.' }
}

/** Values in an answer; a program may name one part again and again. */
const MOST_VALUES = 5_000_000

function isHuge(values: readonly JsonValue[]): boolean {
  const ahead: JsonValue[] = [...values]
  let left = MOST_VALUES
  for (let value = ahead.pop(); value !== undefined; value = ahead.pop()) {
    if (typeof value !== 'object' || value === null) continue
    const members = Object.values(value)
    left -= members.length
    if (left < 0) return true
    for (const member of members) ahead.push(member)
  }
  return false
}
