/** A program of jq, an expression of JMESPath, or a function of a path, that no parameters say: it is run on the data. */
import type { Document } from '../../documents/document.ts'
import type { JsonValue } from '../../protocol/json.ts'
import { locate } from '../../query/fields/locate.ts'
import { parsePath } from '../../query/fields/path.ts'
import { type Program, readJq } from '../../query/jq/interpreter.ts'
import { aggregateNamed } from '../../query/language/aggregates.ts'
import { readJmespath } from '../../query/language/dialects/jmespath.ts'
import { withoutCommand } from '../../query/language/dialects/jq.ts'
import { listed, Refusal, safely } from '../../query/refusal.ts'
import { aggregate } from '../steps/group.ts'
import { select } from '../steps/select.ts'
import { where } from '../steps/where.ts'

/** The beginnings of programs. Other texts are not tried. */
const BEGINNING =
  /^(?!\.\[\]$)(?:[.[{]|(?:reduce|foreach|def|map|select|limit|first|last|any|all|to_entries|with_entries|group_by|sort_by|unique_by|keys|length|add|paths?|del|walk)\b|\w+\(\s*\.)/

/** The document that a program is run on. */
interface Input {
  readonly document: Document
  /** Its name in remarks. */
  readonly whole: string
  /** Gets the message of a program that begins with something that is there, and fails. */
  readonly faults: string[]
}

/** The values that a program gives, as rows, and what is to be said of them. */
interface Answer {
  readonly values: JsonValue[]
  readonly notes: readonly string[]
}

/**
 * Runs a program on the whole of a document, which remarks call `whole`, or else on its main list. A condition of each record in `where`
 * chooses records. Undefined where the text is no program, or a path or condition that is read as such. Throws a `Refusal` for a program
 * that fails and is nothing else.
 */
export function runProgram(
  text: string,
  place: string,
  document: Document,
  whole = 'the whole result',
): Answer | undefined {
  if (place !== 'where' && place !== 'path') return undefined
  const on: Input = { document, whole, faults: [] }
  const answer =
    asJq(text, place, on) ?? (place === 'path' ? (asJmespath(text, on) ?? asFunction(text, on)) : undefined)
  const [fault] = on.faults
  if (answer || fault === undefined || isRead(text, place, document)) return answer
  throw new Refusal(fault)
}

/** True for what is a path or a condition as well. */
function isRead(text: string, place: 'where' | 'path', document: Document): boolean {
  const params = { [place]: place === 'where' ? [text] : text }
  return (place === 'where' ? where : select).process(document, params).error === undefined
}

function asJq(text: string, place: 'where' | 'path', on: Input): Answer | undefined {
  const source = withoutCommand(text)
  const signs = place === 'path' ? /[|(;{]/ : /[|(;[{]/
  if (source === undefined || !BEGINNING.test(source) || !signs.test(source)) return undefined
  const program = readJq(source)
  if (program === undefined || (place === 'path' && !hasCalls(source) && leads(text, on.document)))
    return undefined
  return (
    (program.isWhole ? onWhole('jq', program, on) : undefined) ??
    (place === 'where' ? onEach(program, source, text, on.document) : undefined)
  )
}

/** Conditions in an expression are read leniently, where all else in it is a path. */
function asJmespath(text: string, on: Input): Answer | undefined {
  const expression = readJmespath(text.trim())
  if (expression === undefined) return undefined
  const hasSigns = readJmespath(text.replaceAll(/\[\?[^\]]*\]/g, '[]')) !== undefined
  if (!hasSigns && leads(text, on.document)) return undefined
  const { fields, run } = expression
  const bounded = (input: JsonValue): JsonValue[] => {
    const value = run(input)
    if (isHuge(value)) throw new Refusal('JMESPath: the answer is too large. Select fewer records first.')
    return [value]
  }
  return onWhole('JMESPath', { fields, begins: () => true, run: bounded }, on)
}

/** `sum(//order/total)` of XPath, and `$..total.sum()` of JSONPath as Jayway's library has it. */
const CALL = /^(?:([a-z]+)\(\s*([$/].+?)\s*\)|(\$.+)\.([a-z]+)\(\))$/s

/** The value of a function of all the values that a path reaches. */
function asFunction(text: string, { document }: Input): Answer | undefined {
  const [, before, within, beside, behind = before] = CALL.exec(text.trim()) ?? []
  const path = within ?? beside
  if (path === undefined || behind === undefined) return undefined
  const isLength = /^(?:length|size)$/.test(behind)
  if (isLength && !isOfList(document, path)) return undefined
  const name = isLength ? 'count' : aggregateNamed(behind)?.aggregate.name
  const { error, content, metadata } = select.process(document, { path })
  if (name === undefined || error !== undefined) return undefined
  const computed = aggregate.process(content, { aggregate: [name === 'count' ? name : `${name}(@)`] })
  if (computed.error !== undefined) return undefined
  const notes = [...(metadata.notes ?? []), ...(computed.metadata.notes ?? [])]
  return { values: [...computed.content.rows().items], notes }
}

/** False where a length is that of a text, or of one object, and no count of what a path reaches. */
function isOfList(document: Document, path: string): boolean {
  const { reached } = safely(() => locate(document.json() ?? null, parsePath(path))) ?? { reached: [] }
  const areTexts = reached.some(({ value }) => typeof value === 'string')
  return !areTexts && (reached.length !== 1 || Array.isArray(reached[0]?.value))
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

function onWhole(
  language: string,
  program: Pick<Program, 'fields' | 'begins' | 'run'>,
  { document, whole, faults }: Input,
): Answer | undefined {
  for (const [name, input] of [
    [whole, document.json()],
    ['the list of records', recordsOf(document)],
  ] as const) {
    if (input === undefined || !program.begins(input)) continue
    const remarks: string[] = []
    const values = safely(
      () => program.run(input, (remark) => remarks.push(remark)),
      (why) => faults.push(why),
    )
    if (values === undefined || values.every((value) => value === null)) continue
    const [only] = values
    return {
      values: values.length === 1 && Array.isArray(only) ? only : values,
      notes: [`Run by ${language} on ${name}.`, ...remarks, ...unknownFields(program, input)],
    }
  }
  return undefined
}

/** The records that fulfil a condition of jq, where it is read in no other way. */
function onEach(
  { isCondition, begins }: Program,
  source: string,
  text: string,
  document: Document,
): Answer | undefined {
  const records = recordsOf(document)
  if (!isCondition || records === undefined || isRead(text, 'where', document)) return undefined
  if (!records.some(begins)) return undefined
  const condition = /^select\(/.test(source) ? source : `select(${source})`
  const program = readJq(`.[] | ${condition}`)
  const remarks: string[] = []
  const values = program && safely(() => program.run(records, (remark) => remarks.push(remark)))
  const notes = ['Run by jq on each record.', ...remarks]
  return values && { values, notes: [...notes, ...unknownFields(program, records)] }
}

function recordsOf(document: Document): JsonValue[] | undefined {
  return document.records() && [...document.rows().items]
}

const MOST_NAMES = 30

/** The remark on names that stand nowhere in the data: they are read as null. */
function unknownFields({ fields }: Pick<Program, 'fields'>, input: JsonValue): string[] {
  const wanted = new Set(fields)
  const names = new Set<string>()
  const ahead: JsonValue[] = [input]
  for (let value = ahead.pop(); value !== undefined && wanted.size > 0; value = ahead.pop()) {
    if (typeof value !== 'object' || value === null) continue
    if (!Array.isArray(value))
      for (const name of Object.keys(value)) {
        wanted.delete(name)
        if (names.size < MOST_NAMES) names.add(name)
      }
    for (const member of Object.values(value)) if (typeof member === 'object') ahead.push(member)
  }
  if (wanted.size === 0) return []
  return [`Nothing has ${listed([...wanted])}: read as null. There are: ${listed([...names], 12)}.`]
}

/** Values in an answer; an expression may name one part again and again. */
const MOST_VALUES = 5_000_000

function isHuge(answer: JsonValue): boolean {
  const ahead: JsonValue[] = [answer]
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
