/**
 * Settings: `.env`, INI, properties, `sysctl -a`, `git config -l`, `pip freeze`, `INFO` of Redis, and TOML that is as plain. A record for
 * each, or for each section where these are alike.
 */
import { isObject, type JsonObject, type JsonValue, setOwn } from '../../protocol/json.ts'
import { indexLines, type LineIndex, linesUpTo } from '../../text/lines.ts'
import { overviewOfEntries } from '../overview/entries.ts'
import { overviewOfData } from '../overview/records.ts'
import { exactNumber } from './cells.ts'
import { defineFormat } from './define.ts'

const PAIR = /^\s*(?:export +)?([A-Za-z_][\w.\-/:@]{0,199}) ?={1,2} ?(.*)$/
/** `kern.maxproc: 2128`, as BSD writes it: names with dots, so that no line of prose is one. */
const DOTTED_PAIR = /^([A-Za-z_][\w-]{0,99}(?:\.[\w-]{1,99}){1,12}):(?: (.*))?$/
const SECTION = /^\s*\[{1,2}([^[\]=]{1,200})\]{1,2}\s*(?:[#;].*)?$/
/** `used_memory:966568` below `# Memory`, as Redis writes it. */
const CLOSE_PAIR = /^([a-z][\w-]{0,99}):(?! )(.*)$/
const TITLE = /^# ([A-Z][\w ]{1,60})$/
const COMMENT = /^\s*(?:[#;]|$)/
const LEAST = 6
/** Lines of which one may be the rest of a value above it. */
const REST = 0.05
const LONGEST = 16_384
const at = linesUpTo(LONGEST, '{')
/** The signs of programs that settings do not have. */
const CODE =
  /^\s*(?:const|let|var|def|if|for|return|import|from|class|function|public|private)\b|[{};]\s*$|\($/

/**
 * Records `{line, section?, key, value}`, values without their quotes, numbers where they come back as written. Sections that have the same
 * keys are records `{line, section, …}`. A line that is no pair goes on with the value above it. Undefined unless nearly all lines are
 * pairs, sections and comments.
 */
function readSettings(text: string): (() => JsonValue[]) | undefined {
  const lines = indexLines(text)
  const form = formOf(lines)
  let [pairs, others, sections] = [0, 0, 0]
  const keys = new Set<string | undefined>()
  for (let index = 0; index < lines.count; index++) {
    const line = at(lines, index)
    const isSection = SECTION.test(line)
    if (isSection) sections += 1
    if (isSection || COMMENT.test(line)) continue
    const sure = form.sure.exec(line)
    if (!sure && CODE.test(line)) return undefined
    const pair = sure ?? PAIR.exec(line)
    if (pair) {
      pairs += 1
      if (keys.size < LEAST) keys.add(pair[1])
    } else if (pairs === 0 || ++others > Math.max(1, lines.count * REST)) return undefined
  }
  // The same key on each line is that of records, `id=1 GET /a`.
  return pairs < LEAST || (keys.size === 1 && sections === 0)
    ? undefined
    : () => {
        const settings = settingsIn(lines, form)
        return alikeSections(settings) ?? settings.map(({ start: _, ...record }) => record)
      }
}

/** The pairs that no line of another text is, and the lines that name a section. */
interface Form {
  readonly sure: RegExp
  readonly section: RegExp
}

/** Redis begins with a title above a pair that has no blank behind its colon. No other settings do. */
function formOf(lines: LineIndex): Form {
  const isTitled = TITLE.test(at(lines, 0)) && lines.count > 1 && CLOSE_PAIR.test(at(lines, 1))
  return isTitled ? { sure: CLOSE_PAIR, section: TITLE } : { sure: DOTTED_PAIR, section: SECTION }
}

/** One pair. `start`: the line on which its section begins. */
interface Setting extends JsonObject {
  line: number
  section?: string
  key: string
  value: JsonValue
  start: number
}

function settingsIn(lines: LineIndex, form: Form): Setting[] {
  const found: Setting[] = []
  let section: string | undefined
  let start = 0
  for (let index = 0; index < lines.count; index++) {
    const line = lines.at(index)
    const pair = form.sure.exec(line) ?? PAIR.exec(line)
    const last = found.at(-1)
    if (pair) {
      const value = bare((pair[2] ?? '').trim())
      found.push({
        line: index + 1,
        ...(section === undefined ? {} : { section }),
        key: pair[1] ?? '',
        value: exactNumber(value) ?? value,
        start,
      })
    } else if (form.section.test(line)) {
      section = form.section.exec(line)?.[1]?.trim()
      start = index + 1
    } else if (last && !COMMENT.test(line)) last.value = `${String(last.value)}\n${line}`
  }
  return found
}

/** So many sections may be alike, and so many of the settings have a key that half of the sections have. */
const LEAST_SECTIONS = 5
const COMMON = 0.7

/** A record for each section; undefined where they differ, or a section says a key twice. */
function alikeSections(settings: readonly Setting[]): JsonObject[] | undefined {
  const records = new Map<number, JsonObject>()
  const keys = new Map<string, number>()
  for (const { start, section, key, value } of settings) {
    const record = records.get(start) ?? { line: start, section: section ?? null }
    if (section === undefined || Object.hasOwn(record, key)) return undefined
    setOwn(record, key, value)
    records.set(start, record)
    keys.set(key, (keys.get(key) ?? 0) + 1)
  }
  const common = [...keys.values()].filter((times) => times * 2 >= records.size)
  const share = common.reduce((sum, times) => sum + times, 0) / settings.length
  return records.size >= LEAST_SECTIONS && share >= COMMON ? [...records.values()] : undefined
}

function bare(value: string): string {
  const [, , inner] = /^(["'])((?:(?!\1).)*)\1$/.exec(value) ?? []
  return inner ?? value
}

/** Tried after logs: their lines may be pairs. Never takes programs. */
export const settings = defineFormat({
  name: 'settings',
  family: 'entries',
  detect: readSettings,
  read: (_, read) => read(),
  overview: (document) => {
    const [first] = document.records()?.values ?? []
    return isObject(first) && first.key !== undefined ? overviewOfEntries(document) : overviewOfData(document)
  },
})
