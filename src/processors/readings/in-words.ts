/**
 * Aggregates, orders and fields in the words of people: `how many errors per service`, `newest first`, `everything except body`. They are
 * read so only where a step refuses them as they are written, and the answer says how.
 */
import type { Document } from '../../documents/document.ts'
import { fromTable } from '../../documents/opening/made.ts'
import { conditionInWords, fieldCalled, holdsNumbers, lastName } from '../../query/conditions/in-words.ts'
import { singular } from '../../query/fields/alike.ts'
import { formatPath } from '../../query/fields/path.ts'
import { otherRecords, type Records, recordsOf } from '../../query/fields/records.ts'
import { timeFields } from '../../query/fields/times.ts'
import { Refusal, shown } from '../../query/refusal.ts'
import { formatPlural } from '../../text/format.ts'
import { bareName } from '../../text/words/bare-name.ts'
import type { Asked } from '../parameters.ts'
import type { PipelineStep } from '../pipeline.ts'
import { attempted, withNotes } from '../step.ts'

/** Parameters in the words of the language, and what to say of them. */
interface Reread {
  params: Asked
  /** The records of another list, which they are about. */
  records?: Records
  notes: string[]
}

type Rereading = (asked: Asked, records: Records, document: Document) => Reread | undefined

/** The step; where it refuses, and its parameters are words of people, with those of the language in their place. */
export function orInWords(step: PipelineStep, reread: Rereading): PipelineStep {
  return {
    ...step,
    process(document, params) {
      const made = step.process(document, params)
      const records = made.error === undefined ? undefined : recordsOf(document)
      if (!records) return made
      return attempted(document, () => {
        const read = reread(params as Asked, records, document)
        const about = read?.records ? fromTable('record', read.records.table) : document
        const again = read && step.process(about, { ...(params as Asked), ...read.params })
        return read && again?.error === undefined && again ? withNotes(again, read.notes, 'before') : made
      })
    },
  }
}

function readAs(written: string, read: string): string {
  return `\`${shown(written)}\` read as \`${read}\`.`
}

// ---- Aggregates ---------------------------------------------------------------------------------------------------

/** `how many`, `number of orders per state`, `errors by service`, `namespace and phase` as keys. */
export const aggregatesInWords: Rereading = (asked, records, document) => {
  const [only = '', another] = asked.aggregate ?? []
  const other = another === undefined ? otherCounted(only, records, document) : undefined
  const read = countsInWords(asked, other ?? records)
  if (!read || !other) return read
  const notes = [`\`$.${formatPath(other.path)}\` was asked.`, ...read.notes]
  return { ...read, notes, records: other }
}

/** The other list that is called as what is counted: `users` of `how many users`. */
function otherCounted(written: string, records: Records, document: Document): Records | undefined {
  const [, words = ''] = COUNT.exec(written) ?? []
  const noun = singular(bareName(words.replace(KEYED, '$1')))
  if (noun === '' || document.json() === undefined || nounOf(records) === noun) return undefined
  return otherRecords(document).find((one) => nounOf(one) === noun)
}

/** The noun for the records of a list: the name of the list. */
function nounOf({ path }: Records): string {
  return singular(lastName(formatPath(path)))
}

const COUNT = /^(?:how\s+many|(?:the\s+)?(?:total\s+)?number\s+of|(?:the\s+)?count\s+of|count)(?:\s+(.+))?$/i
const KEYED = /^(.+?)\s+(?:per|by|for\s+each|in\s+each)\s+(.+)$/i
const SHARE = /^(?:percent(?:age)?|share|ratio|proportion|fraction)\s+of\s+(.+)$/i

function countsInWords({ aggregate = [], group_by = [] }: Asked, records: Records): Reread | undefined {
  const notes: string[] = []
  const keys: string[] = group_by.flatMap((key) => {
    const parts = key.replace(/^(?:by|per|each)\s+/i, '').split(/\s+(?:and|&)\s+/i)
    if (parts.length > 1 || parts[0] !== key) notes.push(readAs(key, parts.join(', ')))
    return parts
  })
  const calls = aggregate.map((written) => {
    const [, before = written, key] = KEYED.exec(written) ?? []
    const isKey = key !== undefined && group_by.length === 0
    const call = countIn(isKey ? before : written, isKey, records)
    if (call === undefined) return written
    if (isKey) keys.push(key)
    notes.push(`\`${shown(written)}\` read as \`${call.call}\`${call.note}`)
    return call.call
  })
  return notes.length === 0 ? undefined : { params: { aggregate: calls, group_by: keys }, notes }
}

/** Words for records of any kind. */
const RECORDS = /^(?:records?|rows?|items?|entries|entry|lines?|results?|elements?|data ?points?|points?)?$/i

/** The call that counts what the words name: records, records with a value, different values of a field, what a field adds up to. */
function countIn(
  written: string,
  isKeyed: boolean,
  records: Records,
): { call: string; note: string } | undefined {
  const [, part = ''] = SHARE.exec(written) ?? []
  const share = part === '' ? undefined : valueIn(part, records)
  if (share !== undefined) return { call: `percent(${share})`, note: '.' }
  const counted = COUNT.exec(written)
  if (!counted && !isKeyed) return undefined
  const words = (counted ? (counted[1] ?? '') : written).trim()
  if (RECORDS.test(words) || singular(bareName(words)) === nounOf(records))
    return { call: 'count', note: '.' }
  const [, different] = /^(?:unique|distinct|different)\s+(.+)$/i.exec(words) ?? []
  const field = fieldCalled(different ?? words, records, false)
  if (field !== undefined && different !== undefined) return { call: `distinct(${field})`, note: '.' }
  if (field !== undefined && singular(lastName(field)) === singular(bareName(words)))
    return { call: holdsNumbers(field, records) ? `sum(${field})` : `distinct(${field})`, note: '.' }
  const condition = valueIn(words, records)
  if (condition !== undefined) return { call: `count_if(${condition})`, note: '.' }
  if (!/^[a-z]{3,}s$/i.test(words)) return undefined
  const all = formatPlural(records.values.length, 'record')
  return { call: 'count', note: `: \`${words}\` is no field and no value, so all ${all} were counted.` }
}

/** The condition that a value is, also of its plural. */
function valueIn(words: string, records: Records): string | undefined {
  return conditionInWords(words, records) ?? conditionInWords(singular(words), records)
}

// ---- Orders -------------------------------------------------------------------------------------------------------

const DESCENDING =
  /\b(?:high(?:est)?\s+to\s+low(?:est)?|highest|largest|biggest|greatest|longest|most|newest|latest|(?:most\s+)?recent|desc(?:ending)?|decreasing|z\s*(?:-|to)\s*a)\b/i
const ASCENDING =
  /\b(?:low(?:est)?\s+to\s+high(?:est)?|lowest|smallest|shortest|least|fewest|oldest|earliest|asc(?:ending)?|increasing|alphabetical(?:ly)?|a\s*(?:-|to)\s*z)\b/i
const OF_TIME = /\b(?:newest|latest|recent|oldest|earliest)\b/i

/** `newest first`, `price high to low`, `most comments`. */
export const ordersInWords: Rereading = ({ sort = [] }, records) => {
  const written = sort.join(' ')
  const word = DESCENDING.exec(written) ?? ASCENDING.exec(written)
  if (!word) return undefined
  const rest = written
    .replace(word[0], ' ')
    .replaceAll(/\b(?:first|by|in|order|ordered|sort|sorted|the)\b|[,:]/gi, ' ')
    .trim()
  const field = rest === '' && OF_TIME.test(word[0]) ? timeIn(written, records) : fieldCalled(rest, records)
  if (field === undefined) return undefined
  const order = DESCENDING.test(written) ? `-${field}` : field
  return { params: { sort: [order] }, notes: [readAs(written, order)] }
}

/** The one field with times, of several the one that says when a record was made. */
function timeIn(written: string, records: Records): string | undefined {
  const [only, another] = timeFields(records)
  if (another === undefined) return only
  const made = fieldCalled('created', records)
  if (made === undefined)
    throw new Refusal(
      `\`${shown(written)}\` of which time? Write \`-${only}\` or \`${only}\`; there is also \`${another}\`.`,
    )
  return made
}

// ---- Fields -------------------------------------------------------------------------------------------------------

/** `everything except body`, `title and author`, `only the name`, `unique file`. */
export const fieldsInWords: Rereading = ({ fields = [] }, records) => {
  const written = fields.join(', ')
  const [, left] =
    /^(?:everything|all(?:\s+(?:the\s+)?fields)?)\s+(?:except|but|without)\s+(.+)$/i.exec(written) ?? []
  const [, unique] = /^(?:unique|different)\s+(.+)$/i.exec(written) ?? []
  const names = (left ?? unique ?? written.replace(/^(?:only|just)\s+|\s+only$/gi, ''))
    .split(/\s*,\s*(?:and\s+)?|\s+and\s+/i)
    .map((name) => fieldCalled(name, records))
  if (names.some((name) => name === undefined)) return undefined
  const found = names.filter((name) => name !== undefined)
  if (left !== undefined)
    return { params: { fields: [], exclude: found }, notes: [readAs(written, `exclude ${found.join(', ')}`)] }
  const [first = '', ...others] = found
  const read = unique === undefined ? found : [`distinct ${first}`, ...others]
  return { params: { fields: read }, notes: [readAs(written, read.join(', '))] }
}
