/**
 * Lines that are made of like parts, a record on each: `- "Standup" (Starts: 2025-09-01) ID: 7 | Link: …`, `PID: 1, Command: init`,
 * `81e3 - web-1 - running`, `reqid=1 GET https://… [200]`.
 */

import { type JsonObject, type JsonValue, setOwn } from '../../protocol/json.ts'
import { groupedBy, tally } from '../../text/groups.ts'
import { indexLines, type LineIndex } from '../../text/lines.ts'
import { literal } from '../../text/patterns/literal.ts'
import { asideOf, exactNumber, freeName } from './cells.ts'
import { defineFormat } from './define.ts'
import { fieldsAt, headingIn } from './items.ts'

/** A bullet, a number or a pictogram before the parts. */
const BULLET =
  /^[ \t]*(?:(\d{1,6})[.)]|[-*+•▪●◆‣–]|(?:\p{Extended_Pictographic}(?:\p{Emoji_Modifier}|\u200d|\ufe0f)*)+)[ \t]+(?=\S)/u
/** Where names are: `Key: ` at the start of a line, or behind a mark between values; `key=` at the start of a line or behind a blank. */
interface NamePatterns {
  readonly labels: RegExp
  readonly pairs: RegExp
}

function patternsOf(label: string, pair: string): NamePatterns {
  return {
    labels: new RegExp(`(^[ \\t]*|[([{|,;)\\]"”] ?|[-–—•·] )(${label}):(?= |$)`, 'gmu'),
    pairs: new RegExp(`(^|[ \\t,;])(${pair})=`, 'gm'),
  }
}

const ANY_NAME = patternsOf('\\p{L}[\\p{L}\\p{N}_ /?#.]{0,30}', '[A-Za-z_][\\w.-]{0,30}')
/** Marks between values, with blanks around them. */
const SEPARATORS = [' | ', '\t', ' · ', ' • ', ' → ', ' -> ', ' — ', ' – ', ' - ', ': '] as const
/** Marks that end a value wherever they stand. */
const STRONG = SEPARATORS.slice(0, 4)
/** Words that stand between two parts. */
const BETWEEN = / (by|in|on|at|from|to|for|with|of|via|as) /g
/** `(2 args)`, `[35 times]`: a number of something. */
const NUMBER_OF = /^(\d[\d.,]*) (\p{L}{2,20})$/u
/** `https://a.org/b`, `/a/b`. */
const ADDRESS = /^(?:[a-z]+:\/)?\/\S/
/** `Name: value` says a field of a record, and a colon behind a number or an address parts two. */
const BEFORE_COLON = /^(?:[\da-f]{6,16}|\d[\w.:-]{0,60}|\S{0,60}\/\S{0,60})$/i
const WORD = /^\S{1,120}$/
/** A text before something in brackets at its end. The last bracket may be cut off. */
const CLOSED = /^(.*\S) ?(?:\(([^()]*)\)?|\[([^[\]]*)\]?)$/s
/** A text and something short in brackets: those of calls and lists are no parts. */
const ENDS_APART = /\s(?:\([^(),]*\)|\[[^[\],]*\])$/
const OPENED = /^\[([^\]]*)\] (.+)$/s

/** Lines that are looked at to find out what they are made of, and characters of one. */
const SAMPLE = 200
const LONGEST = 2_048
/** Records that there must be: where parts have names, and where none has. */
const LEAST = 4
const LEAST_UNNAMED = 8
/** The share of texts that have a part, for all to have it, for most to have it, and for it to be one at all. */
const ALL = 0.95
const USUAL = 0.5
const SOME = 0.05
/** Lines around the records, lines below the first one of a record, and lines of a record on average. */
const MOST_AROUND = 8
const MOST_BELOW = 60
const MOST_LINES = 3
/** Parts beside each other, parts within parts, and words of a text that each are one. */
const MOST_PARTS = 24
const DEEPEST = 5
const MOST_WORDS = 6
const MOST_TOLD = 6

/** A line, and the lines that go on with it. */
interface Row {
  /** Its number, from 0. */
  readonly line: number
  readonly bullet: string
  readonly text: string
  readonly below: string[]
  /** A line of its own above it. */
  lead?: string
  /** The line above it and others that says what they are. */
  heading?: string
}

/** Records before their parts are told apart. */
export interface AlikeLines {
  readonly rows: readonly Row[]
  readonly partsOf: (row: Row) => readonly Part[]
  /** Lines above and below the records. */
  readonly around: readonly string[]
}

/** A value with its name. The names of those without one begin with `NAMELESS`, and sort as they stand. */
type Part = readonly [name: string, value: string]
const NAMELESS = '\0'

/** The records among lines that are alike; undefined for other texts. Most are told by some of their lines. */
export function findAlike(lines: LineIndex): AlikeLines | undefined {
  const sample = rowsOf(lines, Math.max(1, Math.floor(lines.count / SAMPLE)), LONGEST)
  // Rows of a table are read as such, or not at all.
  if (sample.filter(({ text }) => text.startsWith('|')).length * 2 > sample.length) return undefined
  const names = namesIn(sample)
  const found = names && labelled(rowsOf(lines), names)
  if (found) return found
  const split = areTabbed(sample) ? undefined : separatorOf(sample)
  return split && separated(rowsOf(lines), split)
}

/** As many cells with tabs between them in each line are a table, and no cell is parted further. */
function areTabbed(rows: readonly Row[]): boolean {
  const [first = 0, ...others] = rows.map(({ text }) => text.split('\t').length)
  return first > 2 && others.every((count) => count === first)
}

function rowsOf(lines: LineIndex, step = 1, longest = Number.POSITIVE_INFINITY): Row[] {
  const rows: Row[] = []
  for (let index = 0; index < lines.count; index += step) {
    const line = lines.at(index).slice(0, longest)
    if (line.trim() === '') continue
    const [bullet = ''] = BULLET.exec(line) ?? []
    rows.push({ line: index, bullet: bullet.trim(), text: line.slice(bullet.length).trimEnd(), below: [] })
  }
  return rows
}

/** Some of many, evenly. */
function spread<T>(all: readonly T[]): readonly T[] {
  const step = Math.max(1, Math.floor(all.length / SAMPLE))
  return all.filter((_, index) => index % step === 0)
}

/**
 * Rows with the lines that go on with them. Undefined where a line between them may be a record of its own, or there are too many others. A
 * line that goes on with a row without names is set in.
 */
function gathered(
  all: readonly Row[],
  isRow: (row: Row) => boolean,
  areNamed: boolean,
): Omit<AlikeLines, 'partsOf'> | undefined {
  const rows: Row[] = []
  const around: string[] = []
  const headings = new Set<string>()
  let heading: string | undefined
  let behind = 0
  const areRows = all.map(isRow)
  const areSetIn = all.every(({ text }, at) => !areRows[at] || /^\s/.test(text))
  for (const [at, row] of all.entries()) {
    const last = rows.at(-1)
    const isSetIn = /^\s/.test(row.text)
    const isOther = areRows[at] || areSetIn || isSetIn || row.bullet !== ''
    const title = isOther ? undefined : headingIn(row.text)
    if (areRows[at]) {
      if (behind > 0) return undefined
      rows.push(heading === undefined ? row : { ...row, heading })
    } else if (title !== undefined) {
      heading = title
      headings.add(row.text)
    } else if (last && (isSetIn || areNamed)) {
      // A line that is marked as a record is one.
      if (row.bullet !== '' && row.bullet === last.bullet) return undefined
      if (last.below.push(row.text) > MOST_BELOW) return undefined
    } else {
      around.push(row.text)
      if (last) behind += 1
    }
  }
  if (areSetIn) addLeads(rows, around)
  // The last lines of a text are often of all records.
  const usual = Math.max(0, ...spread(rows.slice(0, -1)).map(({ below }) => below.length))
  around.push(...(rows.at(-1)?.below.splice(usual) ?? []))
  const isHeaded = new Set(rows.map((row) => row.heading)).size > 1
  if (!isHeaded) {
    around.unshift(...headings)
    for (const row of rows) delete row.heading
  }
  return around.length > MOST_AROUND ? undefined : { rows, around }
}

/** Gives each row that is set in the line at the margin above it, where all have one. */
function addLeads(rows: readonly Row[], above: string[]): void {
  const before = rows.map((_, index) => (index === 0 ? above : (rows[index - 1]?.below ?? [])))
  if (!before.every((lines) => /^\S/.test(lines.at(-1) ?? ''))) return
  for (const [index, row] of rows.entries()) row.lead = before[index]?.pop() ?? ''
}

/** A place where a value begins. */
interface Label {
  readonly key: string
  readonly start: number
  readonly end: number
  /** `key=`, with a value of one word. */
  readonly isPair: boolean
  /** The mark before it; none at the start of a line. */
  readonly behind: string
}

/** Labels in their order, each key once. */
function labelsIn(text: string, { labels, pairs }: NamePatterns = ANY_NAME): Label[] {
  const found: Label[] = []
  if (text.includes(':')) addLabels(found, text, labels, false)
  if (text.includes('=') && addLabels(found, text, pairs, true))
    found.sort((one, other) => one.start - other.start)
  return found
}

/** Whether there were any. */
function addLabels(found: Label[], text: string, pattern: RegExp, isPair: boolean): boolean {
  const before = found.length
  pattern.lastIndex = 0
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const [whole, mark = '', key = ''] = match
    if (found.some((other) => other.key === key)) continue
    const [start, end] = [match.index + mark.length, match.index + whole.length]
    found.push({ key, start, end, isPair, behind: mark.trim() })
  }
  return found.length > before
}

interface Names {
  /** The first one that all records have. */
  readonly first: string
  readonly keys: readonly string[]
}

/** The names that records have: some all of them, others where they stand apart in the same way, or within brackets. */
function namesIn(sample: readonly Row[]): Names | undefined {
  const saying = sample.filter(({ text }) => text.includes(':') || text.includes('='))
  if (saying.length < LEAST || saying.length < sample.length / MOST_LINES) return undefined
  const valued = new Set<string>()
  const each = saying.map(({ text }) => ({ text, labels: labelsIn(text) }))
  const found = groupedBy(
    each.flatMap(({ labels }) => labels),
    ({ key }) => key,
  )
  for (const { text, labels } of each)
    for (const { key, isPair, end } of labels) if (!isPair || end < text.length) valued.add(key)
  // Where nothing ever stands behind it, `=` only ends a line.
  for (const key of found.keys()) if (!valued.has(key)) found.delete(key)
  const most = [...found.values()].reduce((max, { length }) => Math.max(max, length), 0)
  if (most < LEAST || most < sample.length / MOST_LINES) return undefined
  const needed = [...found].filter(([, { length }]) => length >= most * ALL)
  const [[first] = []] = needed
  const marks = new Set(needed.flatMap(([, labels]) => labels.map(({ behind }) => behind)))
  const beside = besideOthers(each, new Set(needed.map(([key]) => key)))
  const keys = [...found].flatMap(([key, labels]) => {
    const apart = labels.filter((label) =>
      label.isPair && label.behind === ''
        ? beside.has(label)
        : (!label.isPair && marks.has(label.behind)) || '(,'.includes(label.behind),
    )
    return labels.length >= most * ALL || apart.length >= Math.max(2, most * SOME) ? key : []
  })
  return first === undefined || keys.length > MOST_PARTS ? undefined : { first, keys }
}

/** The pairs right before or behind one of `needed`, or such a pair: `user=8 plan=pro` within words are part of these. */
function besideOthers(
  each: readonly { text: string; labels: readonly Label[] }[],
  needed: ReadonlySet<string>,
): ReadonlySet<Label> {
  const found = new Set<Label>()
  for (const { text, labels } of each) {
    // By place, whether nothing but its value is before the next label.
    const touches = labels.map(({ end, isPair }, nth) => {
      const next = labels[nth + 1]
      const said = next && isPair ? text.slice(end, next.start) : ''
      return next !== undefined && isPair && /^[\s,;]*$/.test(said.slice(endOfWord(said)))
    })
    const isIn = labels.map(({ key }) => needed.has(key))
    for (let nth = 1; nth < labels.length; nth++)
      isIn[nth] ||= touches[nth - 1] === true && isIn[nth - 1] === true
    for (let nth = labels.length - 2; nth >= 0; nth--)
      isIn[nth] ||= touches[nth] === true && isIn[nth + 1] === true
    for (const [nth, label] of labels.entries()) if (isIn[nth]) found.add(label)
  }
  return found
}

/** Records with names in them. One begins where the first name that all have stands. */
function labelled(all: readonly Row[], { first, keys }: Names): AlikeLines | undefined {
  const each = keys.map(literal).join('|')
  const patterns = patternsOf(each, each)
  const found = gathered(
    all,
    ({ text }) => text.includes(first) && labelsIn(text, patterns).some(({ key }) => key === first),
    true,
  )
  if (!found) return undefined
  const { rows, around } = found
  // Keys on lines of their own are for other readers: here most stand beside each other.
  const some = spread(rows)
  const beside = some.filter(({ text }) => {
    const [label, ...others] = labelsIn(text, patterns)
    return others.length > 0 || (label && (text.slice(0, label.start).trim() !== '' || hasTail(text, label)))
  })
  if (rows.length < LEAST || beside.length < some.length * ALL) return undefined
  const strong = STRONG.find(
    (mark) => some.filter(({ text }) => text.includes(mark)).length >= some.length * ALL,
  )
  const cut = (row: Row): Cut => cutAt(row, patterns, strong)
  const slots = groupedBy(
    some.flatMap((row) => cut(row).free),
    ([slot]) => slot,
  )
  const splitters = new Map(
    [...slots].map(([slot, free]) => {
      const texts = free.map(([, said]) => said.slice(0, LONGEST))
      return [slot, splitterOf(texts, 0)]
    }),
  )
  const places = new Map(['', ...keys].map((key, place) => [key, idOf(NAMELESS, place)]))
  const partsOf = (row: Row): Part[] => {
    const { free, values, rest } = cut(row)
    const parts = free.flatMap(([slot, said]) => {
      const id = places.get(slot) ?? NAMELESS
      return splitters.get(slot)?.(said, id) ?? [[id, said] as const]
    })
    return [...parts, ...values, ...(rest === '' ? [] : [[NAMELESS + REST, rest] as const])]
  }
  return { rows, partsOf, around }
}

/** Whether a line goes on behind the value of its only pair. */
function hasTail(line: string, { isPair, end }: Label): boolean {
  return isPair && /\s\S/.test(line.slice(end))
}

/** A record cut at its names: the values, texts without a name by the key before them, and the lines behind them. */
interface Cut {
  readonly values: readonly Part[]
  readonly free: readonly (readonly [slot: string, text: string])[]
  readonly rest: string
}

function cutAt({ text: line, below }: Row, patterns: NamePatterns, strong: string | undefined): Cut {
  const text = below.length > 0 ? [line, ...below].join('\n') : line
  const labels = labelsIn(text, patterns)
  const free: (readonly [string, string])[] = []
  const values: Part[] = []
  const rest: string[] = []
  const add = (slot: string, said: string): void => {
    if (said === '') return
    const [own = '', ...others] = said.split('\n')
    const bare = withoutMark(own.replace(/^[\s|,;)\]·•]+(?:[-–—] )?/u, '').replace(/^[-–—:] /, ''))
    if (bare !== '') free.push([slot, bare])
    rest.push(...others.filter((other) => other.trim() !== ''))
  }
  add('', text.slice(0, labels[0]?.start ?? text.length))
  for (const [nth, { key, end, isPair }] of labels.entries()) {
    const next = labels[nth + 1]
    const said = text.slice(end, next?.start ?? text.length)
    const stop = isPair ? endOfWord(said) : endOfValue(said, next ? strong : undefined)
    const value = said.slice(0, stop).trim()
    values.push([key, next || stop < said.length ? withoutMark(value) : value])
    add(key, said.slice(stop))
  }
  return { values, free, rest: rest.join('\n').trim() }
}

/** The end of a word, or of a text in quotes or brackets; of a number with the unit behind it where nothing else stands there. */
function endOfWord(said: string): number {
  const [word = ''] = /^(?:"[^"]*"|\([^()]*\)|\[[^[\]]*\]|[^\s,;]*)/.exec(said) ?? []
  const unit = /\d$/.test(word) ? (/^ [a-zA-Zµ%/]{1,8}(?=\s*$)/.exec(said.slice(word.length))?.[0] ?? '') : ''
  return word.length + unit.length
}

/**
 * Where a value ends: at a bracket that opened before it, or at a mark that parts the values of this text. A value of one word, such as an
 * address, ends with its line.
 */
function endOfValue(said: string, strong: string | undefined): number {
  const line = said.indexOf('\n')
  if (line > 0 && !/\S\s+\S/.test(said.slice(0, line))) return line
  let depth = 0
  for (let at = 0; at < said.length; at++) {
    const character = said.charAt(at)
    if (character === '(' || character === '[') depth += 1
    else if ((character === ')' || character === ']') && --depth < 0) return at
    else if (depth === 0 && strong !== undefined && said.startsWith(strong, at)) return at
  }
  return said.length
}

/** A text without the mark behind it, which parts it from the next one. */
function withoutMark(text: string): string {
  if (/[\p{L}\p{N}]$/u.test(text)) return text
  const end = /(?:[\s|,;:·•]|\s[-–—]|(?<=\s)[([]|^[([])+$/u.exec(text.slice(-8))?.[0].length ?? 0
  return text.slice(0, text.length - end)
}

/** How lines without names are split: those at the margin have the same marks between their parts. */
function separatorOf(sample: readonly Row[]): Splitter | undefined {
  const margin = sample.filter(({ text }) => /^\S/.test(text))
  if (margin.length < LEAST_UNNAMED || margin.length < sample.length / MOST_LINES) return undefined
  const some = middle(margin)
  const texts = some.map(({ text }) => text)
  const found = markedBy(texts, ALL, SEPARATORS, 0)
  if (found || !areMarked(some) || !areOfKinds(texts)) return found
  return joined(texts, (text) => cutAtLast(text, ': '), [], 0)
}

function areMarked(rows: readonly Row[]): boolean {
  return rows.filter(({ bullet }) => bullet !== '').length >= rows.length * ALL
}

/** Without the first and the last ones: lines above and below the records are no part of what is alike. */
function middle(rows: readonly Row[]): readonly Row[] {
  const edge = Math.min(MOST_AROUND, Math.floor(rows.length / 5))
  return rows.slice(edge, rows.length - edge)
}

/** Records without names. */
function separated(all: readonly Row[], split: Splitter): AlikeLines | undefined {
  const isMarked = areMarked(middle(all.filter(({ text }) => /^\S/.test(text))))
  const isRow = ({ text, bullet }: Row): boolean =>
    /^\S/.test(text) && (bullet !== '' || !isMarked) && split(text, '') !== undefined
  const found = gathered(all, isRow, false)
  if (!found || found.rows.length < LEAST_UNNAMED) return undefined
  const keys = tally(found.rows.flatMap(({ below }) => below.flatMap(fieldsAt).map(({ key }) => key)))
  const partsOf = ({ text, below }: Row): Part[] => {
    const parts = [...(split(text, NAMELESS) ?? [])]
    const rest: string[] = []
    for (const line of below) {
      // A key that comes once may be words of a text.
      const fields = fieldsAt(line).filter(({ key }) => (keys.get(key) ?? 0) > 1)
      if (fields.length === 0) rest.push(line)
      for (const { key, value } of fields) parts.push([key, value])
    }
    if (rest.length > 0) parts.push([NAMELESS + REST, rest.join('\n').trim()])
    return parts
  }
  return { ...found, partsOf }
}

/** Tells the parts of a text, named below `id` where they have no name; undefined for a text that is not like the others. */
type Splitter = (text: string, id: string) => readonly Part[] | undefined

/** The name of a part by its place: such names sort as the parts stand. */
function idOf(id: string, place: number): string {
  return `${id}.${String(place).padStart(2, '0')}`
}

const LAST = 98
/** Behind all others. */
const REST = '~'

/**
 * How texts are split that have the same marks between their parts, or the same words. A text that is not like the others stays whole.
 * `depth`: parts that these texts are within.
 */
function splitterOf(
  texts: readonly string[],
  depth: number,
  marks: readonly string[] = SEPARATORS,
): Splitter {
  const split = depth > DEEPEST ? undefined : (markedBy(texts, USUAL, marks, depth) ?? byWords(texts))
  return (text, id) => split?.(text, id) ?? [[id, text]]
}

/** Marks between the parts of at least as many of the texts. */
function markedBy(
  texts: readonly string[],
  enough: number,
  marks: readonly string[],
  depth: number,
): Splitter | undefined {
  const least = texts.length * ALL
  const opened = texts.filter((text) => OPENED.test(text))
  if (opened.length > 0 && opened.length >= least)
    return joined(opened, (text) => OPENED.exec(text)?.slice(1), marks, depth)
  for (const [nth, mark] of marks.entries()) {
    if (texts.filter((text) => text.includes(mark)).length < least) continue
    const count = countOf(
      texts.map((text) => cutBy(text, mark, MOST_PARTS)),
      mark === ': ' ? BEFORE_COLON : WORD,
    )
    if (count > 1)
      return joined(texts, (text) => cutBy(text, mark, count, count), marks.slice(nth + 1), depth)
  }
  const closed = texts.filter((text) => CLOSED.test(text))
  if (closed.length === 0 || closed.length < texts.length * enough) return undefined
  if (enough < ALL) return closing(texts, false, depth)
  return texts.filter((text) => ENDS_APART.test(text)).length >= least
    ? closing(texts, true, depth)
    : undefined
}

/** Whether each of many texts ends with one of a few words behind a colon: `API 1: Operational`. Settings have a name before it. */
function areOfKinds(texts: readonly string[]): boolean {
  if (texts.length < LEAST_UNNAMED) return false
  const cuts = texts.map((text) => cutAtLast(text, ': ')).filter((cut) => cut !== undefined)
  const ends = cuts.map(([, end]) => end)
  if (cuts.filter(([start]) => /^[\w.-]+$/.test(start)).length * 2 > cuts.length) return false
  const kinds = new Set(ends)
  return (
    ends.length >= texts.length * ALL &&
    kinds.size > 1 &&
    kinds.size <= Math.min(MOST_KINDS, ends.length / LEAST) &&
    ends.every((end) => end.length <= LONGEST_KIND)
  )
}

const MOST_KINDS = 12
const LONGEST_KIND = 40

function cutAtLast(text: string, mark: string): [string, string] | undefined {
  const at = text.lastIndexOf(mark)
  return at > 0 ? [text.slice(0, at), text.slice(at + mark.length)] : undefined
}

/**
 * How many parts a mark makes of each of these texts; 1 where it parts them in no one way. A mark that some texts have more often is also
 * said within a part: then all parts but the last have to be words.
 */
function countOf(cuts: readonly (readonly string[])[], word: RegExp): number {
  const least = cuts.length * ALL
  const lengths = cuts.map(({ length }) => length).sort((one, other) => one - other)
  const fewest = lengths[Math.floor(lengths.length * (1 - ALL))] ?? 1
  const isEven = lengths.filter((length) => length === fewest).length >= least
  if (isEven && word === WORD) return fewest
  const leading = cuts.map((parts) => {
    const at = parts.slice(0, -1).findIndex((part) => !word.test(part))
    return at < 0 ? parts.length : at + 1
  })
  for (let count = fewest; count > 1; count--)
    if (leading.filter((words) => words >= count).length >= least) return count
  return 1
}

/** The parts of a text between marks, at most so many; fewer than `least` are none. The last one holds the rest. */
function cutBy(text: string, mark: string, most: number): string[]
function cutBy(text: string, mark: string, most: number, least: number): string[] | undefined
function cutBy(text: string, mark: string, most: number, least = 1): string[] | undefined {
  const at = places(text, mark).slice(0, most - 1)
  if (at.length + 1 < least) return undefined
  return [...at, text.length].map((end, part) =>
    text.slice(part === 0 ? 0 : (at[part - 1] ?? 0) + mark.length, end).trim(),
  )
}

function closing(texts: readonly string[], always: boolean, depth: number): Splitter {
  const ends = texts.map((text) => text.slice(-1))
  const squares = ends.filter((end) => end === ']').length
  const isMixed = squares > 0 && ends.includes(')')
  // Of two kinds of brackets only some texts have the last one.
  const last = squares * 2 > texts.length ? ')' : ']'
  const end = (text: string): RegExpExecArray | null =>
    isMixed && !text.endsWith(last) ? null : CLOSED.exec(text)
  const usual = new Set(texts.flatMap((text) => (CLOSED_TWICE.test(text) ? [] : kindOf(end(text)))))
  const cut = (text: string): ReturnType<typeof end> | Closed => {
    const last = end(text)
    if (isMixed || usual.has(kindOf(last)) || !CLOSED_TWICE.test(text)) return last
    // One behind the usual one is a remark.
    const first = firstClosed(text, end)
    return first && usual.has(kindOf(first)) ? first : last
  }
  const inner = splitterOf(
    texts.map((text) => cut(text)?.[1] ?? text),
    depth + 1,
  )
  return (text, id) => {
    const [, before, round, square, remark] = cut(text) ?? []
    const said = round ?? square
    if (before === undefined || said === undefined) return always ? undefined : inner(text, idOf(id, 0))
    const [, number = '', what] = NUMBER_OF.exec(said) ?? []
    return [
      ...(inner(before, idOf(id, 0)) ?? []),
      what === undefined ? [idOf(id, LAST), said] : [what, number],
      ...(remark === undefined ? [] : [[idOf(id, LAST + 1), remark] as const]),
    ]
  }
}

/** Brackets of one kind beside each other at the end of a text. */
const CLOSED_TWICE = /(?:\][ ]\[[^[\]]*\]|\)[ ]\([^()]*\))$/
const MOST_REMARKS = 4
const ALONE = /^[([]([^()[\]]*)[)\]]$/

/** As `CLOSED` finds it; behind that what follows. */
type Closed = readonly (string | undefined)[]

/** The text in brackets, or its unit where it is a number of something. */
function kindOf(closed: Closed | null): string {
  const said = closed?.[2] ?? closed?.[3] ?? ''
  return NUMBER_OF.exec(said)?.[2] ?? said
}

/** The first of the brackets at the end of a text, and behind it the others. */
function firstClosed(text: string, end: (text: string) => Closed | null): Closed | null {
  let rest = text
  for (let nth = 0; nth < MOST_REMARKS && CLOSED_TWICE.test(rest); nth++) rest = end(rest)?.[1] ?? rest
  const found = end(rest)
  const remark = text.slice(rest.length).trim()
  return found && [...found, ALONE.exec(remark)?.[1] ?? remark]
}

/** Each part split further, by what is alike in it. */
function joined(
  texts: readonly string[],
  cut: (text: string) => readonly string[] | undefined,
  marks: readonly string[],
  depth: number,
): Splitter {
  const columns: string[][] = []
  for (const text of texts)
    for (const [nth, part] of (cut(text) ?? []).entries()) {
      columns[nth] ??= []
      columns[nth].push(part)
    }
  const inner = columns.map((column) => splitterOf(column, depth + 1, marks))
  return (text, id) => cut(text)?.flatMap((part, nth) => inner[nth]?.(part, idOf(id, nth)) ?? [])
}

/** Where a mark stands in a text, outside of quotes and brackets. */
function places(text: string, mark: string): number[] {
  const found: number[] = []
  const areQuoted = text.split('"').length % 2 === 1
  let [depth, isQuoted] = [0, false]
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at)
    if (character === '"' && areQuoted) isQuoted = !isQuoted
    else if (isQuoted) continue
    else if (character === '(' || character === '[') depth += 1
    else if (character === ')' || character === ']') depth = Math.max(0, depth - 1)
    else if (depth === 0 && text.startsWith(mark, at)) found.push(at)
  }
  return found
}

/** Texts with the same small words between their parts, `5 km in 2h on Monday`; or of as many words with an address among them, `GET https://…`. */
function byWords(texts: readonly string[]): Splitter | undefined {
  if (texts.length < LEAST) return undefined
  const [start = ''] = /^[A-Z][a-z]+ (?=\S)/.exec(texts[0] ?? '') ?? []
  const led = start !== '' && texts.every((text) => text.startsWith(start)) ? start : ''
  const counts = tally(
    texts.flatMap((text) => [...new Set(Array.from(text.matchAll(BETWEEN), ([, said = '']) => said))]),
  )
  const least = texts.length * (led === '' ? ALL : USUAL)
  const words = [...counts].flatMap(([word, count]) => (count >= least ? word : []))
  if (words.length > 0) return betweenWords(words, led)
  const length = texts[0]?.split(' ').length ?? 0
  const isEven = (words: readonly string[]): boolean =>
    words.length === length && words.some((word) => ADDRESS.test(word))
  if (length < 2 || length > MOST_WORDS || !texts.every((text) => isEven(text.split(' ')))) return undefined
  return (text, id) => {
    const parts = text.split(' ')
    return parts.length === length ? parts.map((part, nth) => [idOf(id, nth), part]) : undefined
  }
}

function betweenWords(words: readonly string[], led: string): Splitter {
  return (text, id) => {
    if (!text.startsWith(led)) return undefined
    const rest = text.slice(led.length)
    const at = words
      .map((word) => ({ word, at: rest.lastIndexOf(` ${word} `) }))
      .filter((one) => one.at >= 0)
      .sort((one, other) => one.at - other.at)
    const ends = [...at.map((one) => one.at), rest.length]
    return ends.map((end, nth) => {
      const before = at[nth - 1]
      const name = before?.word ?? (led === '' ? idOf(id, 0) : led.trim())
      return [name, rest.slice(before ? before.at + before.word.length + 2 : 0, end)]
    })
  }
}

/**
 * Records `{line, heading?, number?, title?, …}` of the parts by their names; parts without one are `text`, or `part1`, `part2`, …. A name
 * that the text gives comes before one of these: the other has a number behind it.
 */
function recordsOf({ rows, partsOf }: AlikeLines): JsonObject[] {
  const all = rows.map(partsOf)
  const names = new Set(all.flatMap((parts) => parts.map(([name]) => name)))
  const nameless = [...names].filter((name) => name.startsWith(NAMELESS)).sort()
  const free = (name: string): string => freeName(names, name)
  const given = new Map(
    nameless.map((name, nth) => [name, free(nameless.length === 1 ? 'text' : `part${nth + 1}`)]),
  )
  const isQuoted = new Map<string, boolean>()
  const words = new Set<string>()
  for (const parts of all)
    for (const [name, value] of parts) {
      if (value === '') continue
      isQuoted.set(name, isQuoted.get(name) !== false && /^".*"$/s.test(value) && value.length > 1)
      if (exactNumber(value) === undefined) words.add(name)
    }
  const [ofLine, ofHeading, ofNumber, ofLead] = ['line', 'heading', 'number', 'title'].map(free)
  return rows.map(({ line, bullet, heading, lead }, index) => {
    const record: JsonObject = {}
    const add = (name = '', value: JsonValue = null): void => {
      if (Object.hasOwn(record, name)) add(`${name}_2`, value)
      else setOwn(record, name, value)
    }
    add(ofLine, line + 1)
    if (heading !== undefined) add(ofHeading, heading)
    const number = exactNumber(bullet.slice(0, -1))
    if (number !== undefined) add(ofNumber, number)
    if (lead !== undefined) add(ofLead, lead)
    for (const [name, value] of all[index] ?? []) {
      const bare = isQuoted.get(name) === true ? value.slice(1, -1) : value
      add(given.get(name) ?? name, words.has(name) ? bare : (exactNumber(value) ?? null))
    }
    return record
  })
}

/** Tried late, when no form with a name was found. Never takes lines that differ in what parts them, such as prose. */
export const alike = defineFormat<AlikeLines>({
  name: 'alike',
  family: 'entries',
  detect(text) {
    return findAlike(indexLines(text))
  },
  read: (_, found) => recordsOf(found),
  asides: (_, { around }) => around.slice(0, MOST_TOLD).map(asideOf),
})
