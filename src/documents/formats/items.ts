/** Items with fields below them, as servers write them for people: `1. **Title**`, then `   - State: open`. */

import { type JsonObject, type JsonValue, own, setOwn } from '../../protocol/json.ts'
import { tally } from '../../text/groups.ts'
import { indentOf, indexLines, type LineIndex } from '../../text/lines.ts'
import { asideOf, exactNumber } from './cells.ts'
import { defineFormat } from './define.ts'
import { withGroups } from './groups.ts'
import { withTailsBelow } from './tails.ts'
import { signsIn } from './task-signs.ts'

/** `1.`, `2)`, `**3.`, `[4]`, a bullet or a pictogram, and what the item says. */
const ITEM =
  /^([ \t]*)(?:(?:\*\*)?(\d{1,6})[.)]|\[(\d{1,6})\]|[-*+•▪●◆‣–]|(\p{Extended_Pictographic}\uFE0F?))[ \t]+(\S.*)$/u
/** `- **Key:** value`, `Key: value`, `📅 Key: value`. */
const FIELD =
  /^(?:[-*+•◦▪○‣–][ \t]+)?(?:[^\p{L}\p{N}\s*_`[(<"'#|\\-]{1,6}[ \t]*)?(?:\*\*|__)?(\p{L}[\p{L}\p{N} _./()&'-]{0,39}?)(?:\*\*|__)?[ \t]?:(?:\*\*|__)?(?:[ \t]+(\S.*))?$/u
/** Several fields in one line: `State: open | Priority: high`. */
const BESIDE = /[ \t]+[|•·][ \t]+/
/** Before a part with a sign in place of a key, in a line that begins with a sign: `📅 Due: 2025-11-03  👤 ana`. */
const SIGN = String.raw`\p{Extended_Pictographic}\uFE0F?[ \t]`
const [BEFORE_SIGN, SIGNED] = [new RegExp(`(?<![ \\t])[ \\t]+(?=${SIGN})`, 'u'), new RegExp(`^${SIGN}`, 'u')]
const LINK = /!?\[([^[\]]{1,300})\]\(([^\s()]{1,1000})\)/
/** `**[Key](address):** value`: the key leads somewhere. */
const LINKED_KEY = /(?<=^(?:[-*+•][ \t]+)?\*\*)\[([^[\]]{1,40})\]\([^\s()]{1,1000}\)(?=:?\*\*)/
const BULLET = /^[ \t]*[-*+•◦▪○‣–][ \t]+/
/** A field that is marked as one may be of one item alone. */
export const MARKED = /^[ \t]*(?:[-*+•◦▪○‣–][ \t]+|\*\*\S)/
/** A number of four digits may be a year. */
export const COUNT = / \((?!(?:19|20)\d\d\))(\d{1,6})\)$/
const RULE = /^[ \t]*(?:-{3,}|={3,}|\*{3,}|_{3,})[ \t]*$/
/** `## Open`, `**Open**`, `Open (5):`. */
const HEADING = /^(?:#{1,6}[ \t]+(\S.{0,200}?)(?:[ \t]#+)?|\*\*([^*]{1,200})\*\*:?|(\S.{0,100}?):)[ \t]*$/
/** `[x] Write the report`, and `[ ]` where it is not done. */
const TASK = /^\[([ xX])\][ \t]+(?=\S)/
/** `Write the report (ID: 17)`, `Write the report - ID: 17`. */
const IDENTIFIED =
  /(?:\((id|gid|key|ref|uuid|guid|number): ([^()]{1,80})\)| [-–—|] (id|gid|key|ref|uuid|guid|number): (\S{1,80}))$/i
/** Around code, which has lists of its own. */
const FENCE = /^[ \t]*(?:`{3}|~{3})/
const LONGEST = 4_096
/** Items that there must be, the share of them with a field in common, and the share of fields among the lines within them. */
const LEAST = 3
const COMMON = 0.6
const FIELDS = 0.4
/** Lines that may stand among the items without being of one, as a share. */
const OTHERS = 0.2
const MOST_FIELDS = 60
/** Lines around the items that a preview tells. */
const MOST_TOLD = 6

export interface Field {
  readonly key: string
  readonly value: string
}

/** The words of a line that says what those below it are. */
export function headingIn(line: string): string | undefined {
  const [, marked, bold, above] = HEADING.exec(line) ?? []
  return marked ?? bold ?? above
}

const APART = [': ', ':\n', ':\t', ':**', ':__', ':\r']
const TASKS = ['[ ] ', '[x] ', '[X] ']

/**
 * Whether a text may say fields, or be a list of tasks: an address has colons, too, but nothing apart behind them. Looking is much quicker
 * than reading lines.
 */
export function maySayFields(text: string): boolean {
  return [...APART, ...TASKS].some((mark) => text.includes(mark))
}

/** The fields that a line says; none where it is no field. */
export function fieldsAt(line: string): readonly Field[] {
  if (line.length > LONGEST || !line.includes(':')) return []
  const whole = fieldIn(line)
  if (!whole) return []
  const said = line.trim()
  const parts = SIGNED.test(said) ? said.split(BEFORE_SIGN).map(signedIn) : said.split(BESIDE).map(fieldIn)
  return parts.every((part) => part !== undefined) ? parts : [whole]
}

function signedIn(part: string): Field | undefined {
  const [sign = '', ...words] = part.split(/[ \t]+/)
  return fieldIn(part) ?? (SIGNED.test(part) ? { key: sign, value: words.join(' ') } : undefined)
}

/** The field that a text says; undefined where it is none. */
export function fieldIn(text: string): Field | undefined {
  const [, key, value = ''] = FIELD.exec(withoutLink(text.trim())) ?? []
  // A title in bold letters may have a colon in it.
  if (value.endsWith('**') && !value.slice(0, -2).includes('**')) return undefined
  // An address has a colon as well.
  if (key === undefined || value.startsWith('//')) return undefined
  // The colon stands in brackets behind a title: `Write the report (ID: 7)`.
  if (key.lastIndexOf('(') > key.lastIndexOf(')')) return undefined
  // `Authors (3):` says how many stand below it.
  return { key: (value === '' ? key.replace(COUNT, '') : key).trim(), value: value.trim() }
}

function withoutLink(text: string): string {
  return text.includes('**[') ? text.replace(LINKED_KEY, '$1') : text
}

/** The value of a field: without the marks of Markdown around it, a number where it comes back as written. */
function valueOfField(written: string): JsonValue {
  const bare = /^(?:`([^`]*)`|\*\*([^*]*)\*\*)$/.exec(written)
  const text = bare?.[1] ?? bare?.[2] ?? written
  return exactNumber(text) ?? text
}

/** An item with the lines below it, before its fields are told from its text. */
interface Lines {
  readonly line: number
  /** The line above this and the items next to it that says what they are. */
  readonly heading: string
  readonly number: number | undefined
  /** The pictogram before it. */
  readonly sign: string | undefined
  readonly said: string
  readonly below: string[]
}

interface Found {
  readonly items: readonly Lines[]
  /** The key that each item begins with, in place of a title. */
  readonly leading: string | undefined
  readonly isKey: (key: string) => boolean
  /** Items stand below several headings. */
  readonly isHeaded: boolean
  /** The lines around the items: how many there are in all, where the next ones are. */
  readonly around: readonly string[]
}

/**
 * The items among lines of a text that consist of nothing much else; undefined for all others. `leastTasks`: as many tasks are a list, be
 * they few, for a part of a text may have one.
 */
export function findItems(lines: LineIndex, from: number, to: number, leastTasks = LEAST): Found | undefined {
  const items: Lines[] = []
  const headings = new Set<string>()
  const around: string[] = []
  let [margin, seen, heading] = [-1, 0, '']
  let [isApart, isCode] = [false, false]
  // Fields that are set in below a heading are of that heading.
  let [isBelow, ofHeadings] = [false, 0]
  let opener: string | undefined
  for (let index = from; index < to; index++) {
    const line = lines.at(index).slice(0, LONGEST)
    const isFence = FENCE.test(line) && indentOf(line) <= Math.max(0, margin)
    if (isFence) isCode = !isCode
    if (line.trim() === '' || RULE.test(line) || isFence || isCode) {
      isApart = true
      continue
    }
    seen += 1
    const [, indent = '', number, marked, sign, said = ''] = ITEM.exec(line) ?? []
    // A colon in a title makes no field of it: it begins as the items before it do.
    const isField = sign !== undefined && sign !== opener && fieldsAt(line).length > 0
    const isItem = said !== '' && !isField && (margin < 0 ? indent.length < 4 : indent.length === margin)
    if (isItem) {
      margin = indent.length
      isBelow = false
      opener ??= sign
      const place = { line: index + 1, heading, number: exactNumber(number ?? marked ?? ''), sign }
      items.push({ ...place, said, below: [] })
    } else {
      const last = items.at(-1)
      const isSetIn = last !== undefined && indentOf(line) > margin
      const isWithin =
        last &&
        (isSetIn ||
          (!isApart && fieldsAt(line).length > 0) ||
          (headingIn(line) === undefined && goesOn(lines, index, to, last.below, isApart)))
      const title = isWithin ? undefined : headingIn(line)
      if (isBelow && isSetIn && fieldsAt(line).length > 0) ofHeadings += 1
      isBelow = title !== undefined
      if (isWithin) last.below.push(...(isApart && isSetIn ? ['', line] : [line]))
      else if (title !== undefined) {
        heading = title
        headings.add(heading)
      } else {
        around.push(line)
        if (around.length > MOST_BEFORE && items.length === 0) return undefined
      }
    }
    isApart = false
  }
  const [first] = items
  if (first && isTitleOf(first, items.slice(1))) {
    items.shift()
    headings.add(titleIn(first.said).title)
  }
  const areTasks = items.filter(({ said }) => TASK.test(said)).length >= items.length * NEARLY
  const least = areTasks ? leastTasks : LEAST
  if (items.length < least || around.length > Math.max(MOST_AROUND, seen * OTHERS)) return undefined
  // Then the headings are the records, and what looks like items stands in their values.
  if (ofHeadings > items.length) return undefined
  const whole = withWholeValues(lines, items)
  setInBroken(whole)
  const leading = leadingKey(whole)
  const keysOf = (all: readonly Lines[]) => sharedKeys(all.map(({ below }) => below))
  const paired = withPairsApart(whole)
  if (!areTasks && keysOf(paired) === undefined) return undefined
  // Where each begins with a field, there is no title before a tail.
  const apart = leading === undefined ? withTailsBelow(paired) : paired
  const isKey = keysOf(apart) ?? (() => false)
  const isHeaded = headings.size > 1
  // A heading of all says of all what it is.
  return { items: apart, leading, isKey, isHeaded, around: isHeaded ? around : [...headings, ...around] }
}

/** `📋 **Tasks** (60)`, with a sign of its own or the number of items below. */
function isTitleOf({ below, said, sign }: Lines, items: readonly Lines[]): boolean {
  const [, count] = (below.length === 0 && COUNT.exec(said)) || []
  const isOwn = sign !== undefined && items.every((item) => item.sign !== sign)
  return count !== undefined && (isOwn || count === String(items.length))
}

/** `Write the report (ID: 17)`, `"Standup" (Starts: 2025-09-01)`: the key in brackets behind a title. */
const BRACKETED = /[ "]\((\p{L}[\p{L}\p{N} _]{0,30}): /u
/** The share of lines that look like items and have the form of the first one: the others stand within values. */
const FORMED = 0.2
const APART_FORM = 'apart'

/** How an item begins and ends, and whether it stands apart from the line above it. */
function formsOf(lines: LineIndex, { line, number, said }: Lines): string[] {
  const key = BRACKETED.exec(said)?.[1]
  const isApart = line < 2 || lines.at(line - 2).trim() === ''
  return [
    number === undefined ? 'bullet' : 'number',
    ...(isApart ? [APART_FORM] : []),
    ...(key === undefined ? [] : [`(${key}:`]),
    ...(/^["*[]/.test(said) ? [said.charAt(0)] : []),
  ]
}

/** The items without lines that only look like items, for they lack the form of all others. These are part of the value above them. */
function withWholeValues(lines: LineIndex, items: readonly Lines[]): readonly Lines[] {
  const [first] = items
  if (!first || items.every(({ below }) => below.length === 0)) return items
  let whole = items
  for (const form of new Set([...formsOf(lines, first), APART_FORM]))
    whole = joinedBy(form, lines, whole) ?? whole
  return whole
}

/**
 * The items of a form, with the others as lines of their values. Undefined where one of the others may be an item of its own. Such a line
 * stands behind no field, the fields below it are said already, or plain items have none of them.
 */
function joinedBy(form: string, lines: LineIndex, items: readonly Lines[]): readonly Lines[] | undefined {
  const areFormed = items.map((item, at) => at === 0 || formsOf(lines, item).includes(form))
  const count = areFormed.filter(Boolean).length
  if (count === items.length || count < Math.max(LEAST, items.length * FORMED)) return undefined
  const found = items.filter((_, at) => areFormed[at])
  const indent = usualIndent(found)
  const keysIn = (below: readonly string[]): string[] =>
    below.flatMap((line) => (indentOf(line) === indent ? fieldsAt(line).map(({ key }) => key) : []))
  if (indent === 0) return undefined
  const [plain, following] = [new Set<string>(), new Set<string>()]
  const [goingOn, ending] = [new Set<string>(), new Set<string>()]
  const joined: Lines[] = []
  let [key, own]: [string | undefined, Set<string>] = [undefined, new Set()]
  for (const [at, item] of items.entries()) {
    const keys = keysIn(item.below)
    const last = joined.at(-1)
    if (areFormed[at] || !last) {
      joined.push({ ...item, below: [...item.below] })
      ;[key, own] = [keys.at(-1), new Set(keys)]
      if (areFormed[at + 1] !== false) for (const one of own) plain.add(one)
      continue
    }
    if (key === undefined || keys.some((one) => own.has(one))) return undefined
    // A value that ends an item goes on as others of its key do that fields stand below.
    if (keys.length > 0) goingOn.add(key)
    else if (areFormed[at + 1] !== false) ending.add(key)
    // A finished value is followed by another item.
    if (keys.length > 0 && !isOpen(last.below)) return undefined
    last.below.push(`${' '.repeat(indent + 1)}${lines.at(item.line - 1).trim()}`)
    for (const line of item.below) last.below.push(line)
    for (const one of keys) {
      own.add(one)
      following.add(one)
    }
    key = keys.at(-1) ?? key
  }
  const areKnown = [...following].every((one) => plain.has(one))
  return areKnown && [...ending].every((one) => goingOn.has(one)) ? joined : undefined
}

/** How far the first fields of nearly all items are set in; 0 where they have nothing in common. */
function usualIndent(items: readonly { readonly below: readonly string[] }[]): number {
  const counts = new Map<number, number>()
  for (const { below } of items) {
    const first = below.find((line) => fieldsAt(line).length > 0)
    if (first !== undefined) counts.set(indentOf(first), (counts.get(indentOf(first)) ?? 0) + 1)
  }
  const [[indent, count] = [0, 0]] = [...counts].sort(([, a], [, b]) => b - a)
  return count < items.length * NEARLY ? 0 : indent
}

/**
 * Whether lines at the margin stand within an item, for below them comes a field that is set in as its first one is. Behind an empty line
 * that field is one that the item lacks.
 */
function goesOn(
  lines: LineIndex,
  index: number,
  to: number,
  below: readonly string[],
  isApart: boolean,
): boolean {
  const indent = indentOf(below[0] ?? '')
  if (indent === 0 || (isApart && (below.length > MOST_FIELDS || !isOpen(below)))) return false
  for (let at = index + 1; at < Math.min(to, index + MOST_BROKEN); at++) {
    const line = lines.at(at).slice(0, LONGEST)
    if (line.trim() === '' || ITEM.test(line)) return false
    if (indentOf(line) !== indent) continue
    const fields = fieldsAt(line)
    if (!isApart) return fields.length > 0
    const keys = new Set(
      below.flatMap((one) => (indentOf(one) === indent ? fieldsAt(one) : [])).map(({ key }) => key),
    )
    return fields.length > 0 && fields.every(({ key }) => !keys.has(key))
  }
  return false
}

/** Whether the last of the lines may go on: it is no field, or one with several words, or with nothing yet. */
function isOpen(below: readonly string[]): boolean {
  const last = fieldsAt(below.at(-1) ?? '').at(-1)
  return last === undefined || last.value === '' || /\S\s+\S|:$/.test(last.value)
}

/** Lines that a value may have at the margin. */
const MOST_BROKEN = 8

/**
 * Where the fields of nearly all items are set in alike, a line that is set in less goes on with the value above it. It is set in more
 * here.
 */
function setInBroken(items: readonly { readonly below: string[] }[]): void {
  const indent = usualIndent(items)
  if (indent === 0) return
  for (const { below } of items)
    for (let at = 1; at < below.length; at++) {
      const line = below[at] ?? ''
      if (line === '' || below[at - 1] === '' || indentOf(line) >= indent) continue
      // A line behind the last field may be of no item.
      const next = below.slice(at + 1, at + MOST_BROKEN).find((one) => one === '' || indentOf(one) === indent)
      if (next === undefined || next === '') continue
      below[at] = `${' '.repeat(indent + 1)}${line.trimStart()}`
    }
}

/** `Type: string, Length: 18`: a short value, and behind a comma another key. */
const TWO_PAIRS =
  /^([ \t]*(?:[-*+•][ \t]+)?)(\p{L}[\p{L}\p{N} _]{0,30}: [^,:]{1,40}), (\p{L}[\p{L}\p{N} _]{0,30})(: \S.*)$/u

/** The pairs of a line, each with what stands before the first one; the line itself where it has no two. */
function pairsIn(line: string): string[] {
  if (!line.includes(', ')) return [line]
  const pairs: string[] = []
  let [indent, rest] = ['', line]
  for (
    let parted = TWO_PAIRS.exec(line);
    parted && pairs.length < MOST_PAIRS;
    parted = TWO_PAIRS.exec(rest)
  ) {
    indent ||= parted[1] ?? ''
    pairs.push(indent + parted[2])
    rest = `${parted[3]}${parted[4]}`
  }
  return pairs.length === 0 ? [line] : [...pairs, indent + rest]
}

const MOST_PAIRS = 12

/**
 * The items with each pair on a line of its own, where several of them have such pairs beside each other. The first one has a value of a
 * few kinds, for a sentence may have a comma and a colon. A key that stands on lines of its own stays there.
 */
function withPairsApart(items: readonly Lines[]): readonly Lines[] {
  const lines = items.flatMap(({ below }) => below)
  const beside = lines.map(pairsIn).filter(({ length }) => length > 1)
  if (beside.length < LEAST) return items
  const keyOf = (line = ''): string => fieldIn(line)?.key ?? ''
  const own = new Set(lines.map(keyOf))
  const counts = tally(beside.flatMap(([, ...others]) => others.map(keyOf)))
  const kinds = new Map<string, Set<string>>()
  for (const [first = ''] of beside) {
    const found = kinds.get(keyOf(first)) ?? new Set()
    kinds.set(keyOf(first), found.add(first.trim()))
  }
  const areKinds = (first = ''): boolean => (kinds.get(keyOf(first))?.size ?? 0) * LEAST <= beside.length
  const isApart = (pair: string): boolean => !own.has(keyOf(pair)) && (counts.get(keyOf(pair)) ?? 0) >= LEAST
  return items.map((item) => ({
    ...item,
    below: item.below.flatMap((line) => {
      const [first, ...others] = pairsIn(line)
      return areKinds(first) && others.every(isApart) ? [first ?? line, ...others] : [line]
    }),
  }))
}

/** A line before the items and one behind them, however few these are; and lines before the first item. */
const MOST_AROUND = 2
const MOST_BEFORE = 8

/**
 * Which keys are fields of records, each given by its lines: those of several records, and where nearly all lines are fields any. Undefined
 * where the records have none in common, or most lines are no fields.
 */
function sharedKeys(records: readonly (readonly string[])[]): ((key: string) => boolean) | undefined {
  const counts = new Map<string, number>()
  let [fields, seen] = [0, 0]
  for (const lines of records) {
    const own = new Set<string>()
    for (const line of lines) {
      if (line === '') continue
      seen += 1
      const found = fieldsAt(line)
      if (found.length > 0) fields += 1
      for (const { key } of found) own.add(key)
    }
    for (const key of own) counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  const most = Math.max(0, ...counts.values())
  if (most < LEAST || most < records.length * COMMON || fields < seen * FIELDS) return undefined
  const isAlways = fields >= seen * NEARLY
  return (key) => isAlways || (counts.get(key) ?? 0) > 1
}

const NEARLY = 0.9

/** The key of `- Name: one`, where nearly all items begin with it. */
function leadingKey(items: readonly Lines[]): string | undefined {
  const [first] = items
  const key = first && fieldIn(first.said)?.key
  const alike = items.filter(({ said }) => fieldIn(said)?.key === key).length
  return key !== undefined && alike >= items.length * NEARLY ? key : undefined
}

/** Records `{line, heading?, number?, done?, title, …signs, href?, …fields, text?}`; in place of a title the field that each item begins with. */
export function itemRecords({ items, leading, isKey, isHeaded }: Found): JsonObject[] {
  const areKinds = new Set(items.map(({ sign }) => sign)).size > 1
  const records = items.map(({ line, heading, number, sign, said, below }) => {
    const record: JsonObject = {
      line,
      ...(isHeaded ? { heading } : {}),
      ...(areKinds && sign !== undefined ? { sign } : {}),
      ...(number === undefined ? {} : { number }),
    }
    if (leading === undefined) addTitle(record, said)
    else for (const { key, value } of fieldsAt(said)) setOwn(record, key, valueOfField(value))
    const rest = addFields(record, below, (key, line) => isKey(key) || MARKED.test(line))
      .map((line) => line.trim())
      .filter((line) => line !== '')
    if (rest.length > 0) record[own(record, 'text') === undefined ? 'text' : '_text'] = rest.join('\n')
    return record
  })
  return withGroups(records)
}

function addTitle(record: JsonObject, written: string): void {
  const mark = TASK.exec(written)?.[1]
  if (mark !== undefined) record.done = mark !== ' '
  const said = written.replace(TASK, '')
  const { title, href, id } = titleIn(said)
  Object.assign(record, { title }, mark === undefined ? {} : signsIn(said))
  if (id) setOwn(record, id.key, id.value)
  if (href !== undefined) record.href = href
}

/** The words of a title without their marks, where they lead to, and the identifier behind them. */
export function titleIn(said: string): {
  title: string
  href?: string
  id?: { key: string; value: JsonValue }
} {
  const [whole, words, href] = LINK.exec(said) ?? []
  const text = whole === undefined ? said : said.replace(whole, words ?? '')
  const title = text.replaceAll('**', '').trim()
  const [identified = '', bracketed, inner, key = bracketed, id = inner] = IDENTIFIED.exec(title) ?? []
  return {
    title: title.slice(0, title.length - identified.length).trimEnd(),
    ...(href === undefined ? {} : { href }),
    ...(key !== undefined && id !== undefined ? { id: { key, value: valueOfField(id) } } : {}),
  }
}

/** Whether a line is the first of a list, below one that names it. */
export function isList(name: string, line: string | undefined): boolean {
  return line !== undefined && BULLET.test(line) && (indentOf(line) > indentOf(name) || !BULLET.test(name))
}

/**
 * Adds the fields that lines say outside of code, and returns the other lines. A field without a value has the lines that are set in below
 * it, or the list there.
 */
export function addFields(
  record: JsonObject,
  lines: readonly string[],
  isKey: (key: string, line: string) => boolean,
): string[] {
  const rest: string[] = []
  let isCode = false
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    if (FENCE.test(line)) isCode = !isCode
    const said = isCode ? [] : fieldsAt(line)
    const fields = said.some(({ key }) => isKey(key, line))
      ? said.filter(({ key }) => own(record, key) === undefined)
      : []
    if (fields.length === 0 || Object.keys(record).length > MOST_FIELDS) {
      // Empty lines around a field stay one.
      if (line !== '' || isCode || rest.at(-1) !== '') rest.push(line)
      continue
    }
    for (const { key, value } of fields) setOwn(record, key, valueOfField(value))
    const [only] = fields
    if (!only || fields.length > 1) continue
    const inner: string[] = []
    // A paragraph of its own is no part of a value.
    if (only.value === '' && lines[at + 1] === '') at += 1
    const isWithin =
      only.value === '' && isList(line, lines[at + 1])
        ? (next: string): boolean => isList(line, next) || indentOf(next) > indentOf(line)
        : (next: string): boolean => indentOf(next) > indentOf(line)
    while (isWithin(lines[at + 1] ?? '')) inner.push(lines[++at] ?? '')
    if (inner.length === 0) continue
    const held = listIn(inner)
    const isValue = only.value === '' && held !== undefined
    setOwn(
      record,
      only.key,
      isValue ? held : [only.value, ...inner.map((one) => one.trim())].filter(Boolean).join('\n'),
    )
  }
  return rest
}

/** The values of lines that are a list; undefined where they are not. */
export function listIn(lines: readonly string[]): JsonValue[] | undefined {
  return lines.length > 0 && lines.every((line) => BULLET.test(line))
    ? lines.map((line) => valueOfField(line.replace(BULLET, '').trim()))
    : undefined
}

/** Tried after Markdown. Never takes lists of items that have no field in common. */
export const items = defineFormat<Found>({
  name: 'items',
  family: 'entries',
  detect(text) {
    const lines = indexLines(text)
    return findItems(lines, 0, lines.count)
  },
  read: (_, found) => itemRecords(found),
  asides: (_, { around }) => around.slice(0, MOST_TOLD).map(asideOf),
})
