/** Which lines of which files tests run, as lcov writes it: a record for each file. */
import type { JsonObject, JsonValue } from '../../protocol/json.ts'
import { indexLines } from '../../text/lines.ts'
import { overviewOfEntries } from '../overview/entries.ts'
import { BEGINNING, defineFormat } from './define.ts'

const FIELD = /^([A-Z]{2,4}):(.*)$/

/** The counted parts of a file: lines, functions, branches, each by how often it ran. */
interface Counted {
  readonly line: number
  readonly file: string
  readonly lines: Map<string, number>
  readonly functions: Map<string, number>
  readonly branches: Map<string, number>
}

/**
 * Records `{line, file, lines, lines_hit, percent, uncovered_lines, functions, functions_hit, uncovered_functions, branches, branches_hit}`.
 * Of a file that stands several times, once for each test, each is a record.
 */
function read(text: string): JsonValue[] {
  const lines = indexLines(text)
  const files: Counted[] = []
  for (let index = 0; index < lines.count; index++) {
    const [, name, value = ''] = FIELD.exec(lines.at(index)) ?? []
    if (name === 'SF')
      files.push({
        line: index + 1,
        file: value,
        lines: new Map(),
        functions: new Map(),
        branches: new Map(),
      })
    const file = files.at(-1)
    if (!file) continue
    const parts = value.split(',')
    const hits = Number(parts[0])
    if (name === 'DA') add(file.lines, parts[0], Number(parts[1]))
    else if (name === 'FN') add(file.functions, parts.slice(parts.length > 2 ? -1 : 1).join(), 0)
    else if (name === 'FNDA') add(file.functions, parts.slice(1).join(), hits)
    else if (name === 'BRDA') add(file.branches, parts.slice(0, 3).join(), Number(parts[3]))
  }
  return files.map(recordOf)
}

function add(counts: Map<string, number>, key: string | undefined, hits: number): void {
  if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + (Number.isFinite(hits) ? hits : 0))
}

function recordOf({ line, file, lines, functions, branches }: Counted): JsonObject {
  const hit = lines.size - missed(lines).length
  return {
    line,
    file,
    lines: lines.size,
    lines_hit: hit,
    percent: lines.size === 0 ? 100 : Math.round((hit / lines.size) * 1_000) / 10,
    uncovered_lines: missed(lines).map(Number).filter(Number.isFinite),
    functions: functions.size,
    functions_hit: functions.size - missed(functions).length,
    uncovered_functions: missed(functions),
    ...(branches.size > 0 && {
      branches: branches.size,
      branches_hit: branches.size - missed(branches).length,
    }),
  }
}

function missed(counts: ReadonlyMap<string, number>): string[] {
  return [...counts].flatMap(([key, hits]) => (hits > 0 ? [] : [key]))
}

/** Never takes a text in which no file ends. */
export const coverage = defineFormat<true>({
  name: 'coverage',
  family: 'entries',
  detect: (text) =>
    /^\s{0,40}(?:TN:[^\n]*\r?\n)?SF:[^\n]+\r?\n/.test(text.slice(0, BEGINNING)) &&
    /^end_of_record\s*$/m.test(text)
      ? true
      : undefined,
  read,
  overview: overviewOfEntries,
})
