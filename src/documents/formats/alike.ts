/**
 * Lines that are made of like parts, a record on each: `- "Standup" (Starts: 2025-09-01) ID: 7 | Link: …`, `PID: 1, Command: init`,
 * `81e3 - web-1 - running`, `reqid=1 GET https://… [200]`.
 */
import { type JsonObject, setOwn } from '../../protocol/json.ts'
import { indexLines, type LineIndex } from '../../text/lines.ts'
import { overviewOfData } from '../overview/records.ts'
import { asideOf, exactNumber } from './cells.ts'
import { defineFormat } from './define.ts'

/** A bullet, a number or a pictogram before the parts. */
const BULLET =
  /^[ \t]*(?:(\d{1,6})[.)]|[-*+•▪●◆‣–]|(?:\p{Extended_Pictographic}(?:\p{Emoji_Modifier}|\u200d|\ufe0f)*)+)[ \t]+(?=\S)/u
/** `Key: ` at the start of a line, or behind what parts it from the value before. */
const LABEL = /(?<=^[ \t]*|[([{|,;)\]"”] ?|[-–—•·] )(\p{L}[\p{L}\p{N}_ /?#.]{0,30}):(?= |$)/gmu
/** `key=` at the start of a line or behind a blank. */
const PAIR = /(?<=^[ \t]*|[ \t])([A-Za-z_][\w.-]{0,30})=(?=\S)/gm
/** Marks between values, with blanks around them. */
const SEPARATORS = [' | ', '\t', ' · ', ' • ', ' → ', ' -> ', ' — ', ' – ', ' - ', ': '] as const
/** Words that stand between two parts. */
const BETWEEN = / (by|in|on|at|from|to|for|with|of|via|as) /g
/** `(2 args)`, `[35 times]`: a number of something. */
const NUMBER_OF = /^(\d[\d.,]*) (\p{L}{2,20})$/u
/** Characters of a record that are looked at for parts; the rest is of its last part. */
const LONGEST = 8_192
/** Lines that are looked at to find out what they are made of. */
const SAMPLE = 200
/** Records that there must be: where parts have names, and where none has. */
const LEAST = 4
const LEAST_UNNAMED = 8
/** The share of records that have a part, for all to have it, and for it to be one at all. */
const ALL = 0.95
const SOME = 0.05
/** Lines above the records, and lines of a record on average. */
const MOST_ABOVE = 8
const MOST_LINES = 3
const MOST_BELOW = 60
const MOST_PARTS = 24
const MOST_WORDS = 6
/** The share of texts that say a part which others lack. */
const USUAL = 0.5
/** `https://a.org/b`, `/a/b`. */
const ADDRESS = /^(?:[a-z]+:\/)?\/\S/
/** Marks that end a value wherever they stand. */
const STRONG = [' | ', '\t', ' · ', ' • ']
const MOST_TOLD = 6

/** A record before its parts are told apart. */
interface Row {
  /** Its line, from 0. */
  readonly line: number
  readonly bullet: string
  readonly text: string
  /** The lines that go on with it. */
  readonly below: string[]
  /** A line of its own above it. */
  lead?: string
}

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
export function findAlike(lines: LineIndex, from: number, to: number): AlikeLines | undefined {
  const step = Math.max(1, Math.floor((to - from) / SAMPLE))
  const sample = rowsOf(lines, from, to, step)
  // Rows of a table are read as such, or not at all.
  if (sample.filter(({ text }) => text.startsWith('|')).length * 2 > sample.length) return undefined
  const names = namesIn(sample)
  const split = names ? undefined : separatorOf(sample)
  if (!names && !split) return undefined
  const all = rowsOf(lines, from, to, 1)
  const named = names && labelled(all, names)
  if (named || split) return named ?? (split && separated(all, split))
  const other = separatorOf(sample)
  return other && separated(all, other)
}

function rowsOf(lines: LineIndex, from: number, to: number, step: number): Row[] {
  const rows: Row[] = []
  for (let index = from; index < to; index += step) {
    const isLong = lines.end(index) - lines.start(index) > LONGEST
    const line = isLong ? lines.at(index).slice(0, LONGEST) : lines.at(index)
    if (line.trim() === '') continue
    const [bullet = ''] = BULLET.exec(line) ?? []
    rows.push({ line: index, bullet: bullet.trim(), text: line.slice(bullet.length).trimEnd(), below: [] })
  }
  return rows
}

/** A place where a value begins. */
interface Label {
  readonly key: string
  readonly start: number
  readonly end: number
  /** `key=`, with a value of one word. */
  readonly isPair: boolean
  /** The character before it; none at the start of a line. */
  readonly behind: string
}

/** Labels in their order, each key once: those of some keys, or all. */
function labelsIn(text: string, keys?: ReadonlySet<string>): Label[] {
  const found: Label[] = []
  for (const { pattern, mark, isPair } of LABELS)
    if (text.includes(mark))
      for (const { 0: whole, 1: key = '', index } of text.matchAll(pattern))
        if (keys === undefined || keys.has(key))
          found.push({
            key,
            start: index,
            end: index + whole.length,
            isPair,
            behind: text.slice(0, index).trimEnd().slice(-1),
          })
  found.sort((one, other) => one.start - other.start)
  const seen = new Set<string>()
  return found.filter(({ key }) => !seen.has(key) && seen.add(key))
}

const LABELS = [
  { pattern: LABEL, mark: ':', isPair: false },
  { pattern: PAIR, mark: '=', isPair: true },
] as const

interface Names {
  /** The first one that all records have. */
  readonly first: string
  readonly keys: ReadonlySet<string>
}

/** The names that records have: some all of them, others where they stand apart in the same way, or within brackets. */
function namesIn(sample: readonly Row[]): Names | undefined {
  const saying = sample.filter(({ text }) => text.includes(':') || text.includes('='))
  if (saying.length < LEAST || saying.length < sample.length / MOST_LINES) return undefined
  const found = new Map<string, Label[]>()
  for (const { text } of saying)
    for (const label of labelsIn(text)) found.set(label.key, [...(found.get(label.key) ?? []), label])
  const most = Math.max(0, ...Array.from(found.values(), ({ length }) => length))
  if (most < LEAST || most < sample.length / MOST_LINES) return undefined
  const needed = [...found].filter(([, { length }]) => length >= most * ALL)
  const [[first] = []] = needed
  const marks = new Set(needed.flatMap(([, labels]) => labels.map(({ behind }) => behind)))
  const keys = [...found].flatMap(([key, labels]) => {
    const apart = labels.filter(
      ({ behind, isPair }) => (!isPair && marks.has(behind)) || '(,'.includes(behind),
    )
    return labels.length >= most * ALL || apart.length >= Math.max(2, most * SOME) ? key : []
  })
  return first === undefined || keys.length > MOST_PARTS ? undefined : { first, keys: new Set(keys) }
}

/** Records with names in them. One begins where the first name that all have stands. */
function labelled(all: readonly Row[], { first, keys }: Names): AlikeLines | undefined {
  const rows: Row[] = []
  const above: string[] = []
  for (const row of all) {
    const last = rows.at(-1)
    if (labelsIn(row.text, keys).some(({ key }) => key === first)) rows.push(row)
    else if (!last) above.push(row.text)
    // What is marked as a record of its own is one.
    else if (row.bullet !== '' && row.bullet === last.bullet) return undefined
    else if (last.below.length < MOST_BELOW) last.below.push(row.text)
  }
  const areSetIn = rows.every(({ text }) => /^\s/.test(text)) && /^\S/.test(above.at(-1) ?? '')
  if (areSetIn)
    for (const [index, row] of rows.entries()) {
      const lead = index === 0 ? above.pop() : rows[index - 1]?.below.pop()
      if (lead === undefined) return undefined
      row.lead = lead
    }
  // Keys on lines of their own are for other readers: here most stand beside each other.
  const beside = rows.filter(({ text }) => {
    const labels = labelsIn(text, keys)
    return (
      labels.length > 1 ||
      (labels[0] !== undefined && text.slice(0, labels[0].start).trim() !== '') ||
      hasTail(text, labels)
    )
  })
  if (rows.length < LEAST || above.length > MOST_ABOVE || beside.length < rows.length * ALL) return undefined
  const strong = STRONG.find(
    (mark) => rows.filter(({ text }) => text.includes(mark)).length >= rows.length * ALL,
  )
  const order = [...keys]
  const cut = ({ text, below }: Row) => cutAt([text, ...below].join('\n'), keys, strong)
  const slots = new Map<string, string[]>()
  for (const row of spread(rows))
    for (const [slot, said] of cut(row).free) slots.set(slot, [...(slots.get(slot) ?? []), said])
  const splitters = new Map([...slots].map(([slot, texts]) => [slot, splitterOf(texts)]))
  const partsOf = (row: Row): Part[] => {
    const { free, values, rest } = cut(row)
    return [
      ...free.flatMap(
        ([slot, said]) => splitters.get(slot)?.(said, idOf(NAMELESS, order.indexOf(slot) + 1)) ?? [],
      ),
      ...values,
      ...(rest === '' ? [] : [[NAMELESS + REST, rest] as const]),
    ]
  }
  return { rows, partsOf, around: above }
}

function spread<T>(all: readonly T[]): readonly T[] {
  const step = Math.max(1, Math.floor(all.length / SAMPLE))
  return all.filter((_, index) => index % step === 0)
}

/** Whether a line goes on behind the value of its only pair. */
function hasTail(line: string, [label]: readonly Label[]): boolean {
  return label?.isPair === true && /\s\S/.test(line.slice(label.end))
}

/** A record cut at its names: the values, texts without a name by the key before them, and the lines behind them. */
interface Cut {
  readonly values: readonly Part[]
  readonly free: readonly (readonly [slot: string, text: string])[]
  readonly rest: string
}

function cutAt(text: string, keys: ReadonlySet<string>, strong: string | undefined): Cut {
  const labels = labelsIn(text, keys)
  const free: (readonly [string, string])[] = []
  const values: Part[] = []
  let rest = ''
  const add = (slot: string, said: string): void => {
    const [line = '', ...below] = said.split('\n')
    const bare = trimmed(line)
    if (bare !== '') free.push([slot, bare])
    rest += below.join('\n').trim()
  }
  add('', text.slice(0, labels[0]?.start ?? text.length))
  for (const [nth, { key, end, isPair }] of labels.entries()) {
    const said = text.slice(end, labels[nth + 1]?.start ?? text.length)
    const isLast = nth === labels.length - 1
    const stop = isPair ? endOfWord(said) : endOfValue(said, isLast ? undefined : strong)
    values.push([key, trimmed(said.slice(0, stop))])
    add(key, said.slice(stop))
  }
  return { values, free, rest }
}

function endOfWord(said: string): number {
  const end = said.startsWith('"') ? said.indexOf('"', 1) + 1 : 0
  const blank = said.slice(end).search(/\s/)
  return blank < 0 ? said.length : end + blank
}

/** Where a value ends: at a bracket that opened before it, or at what parts the values of this text. */
function endOfValue(said: string, strong: string | undefined): number {
  let depth = 0
  for (let at = 0; at < said.length; at++) {
    const character = said.charAt(at)
    if (character === '(' || character === '[') depth += 1
    else if ((character === ')' || character === ']') && --depth < 0) return at
    else if (depth === 0 && strong !== undefined && said.startsWith(strong, at)) return at
  }
  return said.length
}

/** Without what parts a text from its neighbours. */
function trimmed(text: string): string {
  const inner = text.replace(/^[\s|,;)\]·•]+(?:[-–—] )?/u, '').replace(/^[-–—:] /, '')
  const end =
    inner.length - (/(?:[\s|,;·•]|\s[-–—]|(?<=\s)[([]|^[-–—([])+$/u.exec(inner.slice(-8))?.[0].length ?? 0)
  return inner.slice(0, end)
}

/** How lines without names are split: those at the margin have the same marks between their parts. */
function separatorOf(sample: readonly Row[]): Splitter | undefined {
  const margin = sample.filter(({ text }) => /^\S/.test(text))
  if (margin.length < LEAST_UNNAMED || margin.length < sample.length / MOST_LINES) return undefined
  // Lines above and below the records are no part of what is alike.
  const edge = Math.min(MOST_ABOVE, Math.floor(margin.length / 5))
  const texts = margin.slice(edge, margin.length - edge).map(({ text }) => text)
  return markedBy(texts, ALL, SEPARATORS)
}

/** Records without names. */
function separated(all: readonly Row[], split: Splitter): AlikeLines | undefined {
  const rows: Row[] = []
  const around: string[] = []
  let behind = 0
  for (const row of all) {
    const isSetIn = /^\s/.test(row.text)
    if (!isSetIn && split(row.text, '')) {
      // A line between records would be lost.
      if (behind > 0) return undefined
      rows.push(row)
    } else if (isSetIn && rows.length > 0) rows.at(-1)?.below.push(row.text)
    else {
      around.push(row.text)
      if (rows.length > 0) behind += 1
    }
  }
  if (rows.length < LEAST_UNNAMED || around.length > MOST_ABOVE) return undefined
  const partsOf = ({ text, below }: Row): Part[] => [
    ...(split(text, NAMELESS) ?? []),
    ...(below.length > 0 ? [[NAMELESS + REST, below.join('\n').trim()] as const] : []),
  ]
  return { rows, partsOf, around }
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

/** How texts are split that have the same marks between their parts, or the same words. A text that is not like the others stays whole. */
function splitterOf(texts: readonly string[], marks: readonly string[] = SEPARATORS): Splitter {
  const split = markedBy(texts, USUAL, marks) ?? byWords(texts)
  return (text, id) => split?.(text, id) ?? [[id, text]]
}

/** Marks between the parts of at least as many of the texts. */
function markedBy(texts: readonly string[], enough: number, marks: readonly string[]): Splitter | undefined {
  const least = texts.length * ALL
  const opened = texts.filter((text) => /^\[[^\]]*\] ./.test(text))
  if (opened.length > 0 && opened.length >= least)
    return joined(opened, (text) => /^\[([^\]]*)\] (.*)$/s.exec(text)?.slice(1), marks)
  for (const [nth, mark] of marks.entries()) {
    if (texts.filter((text) => text.includes(mark)).length < least) continue
    const found = texts.map((text) => places(text, mark).length)
    const fewest = found.toSorted((one, other) => one - other)[Math.floor(found.length * (1 - ALL))] ?? 0
    if (fewest > MOST_PARTS) continue
    const rest = marks.slice(nth + 1)
    const areEven = mark !== ': ' && fewest > 0 && found.filter((one) => one === fewest).length >= least
    if (areEven) return joined(texts, (text) => cutBy(text, mark, fewest), rest)
    // A mark that some lines have more often is also said within a part: then the first parts have to be words.
    for (let count = fewest; count > 0; count--) {
      const areWords = (text: string): boolean =>
        cutBy(text, mark, count)
          ?.slice(0, -1)
          .every((part) => (mark === ': ' ? BEFORE_COLON : WORD).test(part)) === true
      if (texts.filter(areWords).length >= least)
        return joined(texts, (text) => cutBy(text, mark, count), rest)
    }
  }
  const closed = texts.filter((text) => CLOSED.test(text))
  if (closed.length === 0 || closed.length < texts.length * enough) return undefined
  if (enough < ALL) return closing(texts, false)
  return texts.filter((text) => ENDS_APART.test(text)).length >= least ? closing(texts, true) : undefined
}

/** `Name: value` says a field of a record, and a colon behind a number or an address parts two. */
const BEFORE_COLON = /^(?:[\da-f]{6,16}|\d[\w.:-]{0,60}|\S{0,60}\/\S{0,60})$/i
const WORD = /^\S{1,120}$/
/** A text and something short in brackets: those of calls and lists are no parts. */
const ENDS_APART = /\s(?:\([^(),]*\)|\[[^[\],]*\])$/

function cutBy(text: string, mark: string, count: number): string[] | undefined {
  const at = places(text, mark).slice(0, count)
  if (at.length < count) return undefined
  return [...at, text.length].map((end, part) =>
    text.slice(part === 0 ? 0 : (at[part - 1] ?? 0) + mark.length, end).trim(),
  )
}

/** A text before what stands in brackets at its end. The last bracket may be cut off. */
const CLOSED = /^(.*\S) ?(?:\(([^()]*)\)?|\[([^[\]]*)\]?)$/s

function closing(texts: readonly string[], always: boolean): Splitter {
  const ends = texts.map((text) => text.slice(-1))
  const squares = ends.filter((end) => end === ']').length
  const isMixed = squares > 0 && ends.includes(')')
  // Of two kinds of brackets only some texts have the last one.
  const last = squares * 2 > texts.length ? ')' : ']'
  const end = (text: string): RegExpExecArray | null =>
    isMixed && !text.endsWith(last) ? null : CLOSED.exec(text)
  const inner = splitterOf(texts.map((text) => end(text)?.[1] ?? text))
  return (text, id) => {
    const [, before, round, square] = end(text) ?? []
    const said = round ?? square
    if (before === undefined || said === undefined) return always ? undefined : inner(text, idOf(id, 0))
    const [, number = '', what] = NUMBER_OF.exec(said) ?? []
    return [
      ...(inner(before, idOf(id, 0)) ?? []),
      what === undefined ? [idOf(id, LAST), said] : [what, number],
    ]
  }
}

/** Each part split further, by what is alike in it. */
function joined(
  texts: readonly string[],
  cut: (text: string) => readonly string[] | undefined,
  marks: readonly string[],
): Splitter {
  const columns: string[][] = []
  for (const text of texts)
    for (const [nth, part] of (cut(text) ?? []).entries()) {
      columns[nth] ??= []
      columns[nth].push(part)
    }
  const inner = columns.map((column) => splitterOf(column, marks))
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
  const counts = new Map<string, number>()
  for (const text of texts)
    for (const word of new Set(Array.from(text.matchAll(BETWEEN), ([, said = '']) => said)))
      counts.set(word, (counts.get(word) ?? 0) + 1)
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

/** Records `{line, number?, title?, …}` of the parts by their names; parts without one are `text`, or `part1`, `part2`, …. */
export function alikeRecords({ rows, partsOf }: AlikeLines): JsonObject[] {
  const all = rows.map(partsOf)
  const nameless = new Set(
    all.flatMap((parts) => parts.flatMap(([name]) => (name.startsWith(NAMELESS) ? name : []))),
  )
  const given = new Map(
    [...nameless].sort().map((name, nth, { length }) => [name, length === 1 ? 'text' : `part${nth + 1}`]),
  )
  const isQuoted = new Map<string, boolean>()
  const words = new Set<string>()
  for (const parts of all)
    for (const [name, value] of parts) {
      if (value === '') continue
      isQuoted.set(name, isQuoted.get(name) !== false && /^".*"$/s.test(value) && value.length > 1)
      if (exactNumber(value) === undefined) words.add(name)
    }
  return rows.map(({ line, bullet, lead }, index) => {
    const number = exactNumber(bullet.slice(0, -1))
    const record: JsonObject = {
      line: line + 1,
      ...(number !== undefined && { number }),
      ...(lead !== undefined && { title: lead }),
    }
    for (const [name, value] of all[index] ?? []) {
      const bare = isQuoted.get(name) === true ? value.slice(1, -1) : value
      const key = given.get(name) ?? name
      if (!Object.hasOwn(record, key))
        setOwn(record, key, words.has(name) ? bare : (exactNumber(value) ?? null))
    }
    return record
  })
}

/** Tried late, when no form with a name was found. Never takes lines that differ in what parts them, such as prose. */
export const alike = defineFormat<AlikeLines>({
  name: 'alike',
  family: 'entries',
  line: 'entry',
  detect(text) {
    const lines = indexLines(text)
    return findAlike(lines, 0, lines.count)
  },
  read: (_, found) => alikeRecords(found),
  asides: (_, { around }) => around.slice(0, MOST_TOLD).map(asideOf),
  overview: overviewOfData,
})
