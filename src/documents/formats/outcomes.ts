/** The outcome of each test or step of a run, a line each, with what is printed about it. */
import type { JsonObject, JsonValue } from '../../protocol/json.ts'
import { indexLines, type LineIndex } from '../../text/lines.ts'
import { overviewOfEntries } from '../overview/entries.ts'
import { asideOf } from './cells.ts'
import { BEGINNING, defineFormat } from './define.ts'

/** How a program writes outcomes. Each group of an expression is a field of that name. */
interface Layout {
  readonly outcome: RegExp
  /** A line about the outcomes below it: their file, their task. */
  readonly above?: RegExp
  /** A line about the outcomes above it: their package. */
  readonly closing?: RegExp
  /** A line above what a test prints before its outcome. */
  readonly begins?: RegExp
  /** A line above what is said of a test after all outcomes: the names of its suites and its own. */
  readonly about?: RegExp
  /** The mark between these names. */
  readonly joint?: string
  /** Lines that are set in are names of suites, which hold the outcomes that are set in further. */
  readonly hasSuites?: true
  /** A line below all outcomes with the sum of each kind for a host. */
  readonly recap?: RegExp
  /** Others write such outcomes too: a line above them has to be there. */
  readonly isLoose?: true
}

/** The marks of outcomes, in words. */
const MARKS: Readonly<Record<string, string>> = {
  '✓': 'passed',
  '√': 'passed',
  '✕': 'failed',
  '×': 'failed',
  '○': 'skipped',
  '✎': 'todo',
}

const LAYOUTS: readonly Layout[] = [
  // go test -v
  {
    outcome:
      /^ {0,80}--- (?<status>PASS|FAIL|SKIP|BENCH): (?<name>\S.{0,400}?) \((?<duration>\d{1,9}\.\d{1,9}s)\)$/,
    closing: /^(?:ok {2}|FAIL|\?? {3})\t(?<package>\S{1,400})(?:\t.*)?$/,
    begins: /^=== (?:RUN|CONT|PAUSE|NAME) +(\S.*)$/,
  },
  // pytest -v
  {
    outcome:
      /^(?<file>[^\s:]{1,300})::(?:(?<suite>[^\s[]{1,300}?)::)?(?<name>[^\s:[]{1,300}(?:\[.{0,300}\])?)(?: <- \S{1,300})? (?<status>PASSED|FAILED|SKIPPED|ERROR|XFAIL|XPASS|RERUN)(?: \((?<reason>.{1,400})\))?(?: *\[ *\d{1,3}%\])?$/,
    about: /^_{3,} (?:ERROR at (?:setup|teardown) of )?(\S.{0,400}?) _{3,}$/,
    joint: '.',
  },
  // cargo test
  {
    outcome:
      /^test (?<name>\S.{0,400}?) \.\.\. (?<status>ok|FAILED|ignored)(?:, (?<reason>.{1,400}))?(?: <(?<duration>\d{1,9}\.\d{1,9}s)>)?$/,
    above: /^ +(?:Running (?:unittests )?|Doc-tests )(?<file>\S{1,300})(?: .*)?$/,
    about: /^---- (\S.{0,400}?) (?:stdout|stderr) ----$/,
  },
  // jest --verbose
  {
    outcome:
      /^ {1,80}(?<status>[✓√✕×○✎]) (?:(?:skipped|todo) )?(?<name>\S.{0,400}?)(?: \((?<duration>\d{1,9}(?:\.\d{1,9})? m?s)\))?$/,
    above: /^(?:PASS|FAIL) +(?<file>\S{1,300})(?: \(.{1,80}\))?$/,
    about: /^ {2}● (\S.{0,400})$/,
    joint: ' › ',
    hasSuites: true,
    isLoose: true,
  },
  // ansible-playbook
  {
    outcome:
      /^(?<status>ok|changed|skipping|failed|fatal|included|rescued|ignored|unreachable): \[(?<host>[^\]\s]{1,200}(?: -> [^\]\s]{1,200})?)\](?: \(item=(?<item>[^)]{0,300})\))?(?:: (?<reason>[A-Z]{2,30}!))?(?: => (?<result>.*))?$/,
    above: /^(?:TASK|RUNNING HANDLER) \[(?<task>.{1,400})\] \*{3,}$/,
    recap: /^(\S{1,200}) +: (ok=\d{1,9}(?: +[a-z]{1,20}=\d{1,9}){2,9})\s*$/,
    isLoose: true,
  },
]
/** Where no line begins so there are none of these layouts, which most texts are told by at once. */
const SIGN =
  /^(?: *(?:--- (?:PASS|FAIL|SKIP|BENCH): |[✓√✕×○✎] )|test \S|(?:TASK|RUNNING HANDLER) \[|[^\s:]{1,300}::)/m
/** A line that ends what is printed about a test: rules, sums and words of the program about the whole. */
const BREAK = /^(?:={3,}|PLAY |PASS$|FAIL$|failures:$|(?:Test Suites|Tests|Snapshots|Time): |test result: )/
/** Lines below an outcome that go on with it. */
const BELOW = /^\s|^[}\])]|^\.\.\./
const MOST_LOOKED = 2_000
const LEAST = 3
/** The share of lines at the margin that are of the layout. Tests that failed print much. */
const SHARE = 0.3
const LOOSE_SHARE = 0.5
const MOST_ASIDES = 8

interface Outcomes {
  records: JsonObject[]
  asides: string[]
}

/** Told by the outcomes among the first lines. */
function findOutcomes(text: string): (() => Outcomes) | undefined {
  if (!SIGN.test(text.slice(0, BEGINNING))) return undefined
  const lines = indexLines(text)
  const counts = LAYOUTS.map((layout) => ({ layout, outcomes: 0, others: 0 }))
  let outer = 0
  for (let index = 0; index < Math.min(lines.count, MOST_LOOKED); index++) {
    const line = lines.at(index)
    // A guide shows outcomes between fences.
    if (/^(?:\x60{3}|~~~)/.test(line)) return undefined
    if (/^\S/.test(line)) outer += 1
    for (const count of counts) {
      const { outcome, above, closing, begins, about, recap } = count.layout
      if (outcome.test(line)) count.outcomes += 1
      else if ([above, closing, begins, about, recap].some((pattern) => pattern?.test(line)))
        count.others += 1
    }
  }
  const found = counts.find(
    ({ layout: { isLoose }, outcomes, others }) =>
      outcomes >= LEAST &&
      outcomes + others >= outer * (isLoose ? LOOSE_SHARE : SHARE) &&
      (others > 0 || !isLoose),
  )
  let result: Outcomes | undefined
  return found && (() => (result ??= readOutcomes(lines, found.layout)))
}

/**
 * A record for each test or step: `{line, file?, suite?, task?, name or host, status?, duration?, reason?, result?, package?, output?}`. `output`
 * holds the lines that the program printed about it, below its outcome or below a line with its name.
 */
function readOutcomes(lines: LineIndex, layout: Layout): Outcomes {
  const records: JsonObject[] = []
  const outputs = new Map<JsonObject, string[]>()
  const asides: string[] = []
  const begun = new Map<string, string[]>()
  const beginnings = new Map<string, number>()
  const told: { name: string; output: string[] }[] = []
  let suites: { indent: number; name: string }[] = []
  let above: JsonObject = {}
  let [inSuites, isBelow, closed] = [false, false, 0]
  /** The lines that the next one goes on with. */
  let open: string[] | undefined
  for (let index = 0; index < lines.count; index++) {
    const line = lines.at(index)
    const indent = line.length - line.trimStart().length
    const outcome = fieldsOf(layout.outcome.exec(line))
    const heading = outcome ? undefined : fieldsOf(layout.above?.exec(line))
    const closing = outcome || heading ? undefined : fieldsOf(layout.closing?.exec(line))
    const [, beginning] = layout.begins?.exec(line) ?? []
    const [, about] = layout.about?.exec(line) ?? []
    const [, host, sums = ''] = layout.recap?.exec(line) ?? []
    if (host !== undefined) {
      const counts = sums.split(/ +/).map((sum) => sum.split('='))
      const numbers = counts.map(([kind = '', count]) => [kind, Number(count)] as const)
      records.push({ line: index + 1, task: 'PLAY RECAP', host, ...Object.fromEntries(numbers) })
    } else if (outcome) {
      suites = suites.filter((suite) => suite.indent < indent)
      const within = suites.map(({ name }) => name).join(' > ')
      const record = { line: index + 1, ...above, ...(within === '' ? {} : { suite: within }), ...outcome }
      records.push(record)
      open = begun.get(String(outcome.name)) ?? []
      begun.delete(String(outcome.name))
      outputs.set(record, open)
      isBelow = true
    } else if (heading) {
      above = heading
      suites = []
      inSuites = layout.hasSuites === true
      open = undefined
    } else if (closing) {
      for (; closed < records.length; closed++) Object.assign(records[closed] ?? {}, closing)
      open = undefined
      asides.push(line)
    } else if (beginning !== undefined) {
      open = begun.get(beginning) ?? []
      begun.set(beginning, open)
      if (!beginnings.has(beginning)) beginnings.set(beginning, index + 1)
      isBelow = false
    } else if (about !== undefined) {
      open = []
      told.push({ name: about, output: open })
      isBelow = false
    } else if (line.trim() === '') {
      inSuites = false
      if (isBelow) open = undefined
      else open?.push('')
    } else if (inSuites && indent > 0) {
      suites = [...suites.filter((suite) => suite.indent < indent), { indent, name: line.trim() }]
    } else if (open && !BREAK.test(line) && (!isBelow || BELOW.test(line))) open.push(line)
    else {
      open = undefined
      asides.push(line)
    }
  }
  // A test that the program did not come to an end with has no outcome.
  for (const [name, output] of begun) {
    const record = { line: beginnings.get(name) ?? 1, ...above, name }
    records.push(record)
    outputs.set(record, output)
  }
  giveTold(records, outputs, told, layout.joint ?? '')
  for (const [record, output] of outputs) {
    const text = output.join('\n').replace(/^\n+/, '').trimEnd()
    if (text !== '') record.output = text
  }
  return { records, asides }
}

/** The groups that are there. A mark becomes a word. */
function fieldsOf(match: RegExpExecArray | null | undefined): JsonObject | undefined {
  if (!match?.groups) return undefined
  const given = Object.entries(match.groups).filter(([, value]) => value !== undefined)
  return Object.fromEntries(
    given.map(([name, value]) => [name, name === 'status' ? (MARKS[value] ?? value) : value]),
  )
}

/** Gives what is said of a name to the first test of that name that did not pass and has nothing yet. */
function giveTold(
  records: readonly JsonObject[],
  outputs: ReadonlyMap<JsonObject, string[]>,
  told: readonly { name: string; output: string[] }[],
  joint: string,
): void {
  if (told.length === 0) return
  const waiting = new Map<string, JsonObject[]>()
  for (const record of records.toReversed()) {
    if (/^(?:pass|ok)/i.test(String(record.status))) continue
    const suites = typeof record.suite === 'string' ? record.suite.split(/ > |::/) : []
    const name = [...suites, record.name].join(joint)
    const same = waiting.get(name)
    if (same) same.push(record)
    else waiting.set(name, [record])
  }
  for (const { name, output } of told) {
    const record = waiting.get(name)?.pop()
    const own = record && outputs.get(record)
    for (const line of own ? output : []) own?.push(line)
  }
}

/** Tried before tables and logs. Never takes marks without the lines that a runner prints above them, or a guide. */
export const outcomes = defineFormat({
  name: 'outcomes',
  family: 'entries',
  detect: findOutcomes,
  read: (_, read): JsonValue[] => read().records,
  asides: (_, read) => {
    const { asides } = read()
    const few =
      asides.length <= MOST_ASIDES ? asides : [...asides.slice(0, 3), ...asides.slice(3 - MOST_ASIDES)]
    return few.map(asideOf)
  },
  overview: overviewOfEntries,
})
