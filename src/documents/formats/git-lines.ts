/** What git prints a line each: `git log --oneline` and `git blame`. */
import type { JsonObject, JsonValue } from '../../protocol/json.ts'
import { indexLines, type LineIndex } from '../../text/lines.ts'

// `85f20fe (HEAD -> main, tag: v1) Subject`, with the lines of --graph before it.
const ONE =
  /^[*|\\/ ]{0,40}([\da-f]{7,40}) (?:\(((?:HEAD|tag: |origin\/|[\w./-]+(?:, |\)))[^()\n]{0,400})\) )?(.*)$/
// `f55e0b96 src/a.ts (Ann 2026-11-20 18:56:49 +0000  12) text`.
const BLAME =
  /^(\^?[\da-f]{7,40}) +(?:(\S.*?) +)?\((.{1,100}?) +(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d [-+]\d{4}) +(\d{1,7})\) ?(.*)$/
/** Lines that only draw. */
const GRAPH = /^[*|\\/_ ]*$/
const LEAST = 5
const SAMPLE = 500
const LONGEST = 4_096

/** Records `{line, commit, refs?, message}`; undefined unless all lines looked at begin with a commit. */
export function readOneLineLog(text: string): (() => JsonValue[]) | undefined {
  return read(text, ONE, ([, commit = '', refs, message = '']) => ({
    commit,
    ...(refs === undefined ? {} : { refs }),
    message,
  }))
}

/** Records `{line, commit, file?, author, date, file_line, text}`. */
export function readBlame(text: string): (() => JsonValue[]) | undefined {
  return read(text, BLAME, ([, commit = '', file, author = '', date = '', at = '', content = '']) => ({
    commit,
    ...(file === undefined ? {} : { file }),
    author,
    date,
    file_line: Number(at),
    text: content,
  }))
}

function read(
  text: string,
  pattern: RegExp,
  recordOf: (match: RegExpExecArray) => JsonObject,
): (() => JsonValue[]) | undefined {
  if (!pattern.test(text.slice(0, LONGEST).split('\n', 1)[0] ?? '')) return undefined
  const lines = indexLines(text)
  const sample = sampleOf(lines)
  const found = sample.flatMap((line) => pattern.exec(line)?.[1] ?? [])
  // A word of letters alone, or a number, is no commit; some may look so.
  const mixed = found.filter((commit) => /\d/.test(commit) && /[a-f]/.test(commit)).length
  if (found.length < LEAST || found.length < sample.length || mixed < found.length * 0.7) return undefined
  return () =>
    Array.from({ length: lines.count }, (_, index): JsonObject[] => {
      const line = lines.at(index)
      const match = pattern.exec(line)
      if (match) return [{ line: index + 1, ...recordOf(match) }]
      return GRAPH.test(line) ? [] : [{ line: index + 1, _line: line }]
    }).flat()
}

/** Lines from all over the text; those that only draw a graph are none. */
function sampleOf(lines: LineIndex): string[] {
  const step = Math.max(1, Math.floor(lines.count / SAMPLE))
  const sample: string[] = []
  for (let index = 0; index < lines.count; index += step) {
    const line = lines.at(index).slice(0, LONGEST)
    if (!GRAPH.test(line)) sample.push(line)
  }
  return sample
}
