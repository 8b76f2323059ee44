/** Texts of records with `Key: value` on their lines. They begin with the same key, stand between separators, or are set in below headings. */
import { isObject, type JsonObject, type JsonValue, own, setOwn } from '../../protocol/json.ts'
import { indentOf, indexLines, type LineIndex } from '../../text/lines.ts'
import { overviewOfEntries } from '../overview/entries.ts'
import { findAlike } from './alike.ts'
import { withFieldsApart } from './beside.ts'
import { asideOf, exactNumber, freeName } from './cells.ts'
import { BEGINNING, defineFormat } from './define.ts'
import { COUNT, headingIn, titleIn } from './items.ts'
import { isNumbered, withNumbers } from './numbered.ts'
import { stringOf } from './python.ts'
import { readAligned } from './table.ts'

// `Key: value`, `- **Key:** value`, `key<tab>: value`; `key:: value` of LDIF is in base64 (RFC 2849).
const PAIR =
  /^([-*•] +)?(?:\*\*([A-Za-z][\w ./()-]{0,39}?)(?::\*\*|\*\*\s*:)|([A-Za-z][\w ./()-]{0,39}?)\s*::?)(?:\s+(.*))?$/
/** Rules between values and records. */
const RULE = /^[ \t]*(?:(?:-{3,}|={3,})[ \t]*)?$/
/** A line between records that says nothing: `---`, `=`, `<<<SEPARATOR>>>`. */
const SEPARATOR =
  /^(?:={1,200}|-{3,200}|[*_~#+]{3,200}|[<[{(=*-]{2,40} ?[A-Z][A-Z _]{1,30} ?[>\]})=*-]{2,40})$/
/** Kinds of such lines that are tried, the most frequent first: one may stand within records. */
const MOST_SEPARATORS = 3
const LONGEST = 16_384
/** Lines in which the first key is looked for, and records that there must be. */
const MOST_BEFORE = 40
const LEAST = 3
/** Lines that are looked at to decide. */
const SAMPLE = 2_000
/** The fields for a line above the first key of a record, and for other lines there. */
const HEADING = 'heading'
const TEXT = 'text'
/** The share of records that have a key, for it to be one, and for most to have it. */
const COMMON = 0.2
const MOST = 0.6
/** The share of parts between separators that may be none of records. */
const OTHERS = 0.1

interface Pair {
  readonly key: string
  readonly value: string
  /** Behind the mark of a list. */
  readonly isListed: boolean
  /** How many entries stand below it, as `Messages (9):` says. */
  readonly count?: string | undefined
}

/** Where records are, and which pairs are their fields. */
interface Layout {
  readonly isKey: (pair: Pair) => boolean
  /** Whether a line may head a record: it is not one of the keys that most have. */
  readonly isHead: (line: number) => boolean
  /** Keys of the text, by which the product names no fields of its own. */
  readonly names: ReadonlySet<string>
  /** The lines that each record begins with, and the line behind the last one. */
  readonly starts: () => readonly number[]
  readonly separator: string | undefined
}

interface Stanzas {
  readonly read: () => JsonValue[]
  /** The lines above the first record and below the last one. */
  readonly around: () => readonly string[]
}

/** The records, or undefined when the text is something else. `line` is a record's first, counted from 1. */
function readStanzas(text: string): Stanzas | undefined {
  const lines = indexLines(text)
  const layout = separated(lines) ?? begunOrHeaded(lines)
  if (layout) return inLayout(lines, layout)
  const blocks = readHeadedBlocks(lines)
  if (blocks) return { read: () => blocks().records, around: () => blocks().around.slice(0, MOST_TOLD) }
  const isLikely = hasSeparators(lines) && separated(indexLines(withKeysAtMargin(text.slice(0, BEGINNING))))
  const atMargin = isLikely ? indexLines(withKeysAtMargin(text)) : undefined
  const apart = atMargin && separated(atMargin)
  return apart && inLayout(atMargin, apart)
}

/** The blanks or marks before keys that are set in, or marked: `>> Issue: …`, `   Severity: High`. One mark quotes a mail. */
const BEFORE_KEY = /^(>{2,3} |[ \t]{1,4})(?=[A-Za-z][\w ./()-]{0,39}:(?:[ \t]|$))/gm

/** Keys at the margin. Keys that are set in further than the first one stay within its value. */
function withKeysAtMargin(text: string): string {
  let indent: string | undefined
  return text.replace(BEFORE_KEY, (before) => {
    if (before.startsWith('>')) return ''
    indent ??= before
    return before === indent ? '' : before
  })
}

/** The records of a layout, and the lines around them. */
function inLayout(lines: LineIndex, layout: Layout): Stanzas {
  let starts: readonly number[] | undefined
  const found = (): readonly number[] => {
    starts ??= withoutFooter(lines, layout)
    return starts
  }
  return {
    read: () => records(lines, layout, found()),
    around: () => [
      ...between(lines, 0, found()[0] ?? 0),
      ...between(lines, found().at(-1) ?? 0, lines.count),
      ...behindComment(lines),
    ],
  }
}

/** Lines around the records that a preview shows. */
const MOST_TOLD = 12

function between(lines: LineIndex, from: number, to: number): string[] {
  const found: string[] = []
  for (let at = from; at < to && found.length < MOST_TOLD; at++)
    if (lines.at(at).trim() !== '' && !isSeparator(lines, at)) found.push(lines.at(at))
  return found
}

/** The last lines of a text that begins with a comment, from a comment below the records on: how many entries were found. */
function behindComment(lines: LineIndex): string[] {
  if (!lines.at(0).startsWith('#')) return []
  const last = Array.from({ length: Math.min(MOST_BEHIND, lines.count - 1) }, (_, at) =>
    lines.at(lines.count - 1 - at),
  ).reverse()
  const from = last.findIndex((line) => line.startsWith('#'))
  return from < 0 ? [] : last.slice(from).filter((line) => line.trim() !== '')
}

const MOST_BEHIND = 8

function pairAt(lines: LineIndex, index: number): Pair | undefined {
  if (lines.end(index) - lines.start(index) > LONGEST) return undefined
  const line = lines.at(index)
  const [, listed, marked, bare, value = ''] = (line.includes(':') ? PAIR.exec(line) : undefined) ?? []
  const key = marked ?? bare
  // A bracket that stays open holds the colon: `To do (ID: 11)`.
  if (key === undefined || /^https?$/i.test(key) || key.lastIndexOf('(') > key.lastIndexOf(')'))
    return undefined
  const isListed = listed !== undefined
  const [said, count] = (value === '' ? COUNT.exec(key) : undefined) ?? []
  return said === undefined
    ? { key, value, isListed }
    : { key: key.slice(0, -said.length), value, isListed, count }
}

function isEmpty(lines: LineIndex, index: number): boolean {
  return lines.at(index).trim() === ''
}

function isSeparator(lines: LineIndex, index: number): boolean {
  return lines.end(index) - lines.start(index) < 300 && SEPARATOR.test(lines.at(index).trim())
}

/** Keys that most records have, and a test for them and for others of several records that are written alike. */
function keysAmong(
  counts: ReadonlyMap<string, number>,
  listed: ReadonlySet<string>,
  all: number,
): { shared: string[]; isKey: (pair: Pair) => boolean } {
  const shared = [...counts].flatMap(([key, count]) => (count >= all * MOST ? key : []))
  const isUpper = (key: string): boolean => /^\p{Lu}/u.test(key)
  const areUpper = shared.length >= LEAST && shared.every(isUpper)
  const areBare = shared.filter((key) => listed.has(key)).length < shared.length / 2
  const keys = new Set(
    [...counts].flatMap(([key, count]) =>
      count >= Math.max(2, all * COMMON) && (!areUpper || isUpper(key)) ? key : [],
    ),
  )
  return { shared, isKey: ({ key, isListed }) => keys.has(key) && !(areBare && isListed) }
}

// Records with a line between them that says nothing.

function hasSeparators(lines: LineIndex): boolean {
  let count = 0
  for (let index = 0; index < Math.min(lines.count, SAMPLE) && count < LEAST; index++)
    if (isSeparator(lines, index)) count += 1
  return count >= LEAST
}

/** Undefined where no such line stands between the records of a text. */
function separated(lines: LineIndex): Layout | undefined {
  const sampled = Math.min(lines.count, SAMPLE)
  const counts = new Map<string, number>()
  for (let index = 0; index < sampled; index++) {
    if (!isSeparator(lines, index)) continue
    const line = lines.at(index).trim()
    counts.set(line, (counts.get(line) ?? 0) + 1)
  }
  const usual = [...counts].filter(([, count]) => count >= LEAST).sort(([, one], [, other]) => other - one)
  for (const [separator] of usual.slice(0, MOST_SEPARATORS)) {
    const layout = separatedBy(separator, lines, sampled)
    if (layout) return layout
  }
  return undefined
}

function separatedBy(separator: string, lines: LineIndex, sampled: number): Layout | undefined {
  const written = partsBetween(lines, separator, sampled)
  const beginning = beginningOf(lines, written)
  const parts = beginning ? wholeParts(lines, written, beginning) : written
  const saying = parts.map(([from, to]) =>
    pairsWithin(lines, from, to).filter(({ key }) => beginning?.keys.has(key) !== false),
  )
  const [said, listed] = [new Map<string, number>(), new Set<string>()]
  let again = 0
  for (const pairs of saying) {
    const own = new Set(pairs.map(({ key }) => key))
    for (const key of own) said.set(key, (said.get(key) ?? 0) + 1)
    for (const { key, isListed } of pairs) if (isListed) listed.add(key)
  }
  const { shared, isKey } = keysAmong(said, listed, parts.length)
  if (shared.length < 2) return undefined
  const usual = new Set(shared)
  const isShared = (key = ''): boolean => usual.has(key)
  const beginsWithKey = (at: number): boolean => isShared(pairAt(lines, at)?.key)
  const headed = parts.filter(([at]) => {
    const pair = pairAt(lines, at)
    return !pair || !isKey(pair)
  })
  const areHeaded = headed.length > parts.length / 2
  let records = 0
  for (const [nth, pairs] of saying.entries()) {
    const keys = pairs.flatMap(({ key }) => (isShared(key) ? key : []))
    if (keys.length > 0) records += 1
    const isAgain = new Set(keys).size < keys.length - 1
    if (isAgain && !isSaidAgain(lines, parts[nth], pairs, beginning)) again += 1
  }
  // Several records in a part are told apart by something else.
  const others = parts.length - records
  if (records < LEAST || again > records * COMMON || others > Math.max(2, parts.length * OTHERS))
    return undefined
  const isHead = (at: number): boolean => areHeaded && !beginsWithKey(at)
  const isRecord = (from: number, to: number): boolean => {
    const keys = new Set(pairsWithin(lines, from, to).flatMap(({ key }) => (isShared(key) ? key : [])))
    return keys.size >= shared.length / 2
  }
  const begins = (at: number, to: number): boolean => {
    const pair = pairAt(lines, at)
    if (!areHeaded) return pair !== undefined && isKey(pair)
    const next = firstOf(at + 1, to, (line) => !isEmpty(lines, line))
    return isHead(at) && next !== undefined && beginsWithKey(next)
  }
  const starts = (): number[] => {
    const between = partsBetween(lines, separator, lines.count)
    const all = beginning ? wholeParts(lines, between, beginning) : between
    const [first, last] = [all[0], all.at(-1)]
    const start = first && startOfFirst(lines, first, begins, isRecord)
    const isOne = (part: Lines): boolean => begins(...part) || isRecord(...part)
    const isFooter = last !== undefined && !isOne(last)
    // A rule within a value parts no records.
    const within = all.slice(1, isFooter ? -1 : undefined).flatMap((part) => (isOne(part) ? part[0] : []))
    return [
      ...(start === undefined ? [] : [start]),
      ...within,
      (isFooter ? last[0] : last?.[1]) ?? lines.count,
    ]
  }
  return { isKey, isHead, names: keysOfText(said, listed, isKey), starts, separator }
}

type Lines = readonly [from: number, to: number]

/** How parts between separators begin. Others are of a value above them. */
interface Beginning {
  /** The key of the first line, in which any number may stand, and that of the next one. */
  readonly form: string
  /** Whether keys stand behind the marks of a list. */
  readonly isListed: boolean
  /** The keys of parts that begin so, and the usual ones of them. */
  readonly keys: ReadonlySet<string>
  readonly usual: ReadonlySet<string>
}

/** The share of parts that must begin alike: one value may have several rules in it. */
const BEGUN = 0.2

/** Undefined where parts have no beginning in common, or one that begins in another way may be a record. */
function beginningOf(lines: LineIndex, parts: readonly Lines[]): Beginning | undefined {
  const forms = new Map<string, number>()
  for (const [from, to] of parts) {
    const form = from + 1 < to ? formAt(lines, from) : undefined
    if (form !== undefined) forms.set(form, (forms.get(form) ?? 0) + 1)
  }
  const [[form, count] = ['', 0]] = [...forms].sort(([, one], [, other]) => other - one)
  if (count < Math.max(LEAST, parts.length * BEGUN)) return undefined
  const counts = new Map<string, number>()
  for (const [from, to] of parts)
    if (formAt(lines, from) === form)
      for (const key of new Set(pairsWithin(lines, from, to).map((pair) => pair.key)))
        counts.set(key, (counts.get(key) ?? 0) + 1)
  const usual = new Set(
    [...counts].flatMap(([key, said]) => (said >= Math.max(2, count * COMMON) ? key : [])),
  )
  const begun = parts.filter((_, nth) => isBegun(lines, parts, nth, form))
  const first = begun[0] ? parts.indexOf(begun[0]) : 0
  const isListed = begun.some(([from]) => pairAt(lines, from + 1)?.isListed)
  const beginning = { form, isListed, keys: new Set(counts.keys()), usual }
  const last = parts.at(-1)
  const isFooter = last && !pairsWithin(lines, ...last).some(({ key }) => usual.has(key))
  const whole = wholeParts(lines, parts, beginning).length
  return whole === first + begun.length + Number(isFooter) ? beginning : undefined
}

/** Whether a part begins with a record. Above the first one may stand lines about all of them. */
function isBegun(lines: LineIndex, parts: readonly Lines[], nth: number, form: string): boolean {
  const [from, to] = parts[nth] ?? [0, 0]
  const end = nth === 0 ? Math.min(to, from + MOST_BEFORE) : from + 1
  return firstOf(from, end, (at) => formAt(lines, at) === form) !== undefined
}

/** Whether the first key of a part comes again, but not with the next one: then it is said in a value. */
function isSaidAgain(
  lines: LineIndex,
  [from, to]: Lines = [0, 0],
  pairs: readonly Pair[],
  beginning: Beginning | undefined,
): boolean {
  const [first] = pairs
  if (!beginning || formAt(lines, from) !== beginning.form) return false
  return (
    pairs.filter(({ key }) => key === first?.key).length > 1 &&
    firstOf(from + 1, to, (at) => formAt(lines, at) === beginning.form) === undefined
  )
}

/** The keys of a line and of the next one; undefined where one of them has none. */
function formAt(lines: LineIndex, at: number): string | undefined {
  const [key, next] = [pairAt(lines, at)?.key, at + 1 < lines.count ? pairAt(lines, at + 1)?.key : undefined]
  return key === undefined || next === undefined ? undefined : `${key.replace(/\d+/g, '1')}\n${next}`
}

/**
 * The parts, each with those below it that go on with a value of it. Such a part says what the record lacks. The last part may be about all
 * records.
 */
function wholeParts(
  lines: LineIndex,
  parts: readonly Lines[],
  { form, isListed, usual }: Beginning,
): readonly Lines[] {
  const whole: Lines[] = []
  /** Parts without a key are of a value where one follows that goes on with the record. */
  let waiting: Lines[] = []
  let own: Set<string> | undefined
  for (const [nth, [from, to]] of parts.entries()) {
    const isFormed = isBegun(lines, parts, nth, form)
    const keys = pairsWithin(lines, from, to).flatMap((pair) =>
      usual.has(pair.key) && pair.isListed === isListed ? pair.key : [],
    )
    const last = whole.at(-1)
    const isFooter = nth + 1 === parts.length && keys.length === 0
    // A part that says little of what the record lacks may be a record of another kind.
    const isWithin = (): boolean => {
      const lacking = [...usual].filter((key) => own?.has(key) !== true).length
      return keys.length > 0 && new Set(keys).size * 2 >= lacking && !keys.some((key) => own?.has(key))
    }
    if (own && last && !isFormed && !isFooter && keys.length === 0) {
      waiting.push([from, to])
      continue
    }
    if (own && last && !isFormed && !isFooter && isWithin()) whole[whole.length - 1] = [last[0], to]
    else {
      whole.push(...waiting, [from, to])
      own = isFormed ? new Set() : undefined
    }
    waiting = []
    for (const key of keys) own?.add(key)
  }
  return whole
}

/** The keys by which the product names no fields of its own. */
function keysOfText(
  counts: ReadonlyMap<string, number>,
  listed: ReadonlySet<string>,
  isKey: Layout['isKey'],
): ReadonlySet<string> {
  return new Set([...counts.keys()].filter((key) => isKey({ key, value: '', isListed: listed.has(key) })))
}

/** `Each result includes:` stands above what the keys mean. */
const LEGEND = /\b(?:includes?|contains?|consists? of|fields?|legend)\b.*:$/i

/**
 * Where the first record begins, below lines about all of them; undefined where the keys there are explained, or there are none. A part that
 * begins in no usual way is a record from its first line on.
 */
function startOfFirst(
  lines: LineIndex,
  [from, to]: Lines,
  begins: (at: number, to: number) => boolean,
  isRecord: (from: number, to: number) => boolean,
): number | undefined {
  const isLegend = (at: number): boolean => LEGEND.test(lines.at(at).slice(0, LONGEST).trim())
  const start = firstOf(from, to, (at) => {
    if (isEmpty(lines, at) || !begins(at, to)) return false
    return (
      at === from ||
      isEmpty(lines, at - 1) ||
      pairAt(lines, at - 1)?.value === '' ||
      pairAt(lines, at - 1) === undefined
    )
  })
  if (start === undefined)
    return isRecord(from, to) && firstOf(from, to, isLegend) === undefined ? from : undefined
  return start > from && isLegend(start - 1) ? undefined : start
}

/** Parts between separators, or paragraphs, from their first line that is not empty to the line behind the last. */
function partsBetween(lines: LineIndex, separator: string, to: number): Lines[] {
  const isBetween = (at: number): boolean =>
    separator === '' ? isEmpty(lines, at) : isSeparator(lines, at) && lines.at(at).trim() === separator
  const parts: Lines[] = []
  let from = -1
  for (let index = 0; index <= to; index++) {
    const isEnd = index === to || isBetween(index)
    if (from < 0 && !isEnd && !isEmpty(lines, index)) from = index
    if (!isEnd || from < 0) continue
    parts.push([from, index])
    from = -1
  }
  return parts
}

function pairsWithin(lines: LineIndex, from: number, to: number): Pair[] {
  return Array.from({ length: to - from }, (_, at) => pairAt(lines, from + at)).filter(
    (pair) => pair !== undefined,
  )
}

function firstOf(from: number, to: number, test: (line: number) => boolean): number | undefined {
  for (let at = from; at < to; at++) if (test(at)) return at
  return undefined
}

// Records that begin with the same key.

/** A heading may look like a key. Then few records begin with it. */
function begunOrHeaded(lines: LineIndex): Layout | undefined {
  const [found, headed] = [begun(lines), headedParagraphs(lines)]
  if (!headed) return found
  if (found) return found.starts().length * 2 > headed.starts().length ? found : headed
  return findAlike(lines) === undefined ? headed : undefined
}

/** The share of paragraphs that must have the same key on their second line. */
const PARAGRAPHS = 0.8
/** A line that other formats read. */
const MARKED = /^(?:#{1,6} |[-*+•>|] |\d{1,6}[.)] |\*\*|[ \t])/

const OF_CODE = /[{}[\];=]|\($/

/** Paragraphs of a heading and pairs below it, nearly each with the same key first. Undefined for other texts. */
function headedParagraphs(lines: LineIndex): Layout | undefined {
  const sampled = Math.min(lines.count, SAMPLE)
  const parts = partsBetween(lines, '', sampled)
  const [heads, below] = [new Map<string, number>(), new Map<string, number>()]
  const said = new Map<string, number>()
  let [marked, others] = [0, 0]
  for (const [from, to] of parts) {
    const [head, key] = [pairAt(lines, from)?.key, from + 1 < to ? pairAt(lines, from + 1)?.key : undefined]
    if (key === undefined) {
      others += 1
      continue
    }
    const title = lines.at(from).slice(0, LONGEST)
    if (MARKED.test(title) || OF_CODE.test(title)) marked += 1
    for (const one of new Set(pairsWithin(lines, from + 1, to).map((pair) => pair.key)))
      said.set(one, (said.get(one) ?? 0) + 1)
    if (head !== undefined) heads.set(head, (heads.get(head) ?? 0) + 1)
    below.set(key, (below.get(key) ?? 0) + 1)
  }
  const [[first, count] = ['', 0]] = [...below].sort(([, one], [, other]) => other - one)
  const mostHeads = Math.max(0, ...heads.values())
  const isRead =
    count >= MANY &&
    marked === 0 &&
    others <= Math.max(MOST_AROUND, parts.length * OTHERS) &&
    !heads.has(first) &&
    // Paragraphs of a dialogue have one key in common by chance.
    [...said.values()].filter((one) => one >= count * COMMON).length > 1 &&
    count >= (parts.length - others) * PARAGRAPHS &&
    mostHeads < count / 2
  return isRead ? separatedBy('', lines, sampled) : undefined
}

/** Paragraphs about all records. */
const MOST_AROUND = 2

/** Undefined where there are no such records. */
function begun(lines: LineIndex): Layout | undefined {
  const sampled = Math.min(lines.count, SAMPLE)
  const [counts, listed] = [new Map<string, number>(), new Set<string>()]
  for (let index = 0; index < sampled; index++) {
    const pair = pairAt(lines, index)
    if (!pair) continue
    counts.set(pair.key, (counts.get(pair.key) ?? 0) + 1)
    if (pair.isListed) listed.add(pair.key)
  }
  const first = firstKey(lines, counts)
  const isKey = first === undefined ? undefined : keysOf(lines, first, counts, listed)
  if (first === undefined || !isKey) return undefined
  const headed = Number(areHeaded(lines, first))
  const starts = (): number[] => {
    const found: number[] = []
    for (let index = headed; index < lines.count; index++)
      if (lines.at(index).includes(first) && pairAt(lines, index)?.key === first) found.push(index - headed)
    return [...found, lines.count]
  }
  const names = keysOfText(counts, listed, isKey)
  return { isKey, isHead: () => headed === 1, names, starts, separator: undefined }
}

/** The first key that comes again, below keys of all records. */
function firstKey(lines: LineIndex, counts: ReadonlyMap<string, number>): string | undefined {
  for (let index = 0; index < Math.min(lines.count, MOST_BEFORE); index++) {
    const pair = pairAt(lines, index)
    // A key above its records, such as `Results:`, stands alone.
    if (pair && pair.value !== '' && (counts.get(pair.key) ?? 0) >= LEAST) return pair.key
  }
  return undefined
}

/**
 * Whether a key is one of a record; undefined when they are no records of one kind. Where every line at the margin is a pair, each of
 * them is a key, as in the control files of packages. In other texts a line may only look like a pair: a key is what several records have.
 */
function keysOf(
  lines: LineIndex,
  first: string,
  counts: ReadonlyMap<string, number>,
  listed: ReadonlySet<string>,
): Layout['isKey'] | undefined {
  const sampled = Math.min(lines.count, SAMPLE)
  let [within, seen, atMargin] = [0, 0, 0]
  for (let index = 0; index < sampled; index++) {
    const line = lines.at(index)
    if (line.trim() === '') continue
    seen += 1
    if (/^\S/.test(line) && pairAt(lines, index) === undefined) atMargin += 1
  }
  const stanzas = counts.get(first) ?? 0
  for (const count of counts.values()) if (count >= Math.max(2, stanzas * COMMON)) within += count
  if (!areApart(lines, first, sampled) && !areInOrder(lines, first, sampled)) return undefined
  const { shared, isKey } = keysAmong(counts, listed, stanzas)
  // A key that stands more often than the first is said within a record, as people are in a conversation.
  if (shared.length < 2 || within < seen * 0.15) return undefined
  return atMargin === 0 ? () => true : isKey
}

/** Records are set apart by empty lines or rules, unless there are no empty lines at all: then nothing stands before a first key. */
function areApart(lines: LineIndex, first: string, sampled: number): boolean {
  let [apart, together, empty] = [0, 0, 0]
  for (let index = 1; index < sampled; index++) {
    const before = lines.at(index - 1).trim()
    if (before === '') empty += 1
    if (pairAt(lines, index)?.key !== first) continue
    if (isBorder(before) || isHeading(lines, index - 1)) apart += 1
    else together += 1
  }
  return apart >= together * 4 || empty === 0
}

function isBorder(line: string): boolean {
  return line === '' || /^[-=*_]{3,}$/.test(line)
}

/** True for a line next to an empty line or a rule that names what is below it: `Monday Night:`, `Option 1: Direct flight`. */
function isHeading(lines: LineIndex, index: number): boolean {
  const isName = pairAt(lines, index)?.value === '' || isNumbered(lines.at(index))
  return isName && (index === 0 || isBorder(lines.at(index - 1).trim()))
}

/** Keys behind the first one that make an order; two people who speak in turns have none. */
const IN_ORDER = 3

/** True where the same few keys follow the first one nearly each time: then nothing else needs to set the records apart. */
function areInOrder(lines: LineIndex, first: string, sampled: number): boolean {
  const orders = new Map<string, number>()
  let all = 0
  for (let index = 0; index + IN_ORDER < sampled; index++) {
    if (pairAt(lines, index)?.key !== first) continue
    all += 1
    const keys = Array.from({ length: IN_ORDER }, (_, at) => pairAt(lines, index + 1 + at)?.key ?? '')
    if (new Set([first, ...keys]).size > IN_ORDER && !keys.includes(''))
      orders.set(keys.join(':'), (orders.get(keys.join(':')) ?? 0) + 1)
  }
  const most = [...orders.values()].sort((one, other) => other - one).slice(0, FEW_ORDERS)
  return all > 0 && most.reduce((sum, count) => sum + count, 0) >= all * 0.9
}

/** A key that some records lack makes another order. */
const FEW_ORDERS = 3

/** True when a line that is no pair stands above the first key of every record: it is the heading of that record. */
function areHeaded(lines: LineIndex, first: string): boolean {
  let [headed, all] = [0, 0]
  for (let index = 0; index < Math.min(lines.count, SAMPLE); index++) {
    const pair = pairAt(lines, index)
    if (pair?.key !== first) continue
    all += 1
    const above = index === 0 ? '' : lines.at(index - 1)
    const isNamed = /^\S/.test(above) && /\w/.test(above)
    if (isNamed && (pairAt(lines, index - 1) === undefined || isHeading(lines, index - 1))) headed += 1
  }
  return all > 0 && headed === all
}

// The fields of records.

/** The starts of records, and the end of the last one, which lines about all of them may stand behind. */
function withoutFooter(lines: LineIndex, { isKey, starts }: Layout): readonly number[] {
  const all = starts()
  const ends = all.slice(1)
  const tails = ends.slice(-LOOKED).map((end, nth) => {
    const from = all[Math.max(0, ends.length - LOOKED) + nth] ?? 0
    return tailOf(lines, from, end, isKey)
  })
  const tail = tails.pop()
  const isFooter = tail !== undefined && tails.length >= MANY && tails.every((other) => other === undefined)
  return isFooter ? [...all.slice(0, -1), tail] : all
}

/** How many ends of records are compared with the last one, and how many must be unlike it. */
const LOOKED = 50
const MANY = 9

/** The first line behind an empty line or a rule below the last key of a record; undefined where there is none. */
function tailOf(lines: LineIndex, from: number, to: number, isKey: Layout['isKey']): number | undefined {
  const isApart = (at: number): boolean => isEmpty(lines, at) || isSeparator(lines, at)
  let tail: number | undefined
  for (let at = to - 1; at >= from; at--) {
    const pair = pairAt(lines, at)
    if (pair && isKey(pair)) return tail
    if (at > from && !isApart(at)) tail = isApart(at - 1) ? at : undefined
  }
  return undefined
}

/** A field of a record on its lines, with more than one value where its key comes again at once. */
interface Field {
  readonly key: string
  readonly values: string[]
  readonly from: number
  to: number
}

function fieldsBetween(lines: LineIndex, from: number, to: number, isKey: Layout['isKey']): Field[] {
  const found: Field[] = []
  for (let at = from; at < to; at++) {
    const pair = pairAt(lines, at)
    const last = found.at(-1)
    const isNext = last?.to === at
    if (pair && isKey(pair)) {
      const value = pair.count === undefined ? pair.value : `(${pair.count} in total)`
      if (isNext && last.key === pair.key) last.values.push(value)
      else found.push({ key: pair.key, values: [value], from: at, to: at })
    } else if (!isNext || !/^[ \t]+\S/.test(lines.at(at))) continue
    else last.values.push(`${last.values.pop()}\n${lines.at(at)}`)
    const field = found.at(-1)
    if (field) field.to = at + 1
  }
  return found
}

/**
 * The fields of a record in their order. Of a key that comes again the field between its usual neighbours counts, or the last one. The line
 * of another only looks like a field, and is of a value above it.
 */
function fieldsOf(
  lines: LineIndex,
  { isKey }: Layout,
  starts: readonly number[],
): (from: number, to: number) => readonly Field[] {
  const beside = new Map<string, number>()
  const neighbours = (fields: readonly Field[], nth: number): [string, string] => [
    `${fields[nth - 1]?.key}\n${fields[nth]?.key}`,
    `${fields[nth]?.key}\n${fields[nth + 1]?.key}`,
  ]
  for (let nth = 0; nth + 1 < Math.min(starts.length, LOOKED); nth++) {
    const fields = fieldsBetween(lines, starts[nth] ?? 0, starts[nth + 1] ?? 0, isKey)
    for (let at = 0; at <= fields.length; at++) {
      const [before] = neighbours(fields, at)
      beside.set(before, (beside.get(before) ?? 0) + 1)
    }
  }
  return (from, to) => {
    const fields = fieldsBetween(lines, from, to, isKey)
    if (!comesAgain(fields)) return fields
    const best = new Map<string, { field: Field; count: number }>()
    for (const [nth, field] of fields.entries()) {
      const count = neighbours(fields, nth).reduce((sum, both) => sum + (beside.get(both) ?? 0), 0)
      if (count >= (best.get(field.key)?.count ?? 0)) best.set(field.key, { field, count })
    }
    return fields.filter((field) => best.get(field.key)?.field === field)
  }
}

/** Whether a key stands in two places. */
function comesAgain(fields: readonly Field[]): boolean {
  // For the few fields of most records this is quicker than a set.
  if (fields.length > FEW) return new Set(fields.map(({ key }) => key)).size < fields.length
  for (let at = 1; at < fields.length; at++)
    for (let other = 0; other < at; other++) if (fields[other]?.key === fields[at]?.key) return true
  return false
}

const FEW = 16

function records(lines: LineIndex, found: Layout, starts: readonly number[]): JsonValue[] {
  const { isHead, separator, names } = found
  const areMails = MAIL.every((name) => names.has(name))
  const isKey = (pair: Pair): boolean => found.isKey(pair) || (areMails && HEADER.test(pair.key))
  const layout = { ...found, isKey }
  const fieldsIn = fieldsOf(lines, layout, starts)
  const free = (name: string): string => freeName(names, name)
  const [ofLine, ofText, ofBody] = [free('line'), free(TEXT), free('body')]
  const haveBodies = areLetters(lines, layout, starts, areMails)
  // A line behind a comment is no more of the record above.
  const isCommented = separator === undefined && lines.at(0).startsWith('#')
  const all = starts.slice(0, -1).map((from, nth) => {
    let to = starts[nth + 1] ?? lines.count
    if (isCommented) to = firstOf(from, to, (at) => lines.at(at).startsWith('#')) ?? to
    to = endOf(lines, from, to)
    const record: JsonObject = { [ofLine]: from + 1 }
    const begin = isHead(from) ? from + 1 : from
    if (begin > from) addHeading(record, lines.at(from), free)
    const body = haveBodies ? bodyOf(lines, layout, begin, to) : undefined
    const fields = body ? [...fieldsIn(begin, body.from), ...fieldsIn(body.to, to)] : fieldsIn(begin, to)
    const others: string[] = []
    for (let index = begin; index < (fields[0]?.from ?? to); index++) others.push(lines.at(index))
    for (let index = body?.from ?? to; index < (body?.to ?? to); index++) others.push(lines.at(index))
    for (const [nth, { key, values, to: end }] of fields.entries()) {
      const isBefore = body !== undefined && end <= body.from
      const next = fields[nth + 1]?.from ?? to
      for (let index = end; index < (isBefore ? Math.min(next, body.from) : next); index++)
        values.push(`${values.pop()}\n${lines.at(index)}`)
      setOwn(record, key, values.length === 1 ? (values[0] ?? '') : values)
    }
    const rest = others.join('\n').trim()
    if (rest !== '') record[body && areMails ? ofBody : ofText] = rest
    return tidied(record)
  })
  unquote(all)
  return withFieldsApart(withNumbers(all, free(HEADING)))
}

/** The end of a record without the empty lines and rules behind it. */
function endOf(lines: LineIndex, from: number, to: number): number {
  let end = to
  while (end > from && (isEmpty(lines, end - 1) || isSeparator(lines, end - 1))) end -= 1
  return end
}

/** The lines of a record below its fields and an empty line, as a letter has them. */
interface Body {
  readonly from: number
  readonly to: number
  /** The last field above it. */
  readonly above: Pair
}

/** Undefined where the record has no such lines. Fields in a paragraph of their own may end it. */
function bodyOf(lines: LineIndex, { isKey }: Layout, begin: number, to: number): Body | undefined {
  const keyAt = (at: number): Pair | undefined => {
    const pair = pairAt(lines, at)
    return pair && isKey(pair) ? pair : undefined
  }
  const end = firstOf(begin, to, (at) => keyAt(at) === undefined)
  const above = end === undefined || end === begin ? undefined : keyAt(end - 1)
  if (end === undefined || !above || !isEmpty(lines, end)) return undefined
  const from = firstOf(end, to, (at) => !isEmpty(lines, at))
  if (from === undefined) return undefined
  let last = to
  while (last > from && keyAt(last - 1)) last -= 1
  if (last === from) return undefined
  return { from, to: last > from && isEmpty(lines, last - 1) ? last : to, above }
}

/** Headers of a mail. They end with an empty line, whatever the last one says. */
const MAIL = ['From', 'Subject']
const HEADER = /^(?:B?Cc|To|Date|Sent|Reply-To|In-Reply-To|Message-ID)$/i

/**
 * Whether most records have lines below their fields that are of no field. The last one above them is always the same and has a word as its
 * value, which does not go on below an empty line. Keys below are of few records.
 */
function areLetters(lines: LineIndex, layout: Layout, starts: readonly number[], areMails: boolean): boolean {
  const [above, below] = [new Set<string>(), new Map<string, number>()]
  const all = Math.min(starts.length - 1, LOOKED)
  let [bodies, keyed] = [0, 0]
  for (let nth = 0; nth < all; nth++) {
    const [from = 0, to = 0] = [starts[nth], starts[nth + 1]]
    const body = bodyOf(lines, layout, layout.isHead(from) ? from + 1 : from, endOf(lines, from, to))
    if (!body) continue
    // An address or an identifier ends with its line.
    if (!areMails && !/^\S*[\d/@:_-]\S*$/.test(body.above.value)) return false
    bodies += 1
    above.add(body.above.key)
    const pairs = pairsWithin(lines, body.from, body.to).filter(layout.isKey)
    for (const key of new Set(pairs.map((pair) => pair.key))) below.set(key, (below.get(key) ?? 0) + 1)
    if (pairs.length > 0 && pairAt(lines, body.from)?.key === pairs[0]?.key) keyed += 1
  }
  const areOwn = [...below.values()].every((count) => count < all * MOST)
  return (
    bodies >= LEAST &&
    bodies >= all * MOST &&
    (areMails || above.size === 1) &&
    keyed <= bodies * OTHERS &&
    areOwn
  )
}

/** By one record alone it is not told what quotes mean. */
const FEWEST_QUOTED = 3

/** Writes texts without the quotes that all values of their field have, as servers in Python print them. */
function unquote(records: readonly JsonObject[]): void {
  const isQuoted = (value: JsonValue | undefined): value is string =>
    typeof value === 'string' && stringOf(value) !== undefined
  const [first = {}] = records.length < FEWEST_QUOTED ? [] : records
  for (const key of Object.keys(first)) {
    if (!records.every((record) => own(record, key) === undefined || isQuoted(own(record, key)))) continue
    for (const record of records) {
      const value = own(record, key)
      if (typeof value === 'string') setOwn(record, key, stringOf(value) ?? value)
    }
  }
}

/** `## [Title](address)`, `Title (ID: 7)`, `Monday:`. */
function addHeading(record: JsonObject, line: string, free: (name: string) => string): void {
  const { title, href, id } = titleIn((headingIn(line) ?? line).trim())
  record[free(HEADING)] = title
  if (href !== undefined) record[free('href')] = href
  if (id) setOwn(record, free(id.key), id.value)
}

/** Values without the lines that separate records; numbers become numbers. */
function tidied(record: JsonObject): JsonObject {
  for (const key of Object.keys(record)) {
    const value = own(record, key)
    if (Array.isArray(value))
      setOwn(
        record,
        key,
        value.map((one) => exactNumber(String(one).trim()) ?? String(one).trim()),
      )
    if (typeof value !== 'string') continue
    const whole = withoutRules(value)
    const [told = '\n', count] = IN_TOTAL.exec(whole) ?? []
    const below =
      whole.startsWith(told) && whole.length <= LONGEST ? whole.slice(told.length).split('\n') : undefined
    const block =
      below && (blockIn(below) ?? (count === undefined ? undefined : listOf(below, Number(count))))
    const text = whole.replace(/^\n/, '')
    setOwn(record, key, block ?? exactNumber(text) ?? text)
  }
  return record
}

// Headings with keys below them that are set in, as `dmidecode`, `iw` and servers write them.

const LEAST_HEADED = 3
const MOST_HEADS = 3
/** The field for the lines above a heading that stand next to it, and for the line that it is set in below. */
const ABOVE = 'above'
const SECTION = 'section'
const SET_IN = /^[ \t]+(?:[-*•] +)?([A-Za-z][\w ./()+?-]{0,59}?):(?:\s+(.*))?$/

interface HeadedBlocks {
  readonly records: JsonValue[]
  /** Lines that head no record. */
  readonly around: readonly string[]
}

/** The key and the value that a heading is where all of them are one: `Event: Lunch`. */
interface Headed {
  /** How far headings are set in, and their key. */
  readonly margin: number
  readonly key: string | undefined
  /** Whether values end with a comma. */
  readonly areListed: boolean
  /** Whether lines at the margin below a key go on with its value. */
  readonly goOn: boolean
}

/**
 * Records of a heading and its keys. Undefined where most lines that are set in are no keys, or headings have values of their own.
 */
function readHeadedBlocks(lines: LineIndex): (() => HeadedBlocks) | undefined {
  const sampled = Math.min(lines.count, SAMPLE)
  for (let index = 0; index < sampled; index++)
    if (lines.end(index) - lines.start(index) > LONGEST) return undefined
  const margin = marginOf(lines, sampled)
  if (margin === undefined) return undefined
  const [counts, heads] = [new Map<string, number>(), new Map<string, number>()]
  const goOn = haveLinesAtMargin(lines, margin, sampled)
  let [headed, alone, pairs, others, listed, base] = [0, 0, 0, 0, 0, -1]
  let isBelow = false
  for (let index = 0; index < sampled; index++) {
    if (isEmpty(lines, index)) {
      isBelow = false
      continue
    }
    const indent = indentOf(lines.at(index))
    if (isBelow && indent <= margin) continue
    isBelow = goOn && indent > margin
    if (indent <= margin) {
      base = -1
      const isHead = indent === margin && isAbove(lines, index)
      if (!isHead) alone += 1
      else {
        headed += 1
        const pair = isNumbered(lines.at(index).trim()) ? undefined : pairAt(lines, index)
        if (pair && pair.value !== '') heads.set(pair.key, (heads.get(pair.key) ?? 0) + 1)
      }
      continue
    }
    if (base < 0) base = indent
    if (indent !== base) continue
    const [line, key] = SET_IN.exec(lines.at(index)) ?? []
    if (key === undefined) others += 1
    else {
      pairs += 1
      if (line?.endsWith(',')) listed += 1
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
  }
  const [[key, named] = [undefined, 0]] = heads
  if (heads.size > 1 || (named > 0 && named < headed)) return undefined
  // One key is enough where nothing but headings and it stands there.
  const shared = [...counts.values()].filter((count) => count > 1).length
  const isOne =
    counts.size === 1 && pairs === headed && others === 0 && headed >= MANY && findAlike(lines) === undefined
  const isRead =
    headed >= LEAST_HEADED &&
    (shared > 1 || isOne) &&
    pairs >= headed &&
    pairs > others * 2 &&
    alone <= headed * MOST_HEADS
  if (!isRead) return undefined
  let read: HeadedBlocks | undefined
  return () => {
    read ??= headedBlocks(lines, { margin, key, areListed: listed > pairs * 0.9, goOn })
    return read
  }
}

/** How far most lines are set in that stand above others that are set in further, and are no keys with values. */
function marginOf(lines: LineIndex, sampled: number): number | undefined {
  const counts = new Map<number, number>()
  for (let index = 0; index < sampled; index++) {
    if (isEmpty(lines, index) || !isAbove(lines, index)) continue
    const indent = indentOf(lines.at(index))
    counts.set(indent, (counts.get(indent) ?? 0) + 1)
  }
  const most = Math.max(0, ...counts.values())
  return [...counts].find(([indent, count]) => count === most && indent <= DEEPEST_MARGIN)?.[0]
}

const DEEPEST_MARGIN = 4

/** Whether the next line is set in further. */
function isAbove(lines: LineIndex, index: number): boolean {
  return (
    index + 1 < lines.count &&
    !isEmpty(lines, index + 1) &&
    indentOf(lines.at(index + 1)) > indentOf(lines.at(index))
  )
}

/**
 * Whether values of one key have lines at the margin: all headings stand below an empty line, and such a line is right below that key. Most
 * records have none. Where headings are numbered, another line may stand above keys as well.
 */
function haveLinesAtMargin(lines: LineIndex, margin: number, sampled: number): boolean {
  const keys = new Set<string>()
  let [runs, state, last]: [number, 'apart' | 'within' | 'value', string] = [0, 'apart', '']
  let [headed, areNumbered] = [0, true]
  const others: boolean[] = []
  for (let index = 0; index < sampled; index++) {
    const line = lines.at(index)
    if (line.trim() === '') state = 'apart'
    else if (indentOf(line) > margin) {
      last = SET_IN.exec(line)?.[1] ?? last
      state = 'within'
    } else if (state === 'apart') {
      if (!isAbove(lines, index)) continue
      headed += 1
      if (!isNumberedHead(line)) areNumbered = false
    } else {
      if (isAbove(lines, index)) {
        // A label at the margin has fields of its own below it.
        if (line.trimEnd().endsWith(':')) return false
        others.push(isNumberedHead(line))
      }
      if (state === 'within') {
        // Nothing goes on with a number or a single word.
        if (!/:\s*$|:\s.*\S\s+\S|:\s.*:$/.test(lines.at(index - 1).trimEnd())) return false
        runs += 1
        keys.add(last)
      }
      state = 'value'
    }
  }
  const areApart = others.length === 0 || (areNumbered && !others.includes(true))
  return areApart && keys.size === 1 && runs > 1 && runs < headed * MOST
}

function isNumberedHead(line: string): boolean {
  return isNumbered(line.trim().replace(/:$/, ''))
}

function headedBlocks(lines: LineIndex, { margin, key: ofHead, areListed, goOn }: Headed): HeadedBlocks {
  const found: JsonObject[] = []
  const around: string[] = []
  let heads: number[] = []
  let [key, base, section, isUsed] = ['', -1, '', true]
  let isBelow = false
  const leave = (upTo = 0): void => {
    around.push(...heads.slice(0, heads.length - upTo).map((at) => lines.at(at).trim()))
    heads = []
  }
  const under = (heading: string): void => {
    if (!isUsed) around.push(section)
    ;[section, isUsed] = [heading, heading === '']
  }
  for (let index = 0; index < lines.count; index++) {
    const line = lines.at(index)
    const indent = indentOf(line)
    if (line.trim() === '') {
      leave()
      isBelow = false
      continue
    }
    if (indent <= margin) {
      const last = found.at(-1)
      if (isBelow && last && key !== '') {
        setOwn(last, key, `${own(last, key)}\n${line.trimEnd()}`)
        continue
      }
      base = -1
      if (indent === margin) heads.push(index)
      else {
        leave()
        under(line.trim())
      }
      continue
    }
    isBelow = goOn
    if (base < 0) {
      base = indent
      const [head = index, ...above] = heads.slice(-MOST_HEADS).reverse()
      const record: JsonObject = { line: Math.min(head, ...above) + 1 }
      if (ofHead === undefined) record[HEADING] = lines.at(head).trim().replace(/:$/, '')
      else setOwn(record, ofHead, withoutComma(pairAt(lines, head)?.value ?? lines.at(head), areListed))
      if (section !== '') record[SECTION] = section.replace(/:$/, '')
      isUsed = true
      if (above.length > 0)
        record[ABOVE] = above
          .reverse()
          .map((at) => lines.at(at))
          .join('\n')
      found.push(record)
      key = ''
      leave(MOST_HEADS)
    }
    const record = found.at(-1) ?? {}
    const [, name, value = ''] =
      (indent === base && line.length <= LONGEST ? SET_IN.exec(line) : undefined) ?? []
    if (name !== undefined && own(record, name) === undefined) {
      key = name
      setOwn(record, key, withoutComma(value, areListed))
    } else setOwn(record, key || TEXT, [own(record, key || TEXT), line.trim()].filter(Boolean).join('\n'))
  }
  leave()
  under('')
  return { records: withFieldsApart(withNumbers(found.map(tidied), HEADING)), around }
}

function withoutComma(value: string, areListed: boolean): string {
  return areListed && value.endsWith(',') ? value.slice(0, -1) : value
}

// Blocks: lines below a key that are set in, as `kubectl describe` writes them.

/** How many lines are below, as `kubectl describe` tells it. */
const IN_TOTAL = /^\((\d{1,6}) in total\)(?:\n|$)/
const IN_BLOCK = /^( *)([A-Za-z][\w ./()-]{0,79}?):(?:\s+(.*))?$/
const DEEPEST = 6

/** A table, or the keys of a block. Undefined where some line is neither. */
function blockIn(lines: readonly string[], depth = 0): JsonValue | undefined {
  const base = indentOf(lines[0] ?? '')
  if (base === 0 || depth > DEEPEST) return undefined
  const table = readAligned(indexLines(lines.map((line) => line.slice(base)).join('\n')))
  return table?.json() ?? keysIn(lines, base, depth)
}

/** As many entries as are told, each with the lines that are set in below it; undefined where there are others. */
function listOf(lines: readonly string[], count: number): JsonValue[] | undefined {
  const entries: string[] = []
  const base = indentOf(lines[0] ?? '')
  for (const line of lines) {
    if (line.trim() === '') continue
    if (indentOf(line) <= base) entries.push(line.trim())
    else entries.push(`${entries.pop() ?? ''}\n${line.trim()}`)
  }
  return entries.length === count ? entries : undefined
}

function keysIn(lines: readonly string[], base: number, depth: number): JsonValue | undefined {
  const block: JsonObject = {}
  let isNamed = true
  for (let at = 0; at < lines.length; ) {
    const [, indent = '', key, value = ''] = IN_BLOCK.exec(lines[at] ?? '') ?? []
    if (key === undefined || indent.length !== base || own(block, key) !== undefined) return undefined
    let end = at + 1
    while (end < lines.length && indentOf(lines[end] ?? '') > base) end += 1
    const below = lines.slice(at + 1, end)
    const inner =
      below.length === 0 ? undefined : (blockIn(below, depth + 1) ?? below.map((line) => line.trim()))
    at = end
    if (value !== '' || !isObject(inner) || own(inner, 'name') !== undefined) isNamed = false
    if (value === '') setOwn(block, key, inner ?? null)
    else setOwn(block, key, exactNumber(value) ?? value.trim())
    // Facts about a value, as in `State: Waiting` with a reason below it.
    if (value !== '' && isObject(inner))
      for (const [name, said] of Object.entries(inner)) {
        if (own(block, `${key} ${name}`) !== undefined) return undefined
        setOwn(block, `${key} ${name}`, said)
      }
    else if (value !== '' && inner !== undefined) return undefined
  }
  // Keys that only name what is below them are the names of records.
  return isNamed ? Object.entries(block).map(([name, inner]) => ({ name, ...(inner as JsonObject) })) : block
}

function withoutRules(value: string): string {
  let end = value.length
  for (let at = value.lastIndexOf('\n'); at >= 0 && RULE.test(value.slice(at + 1, end)); ) {
    end = at
    at = at === 0 ? -1 : value.lastIndexOf('\n', at - 1)
  }
  return value.slice(0, end)
}

/** Tried after Markdown. Never takes a conversation, in which the same people speak again and again. */
export const stanzas = defineFormat<Stanzas>({
  name: 'stanzas',
  family: 'entries',
  detect: readStanzas,
  read: (_, { read }) => read(),
  asides: (_, { around }) => around().map(asideOf),
  overview: overviewOfEntries,
})
