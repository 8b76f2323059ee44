/** Dumps of databases in SQL: the rows of `INSERT INTO … VALUES` and of `COPY … FROM stdin`, by their tables. */
import { type JsonObject, type JsonValue, own, setOwn } from '../../protocol/json.ts'
import { distinct, recordsOf } from './cells.ts'
import { BEGINNING, defineFormat } from './define.ts'

const NAME = String.raw`(?:"(?:[^"]|""){1,128}"|${'`'}[^${'`'}]{1,128}${'`'}|\[[^\]]{1,128}\]|[\w$]{1,128})`
const TABLE = String.raw`((?:${NAME}\s*\.\s*){0,2}${NAME})`
const INSERT = new RegExp(
  String.raw`(?:INSERT|REPLACE)\s+(?:IGNORE\s+)?INTO\s+${TABLE}\s*(?:\(([^()]{1,20000})\)\s*)?(?:OVERRIDING\s+\w+\s+VALUE\s+)?VALUES\s*(?=\()`,
  'iy',
)
const COPY = new RegExp(
  String.raw`COPY\s+${TABLE}\s*(?:\(([^()]{1,20000})\)\s*)?FROM\s+stdin[^;\n]{0,200};\r?\n`,
  'iy',
)
const CREATE = new RegExp(String.raw`CREATE\s+TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?${TABLE}\s*\(`, 'iy')
/** The words that begin no column in the list of a table. */
const NO_COLUMN = /^(?:PRIMARY|FOREIGN|UNIQUE|KEY|INDEX|CONSTRAINT|CHECK|FULLTEXT|SPATIAL|EXCLUDE|LIKE)\b/i
const STATEMENT = /^[ \t]*(?=(?:INSERT|REPLACE|COPY|CREATE)\b)/gim

/** `{table: [record…]}`; names of columns are those of the statement, else of the table, else made ones. */
function readDump(text: string): JsonObject | undefined {
  const columns = new Map<string, string[]>()
  const tables: JsonObject = {}
  const rowsOf = (name: string): JsonValue[] => {
    const before = own(tables, name)
    if (Array.isArray(before)) return before
    const made: JsonValue[] = []
    setOwn(tables, name, made)
    return made
  }
  const hides = /`|\bM(?:ySQL|ariaDB)\b/.test(text.slice(0, BEGINNING))
  let end = 0
  for (const { index, 0: blanks } of text.matchAll(STATEMENT)) {
    const at = index + blanks.length
    if (at < end) continue
    const created = matchAt(CREATE, text, at)
    if (created) {
      columns.set(bare(created[1]), columnsAt(text, CREATE.lastIndex))
      continue
    }
    const copied = matchAt(COPY, text, at)
    const inserted = copied ?? matchAt(INSERT, text, at)
    if (!inserted) continue
    const [, written, list] = inserted
    const table = bare(written)
    const names = list === undefined ? columns.get(table) : list.split(',').map((name) => bare(name.trim()))
    const start = copied ? COPY.lastIndex : INSERT.lastIndex
    const found = copied ? copiedRows(text, start) : insertedRows(text, start, hides ? HIDING : VALUE)
    end = found.end
    const width = found.rows.reduce((widest, row) => Math.max(widest, row.length), 0)
    const all = names ?? Array.from({ length: width }, (_, column) => `column_${column + 1}`)
    const held = rowsOf(table)
    for (const record of records(distinct(all), found.rows, copied !== null)) held.push(record)
  }
  return Object.keys(tables).length === 0 ? undefined : tables
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}

/** The last part of a name, without its quotes. */
function bare(written = ''): string {
  const parts = written.match(new RegExp(NAME, 'g')) ?? [written]
  const last = parts.at(-1) ?? ''
  return /^["`[]/.test(last) ? last.slice(1, -1).replaceAll('""', '"') : last
}

/** The columns of a table that is created: what begins each part of its list. */
function columnsAt(text: string, start: number): string[] {
  const names: string[] = []
  const parts = /'(?:[^']|'')*'|[(),]|--[^\n]*/g
  parts.lastIndex = start
  let [depth, from] = [0, start]
  for (let part = parts.exec(text); part !== null; part = parts.exec(text)) {
    if (part[0] === '(') depth += 1
    else if ((part[0] === ',' || part[0] === ')') && depth === 0) {
      const said = text
        .slice(from, Math.min(part.index, from + 400))
        .replace(/--[^\n]*/g, '')
        .trim()
      const name = new RegExp(`^${NAME}`).exec(said)?.[0]
      if (name !== undefined && !NO_COLUMN.test(said)) names.push(bare(name))
      from = parts.lastIndex
      if (part[0] === ')') break
    } else if (part[0] === ')') depth -= 1
  }
  return names
}

interface Rows {
  readonly rows: JsonValue[][]
  readonly end: number
}

/** A text in quotes, a mark, or what stands between marks; behind E a backslash hides what follows it. */
const HIDDEN = String.raw`'(?<hidden>[^'\\]*(?:(?:''|\\[\s\S])[^'\\]*)*)'`
const AFTER = String.raw`|(?<mark>[(),;])|(?<plain>[^\s'(),;][^'(),;]*))`
const VALUE = new RegExp(String.raw`\s*(?:[NBX]?'(?<doubled>[^']*(?:''[^']*)*)'|E${HIDDEN}${AFTER}`, 'iy')
/** The same where it does so in all texts, as with MySQL. */
const HIDING = new RegExp(String.raw`\s*(?:[NEBX]?${HIDDEN}${AFTER}`, 'iy')

/** `(1, 'Ann', NULL), (2, …);` */
function insertedRows(text: string, start: number, value: RegExp): Rows {
  const rows: JsonValue[][] = []
  let [row, depth, at] = [undefined as JsonValue[] | undefined, 0, start]
  let call = ''
  for (;;) {
    const match = matchAt(value, text, at)
    if (!match) break
    at = value.lastIndex
    const { doubled, hidden, mark, plain } = match.groups ?? {}
    const quoted = doubled?.replaceAll("''", "'") ?? (hidden === undefined ? undefined : unescaped(hidden))
    if (depth > 1 || (depth === 1 && mark === '(')) {
      // A function of the database, told as it is written.
      call += match[0]
      if (mark === '(') depth += 1
      else if (mark === ')' && --depth === 1) row?.push(`${String(row.pop() ?? '')}${call.trim()}`)
      if (depth === 1) call = ''
      continue
    }
    if (mark === ';') break
    if (mark === '(') {
      row = []
      depth = 1
    } else if (mark === ')') {
      if (row) rows.push(row)
      row = undefined
      depth = 0
    } else if (row && quoted !== undefined) row.push(quoted)
    else if (row && plain !== undefined) row.push(plainValue(plain.trim(), row))
    // What follows the last row: ON CONFLICT, or another statement where no semicolon stands.
    else if (!row && mark === undefined) break
  }
  return { rows, end: at }
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', 0: '\0', b: '\b', Z: '\x1a' }

function unescaped(quoted: string): string {
  if (!quoted.includes("'") && !quoted.includes('\\')) return quoted
  return quoted.replace(/''|\\([\s\S])/g, (whole, mark: string | undefined) =>
    whole === "''" ? "'" : (ESCAPES[mark ?? ''] ?? mark ?? ''),
  )
}

/** A cast behind a text, `'…'::jsonb`, is none of the value. */
function plainValue(plain: string, row: JsonValue[]): JsonValue {
  if (plain.startsWith('::')) return row.pop() ?? null
  const word = plain.replace(/::[\w\s[\]]+$/, '')
  if (/^null$/i.test(word)) return null
  if (/^(?:true|false)$/i.test(word)) return word.toLowerCase() === 'true'
  const number = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?$/i.test(word) ? Number(word) : Number.NaN
  return Number.isFinite(number) && (Number.isSafeInteger(number) || /[.e]/i.test(word)) ? number : word
}

/** Lines of cells between tabs, up to `\.`. */
function copiedRows(text: string, start: number): Rows {
  const rows: JsonValue[][] = []
  let at = start
  while (at < text.length) {
    const found = text.indexOf('\n', at)
    const end = found < 0 ? text.length : found
    const line = text.slice(at, text[end - 1] === '\r' ? end - 1 : end)
    at = end + 1
    if (line === '\\.') break
    rows.push(
      line
        .split('\t')
        .map((cell) =>
          cell === '\\N'
            ? null
            : cell.replace(/\\(.)/g, (_, mark: string) => (mark === '0' ? mark : (ESCAPES[mark] ?? mark))),
        ),
    )
  }
  return { rows, end: Math.min(at, text.length) }
}

/** Cells of a COPY are all texts: those of a column are numbers where all of them are. */
function records(names: readonly string[], rows: readonly JsonValue[][], areTexts: boolean): JsonObject[] {
  const cells = rows.map((row) => row.map((cell) => (typeof cell === 'string' ? cell : '')))
  return recordsOf(names, cells).map((record, at) => {
    rows[at]?.forEach((cell, column) => {
      const name = names[column]
      if (name !== undefined && (cell === null || !areTexts)) setOwn(record, name, cell)
    })
    return record
  })
}

/** Tried before logs. Never takes programs with statements in them: a statement begins within the first lines, all above are SQL. */
export const sqlDump = defineFormat<JsonObject>({
  name: 'sql dump',
  family: 'table',
  line: 'text',
  search: 'values',
  detect: (text) => (beginsAsSql(text.slice(0, BEGINNING)) ? readDump(text) : undefined),
  read: (_, data) => data,
})

function beginsAsSql(text: string): boolean {
  const first = /^(?:\s|--[^\n]*\n|\/\*[\s\S]*?\*\/;?|#[^\n]*\n|\\[^\n]*\n)*/.exec(text)?.[0].length ?? 0
  return /^(?:INSERT\s+(?:IGNORE\s+)?INTO|REPLACE\s+INTO|COPY\s|CREATE\s|SET\s|BEGIN\b|START\s+TRANSACTION|PRAGMA\s|DROP\s|USE\s|LOCK\s+TABLES|SELECT\s+pg_catalog|ALTER\s)/i.test(
    text.slice(first, first + 80),
  )
}
