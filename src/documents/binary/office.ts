/** The text of Office Open XML: paragraphs and tables of a document, records of a workbook, slides of a presentation. */
import { Parser } from 'htmlparser2'
import { type JsonObject, type JsonValue, setOwn } from '../../protocol/json.ts'
import { type Allowance, type Entry, inflate, Unreadable } from './zip.ts'

/** The kind of a file and its content: text, or data. */
export interface Office {
  readonly type: string
  readonly count?: number
  readonly counted?: string
  readonly text?: string
  readonly data?: JsonValue
}

/** Entries of an archive by their names, inflated on demand. */
export interface Archive {
  readonly entries: readonly Entry[]
  readonly bytes: Buffer
  readonly allowance: Allowance
}

const PREFIX = 'application/vnd.openxmlformats-officedocument.'

/** Undefined: an archive of another kind. Throws `Unreadable`. */
export function readOffice(archive: Archive): Office | undefined {
  const has = (name: string): boolean => archive.entries.some((entry) => entry.name === name)
  if (has('word/document.xml')) {
    const text = readDocument(partOf(archive, 'word/document.xml'))
    return { type: `${PREFIX}wordprocessingml.document`, text }
  }
  if (has('xl/workbook.xml')) return readWorkbook(archive)
  if (has('ppt/presentation.xml')) return readSlides(archive)
  return undefined
}

function partOf({ entries, bytes, allowance }: Archive, name: string): string {
  const entry = entries.find((one) => one.name === name)
  return entry === undefined ? '' : inflate(bytes, entry, allowance).toString('utf8')
}

// XML as it comes by: elements without their prefixes. Entities of a document's own are not read, so none grows.

interface Visitor {
  open(name: string, attributes: Readonly<Record<string, string>>): void
  close(name: string): void
  text?(text: string): void
}

function visit(xml: string, { open, close, text }: Visitor): void {
  const parser = new Parser(
    {
      onopentag: (name, attributes) => open(localName(name), attributes),
      onclosetag: (name) => close(localName(name)),
      ...(text && { ontext: text }),
    },
    { xmlMode: true, decodeEntities: true },
  )
  parser.end(xml)
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

// A document: Markdown, so that headings are sections and tables are tables.

/** Characters that are read of one file. */
const LONGEST = 20_000_000

function readDocument(xml: string): string {
  const written: string[] = []
  let length = 0
  const say = (line: string): void => {
    length += line.length + 1
    if (length > LONGEST) throw new Unreadable('its text is longer than what is read')
    written.push(line)
  }
  let paragraph = ''
  let heading = 0
  let isText = false
  /** Tables may stand in cells of others: the outermost is one. */
  let tables = 0
  let row: string[] = []
  let cell: string[] = []
  let rows = 0

  visit(xml, {
    open(name, attributes) {
      if (name === 't') isText = true
      else if (name === 'tab') paragraph += '\t'
      else if (name === 'br' || name === 'cr') paragraph += tables > 0 ? ' ' : '\n'
      else if (name === 'pStyle') heading = headingOf(attributes['w:val'] ?? '')
      else if (name === 'tbl' && ++tables === 1) rows = 0
      else if (name === 'tr' && tables === 1) row = []
      else if (name === 'tc' && tables === 1) cell = []
    },
    close(name) {
      if (name === 't') isText = false
      else if (name === 'p') {
        const words = paragraph.trim()
        if (tables > 0) cell.push(words)
        else if (words !== '') {
          say(`${'#'.repeat(heading)}${heading > 0 ? ' ' : ''}${words}`)
          say('')
        }
        paragraph = ''
        heading = 0
      } else if (name === 'tc' && tables === 1)
        row.push(
          cell
            .filter((words) => words !== '')
            .join(' ')
            .replaceAll('|', '\\|'),
        )
      else if (name === 'tr' && tables === 1) {
        say(`| ${row.join(' | ')} |`)
        if (++rows === 1) say(`|${' --- |'.repeat(row.length)}`)
      } else if (name === 'tbl' && --tables === 0) say('')
    },
    text(text) {
      if (isText) paragraph += text
    },
  })
  return written.join('\n').trim()
}

function headingOf(style: string): number {
  const level = /^(?:heading|berschrift|überschrift|titre)\s?([1-6])$/iu.exec(style)?.[1]
  return level === undefined ? (/^title$/i.test(style) ? 1 : 0) : Number(level)
}

function readSlides(archive: Archive): Office {
  const slides = archive.entries
    .flatMap(({ name }) => {
      const number = /^ppt\/slides\/slide(\d+)\.xml$/.exec(name)?.[1]
      return number === undefined ? [] : [{ name, number: Number(number) }]
    })
    .sort((a, b) => a.number - b.number)
  const written: string[] = []
  for (const { name, number } of slides) {
    written.push(`## Slide ${number}`, '')
    let paragraph = ''
    let isText = false
    visit(partOf(archive, name), {
      open: (element) => {
        if (element === 't') isText = true
      },
      close: (element) => {
        if (element === 't') isText = false
        if (element !== 'p') return
        if (paragraph.trim() !== '') written.push(paragraph.trim(), '')
        paragraph = ''
      },
      text: (text) => {
        if (isText) paragraph += text
      },
    })
  }
  const text = written.join('\n').trim()
  return { type: `${PREFIX}presentationml.presentation`, count: slides.length, counted: 'slide', text }
}

// A workbook: a sheet is a list of records. Its first row names the fields where it has names.

/** Cells that are read of one workbook. */
const MOST_CELLS = 1_000_000

type Cell = string | number | boolean | null

function readWorkbook(archive: Archive): Office {
  const targets = new Map<string, string>()
  visit(partOf(archive, 'xl/_rels/workbook.xml.rels'), {
    open: (name, { Id = '', Target = '' }) => {
      if (name === 'Relationship') targets.set(Id, Target)
    },
    close() {},
  })
  const sheets: { name: string; path: string }[] = []
  let isFrom1904 = false
  visit(partOf(archive, 'xl/workbook.xml'), {
    open(name, attributes) {
      if (name === 'workbookPr') isFrom1904 = ['1', 'true'].includes(attributes.date1904 ?? '')
      const target = targets.get(attributes['r:id'] ?? '')
      if (name === 'sheet' && target !== undefined)
        sheets.push({ name: attributes.name ?? `Sheet${sheets.length + 1}`, path: pathOf(target) })
    },
    close() {},
  })
  const strings = sharedStrings(partOf(archive, 'xl/sharedStrings.xml'))
  const dates = dateStyles(partOf(archive, 'xl/styles.xml'))
  const work = { left: MOST_CELLS }
  const data: JsonObject = {}
  for (const { name, path } of sheets)
    setOwn(data, name, recordsOf(readSheet(partOf(archive, path), { strings, dates, isFrom1904, work })))
  const [only, another] = Object.values(data)
  return {
    type: `${PREFIX}spreadsheetml.sheet`,
    count: sheets.length,
    counted: 'sheet',
    data: another === undefined ? (only ?? []) : data,
  }
}

/** Targets are relative to the folder of the workbook, or absolute in the archive. */
function pathOf(target: string): string {
  return target.startsWith('/') ? target.slice(1) : `xl/${target}`
}

function sharedStrings(xml: string): string[] {
  const strings: string[] = []
  let text = ''
  let isText = false
  /** How a word is pronounced stands beside it. */
  let isPhonetic = false
  visit(xml, {
    open(name) {
      if (name === 'si') text = ''
      else if (name === 't') isText = !isPhonetic
      else if (name === 'rPh') isPhonetic = true
    },
    close(name) {
      if (name === 't') isText = false
      else if (name === 'rPh') isPhonetic = false
      else if (name === 'si') strings.push(text)
    },
    text: (part) => {
      if (isText) text += part
    },
  })
  return strings
}

/** Positions of cell styles that show a number as a date. */
function dateStyles(xml: string): ReadonlySet<number> {
  const formats = new Set<string>(['14', '15', '16', '17', '18', '19', '20', '21', '22', '45', '46', '47'])
  const dates = new Set<number>()
  let isCell = false
  let position = 0
  visit(xml, {
    open(name, { numFmtId = '', formatCode = '' }) {
      if (name === 'numFmt' && isDateFormat(formatCode)) formats.add(numFmtId)
      else if (name === 'cellXfs') isCell = true
      else if (name === 'xf' && isCell) {
        if (formats.has(numFmtId)) dates.add(position)
        position++
      }
    },
    close(name) {
      if (name === 'cellXfs') isCell = false
    },
  })
  return dates
}

function isDateFormat(code: string): boolean {
  return /[ymdhs]/i.test(code.replaceAll(/"[^"]*"|\[[^\]]*\]|\\./g, ''))
}

interface SheetContext {
  readonly strings: readonly string[]
  readonly dates: ReadonlySet<number>
  readonly isFrom1904: boolean
  readonly work: { left: number }
}

/** Columns of a sheet: a cell of one further out has no place. */
const MOST_COLUMNS = 16_384

function readSheet(xml: string, context: SheetContext): Cell[][] {
  const rows: Cell[][] = []
  let row: Cell[] = []
  let at = 0
  let type = ''
  let style = 0
  let text = ''
  let isValue = false
  visit(xml, {
    open(name, attributes) {
      if (name === 'row') row = []
      else if (name === 'c') {
        at = columnOf(attributes.r) ?? row.length
        type = attributes.t ?? 'n'
        style = Number(attributes.s ?? -1)
        text = ''
      } else if (name === 'v' || name === 't') isValue = true
    },
    close(name) {
      if (name === 'v' || name === 't') isValue = false
      else if (name === 'row') {
        if (row.length > 0) rows.push(row)
      } else if (name === 'c' && at < MOST_COLUMNS) {
        // Cells that are left out take room as well.
        context.work.left -= 1 + Math.max(0, at - row.length)
        if (context.work.left < 0) throw new Unreadable('it has more cells than what is read')
        while (row.length < at) row.push(null)
        row[at] = cellOf(text, type, style, context)
      }
    },
    text: (part) => {
      if (isValue) text += part
    },
  })
  return rows
}

/** `C7` is in column 2. */
function columnOf(reference: string | undefined): number | undefined {
  const letters = /^[A-Z]{1,3}/.exec(reference ?? '')?.[0]
  if (letters === undefined) return undefined
  let column = 0
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64
  return column - 1
}

function cellOf(text: string, type: string, style: number, context: SheetContext): Cell {
  if (type === 's') return context.strings[Number(text)] ?? null
  if (text === '') return null
  if (type === 'b') return text === '1'
  const number = Number(text)
  if (type !== 'n' || !Number.isFinite(number)) return text
  return context.dates.has(style) ? dateOf(number, context.isFrom1904) : number
}

const DAY = 86_400_000

/** Days since the end of 1899, or since the beginning of 1904, as `2024-05-01` or `2024-05-01T12:30:00`. */
function dateOf(days: number, isFrom1904: boolean): string | number {
  const time = Math.round(days * 86_400) * 1000 + (isFrom1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, 30))
  if (!Number.isFinite(time) || Math.abs(days) > 3_000_000) return days
  const written = new Date(time).toISOString().slice(0, 19)
  return time % DAY === 0 ? written.slice(0, 10) : written
}

function recordsOf(rows: readonly Cell[][]): JsonValue {
  const [head, ...others] = rows
  if (head === undefined) return []
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0)
  const isNamed =
    others.length > 0 &&
    head.every((cell) => typeof cell === 'string' && cell.trim() !== '') &&
    new Set(head).size === head.length
  const names = Array.from({ length: width }, (_, at) =>
    isNamed ? String(head[at] ?? letters(at)) : letters(at),
  )
  return (isNamed ? others : rows).map((row) => {
    return Object.fromEntries(row.map((cell, at) => [names[at] ?? letters(at), cell]))
  })
}

/** The name of a column: `A`, `Z`, `AA`. */
function letters(column: number): string {
  const rest = Math.floor(column / 26)
  return (rest > 0 ? letters(rest - 1) : '') + String.fromCharCode(65 + (column % 26))
}
