/** The output of git: its log, in full or a line each, who wrote which line of a file, and how much of which file changed. */
import { type JsonObject, type JsonValue, setOwn } from '../../protocol/json.ts'
import { indexLines, type LineIndex } from '../../text/lines.ts'
import { overviewOfEntries } from '../overview/entries.ts'
import { defineFormat } from './define.ts'

const COMMIT = /^commit ([\da-f]{7,64})(?: \((.{1,500})\))?$/
const HEADER = /^([A-Z][A-Za-z]{1,20}): +(.*)$/

/** The last line of `--stat`, in numbers. */
function sumOf(changes: string): JsonObject {
  const [, files, insertions, deletions] =
    /(?:^|\n) ?(\d{1,9}) files? changed(?:, (\d{1,9}) insertions?\(\+\))?(?:, (\d{1,9}) deletions?\(-\))?$/.exec(
      changes,
    ) ?? []
  if (files === undefined || (insertions ?? deletions) === undefined) return {}
  return {
    files_changed: Number(files),
    insertions: Number(insertions ?? 0),
    deletions: Number(deletions ?? 0),
  }
}

/** `src/a.ts | 2 +-`, `M<tab>src/a.ts`, a diff of `src/a.ts`, or the name alone: what `--stat`, `--name-status`, `-p` and `--name-only` print. */
const CHANGED =
  /^ ?(.{1,400}?) +\| +(?:\d+ ?[-+]*|Bin\b.*)$|^[ACDMRT]\d{0,3}\t(?:[^\t]{1,400}\t)?([^\t]{1,400})$|^diff --git .{0,500} "?b\/(.{1,400}?)"?$|^([^\s@+-][^\s]{0,400})$/

/** The files that a commit changes. */
function filesOf(changes: string): JsonObject {
  const isPatch = /^diff --git /m.test(changes)
  const files = new Set<string>()
  for (const line of changes.split('\n')) {
    if (isPatch && !line.startsWith('diff --git ')) continue
    const [, stat, status, patched, alone] = (line.length < 1_000 && CHANGED.exec(line)) || []
    const file = stat?.trim() ?? status ?? patched ?? alone
    if (file !== undefined && files.size < 10_000) files.add(file)
  }
  return files.size === 0 ? {} : { files: [...files] }
}

/**
 * Records `{line, commit, refs?, merge?, author, date, message, files?, changes?}`, with `files_changed`, `insertions` and `deletions` where
 * the changes end in their sum; `message` without its indentation.
 */
function readGitLog(text: string): (() => JsonValue[]) | undefined {
  if (
    !/^\s{0,8}commit [\da-f]{7,64}(?: \([^\n]{1,500}\))?\r?\n(?:Merge: [^\n]*\r?\n)?(?:Author|commit)/.test(
      text.slice(0, 2_000),
    )
  )
    return undefined
  return () => {
    const lines = indexLines(text)
    const commits: JsonObject[] = []
    let message: string[] = []
    let changes: string[] = []
    let inHead = false
    const close = () => {
      const commit = commits.at(-1)
      if (!commit) return
      commit.message = message.join('\n').trim()
      const changed = changes.join('\n').trim()
      if (changed !== '') Object.assign(commit, filesOf(changed), { changes: changed }, sumOf(changed))
      message = []
      changes = []
    }
    for (let index = 0; index < lines.count; index++) {
      const line = lines.at(index)
      const [, hash, refs] = COMMIT.exec(line) ?? []
      if (hash !== undefined) {
        close()
        commits.push({ line: index + 1, commit: hash, ...(refs === undefined ? {} : { refs }) })
        inHead = true
        continue
      }
      const commit = commits.at(-1)
      const [, name, value] = (inHead && HEADER.exec(line)) || []
      if (commit && name !== undefined) setOwn(commit, name.toLowerCase(), value ?? '')
      else if (line.trim() === '') {
        inHead = false
        ;(changes.length > 0 ? changes : message).push('')
      } else if (line.startsWith('    ') && changes.length === 0) message.push(line.slice(4))
      else changes.push(line)
    }
    close()
    return commits
  }
}

// `85f20fe (HEAD -> main, tag: v1) Subject`, with the lines of --graph before it.
const ONE_LINE =
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
function readOneLineLog(text: string): (() => JsonValue[]) | undefined {
  return readLines(text, ONE_LINE, ([, commit = '', refs, message = '']) => ({
    commit,
    ...(refs === undefined ? {} : { refs }),
    message,
  }))
}

/** Records `{line, commit, file?, author, date, file_line, text}`. */
function readBlame(text: string): (() => JsonValue[]) | undefined {
  return readLines(text, BLAME, ([, commit = '', file, author = '', date = '', at = '', content = '']) => ({
    commit,
    ...(file === undefined ? {} : { file }),
    author,
    date,
    file_line: Number(at),
    text: content,
  }))
}

// ` src/a.ts | 12 ++++--`, ` a.png | Bin 0 -> 12 bytes`.
const STAT = /^ ?(\S.{0,400}?) +\| +(?:(\d{1,9})(?: (\+{0,200})(-{0,200}))?|Bin\b(.{0,80}))$/
const STAT_SUM = /^ ?\d{1,9} files? changed\b/

/** Records `{line, file, changes, insertions?, deletions?}`: as a long bar is drawn shorter than it is, only the sum is sure of such a file. */
function readStat(text: string): (() => JsonValue[]) | undefined {
  if (!STAT.test(text.slice(0, LONGEST).split(/\r?\n/, 1)[0] ?? '')) return undefined
  const lines = indexLines(text)
  const sample = sampleOf(lines).filter((line) => line.trim() !== '' && !STAT_SUM.test(line))
  if (sample.length < LEAST || !sample.every((line) => STAT.test(line))) return undefined
  if (!sample.some((line) => /[+-]$/.test(line))) return undefined
  return () =>
    Array.from({ length: lines.count }, (_, index): JsonObject[] => {
      const [, file, count, added = '', removed = '', binary] = STAT.exec(lines.at(index)) ?? []
      if (file === undefined) return []
      const changes = Number(count ?? 0)
      const isWhole = binary === undefined && added.length + removed.length === changes
      const parts = isWhole ? { insertions: added.length, deletions: removed.length } : {}
      return [
        {
          line: index + 1,
          file,
          ...(binary === undefined ? { changes } : { binary: binary.trim() }),
          ...parts,
        },
      ]
    }).flat()
}

function readLines(
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

/** Lines from all over the text; lines that only draw a graph do not count. */
function sampleOf(lines: LineIndex): string[] {
  const step = Math.max(1, Math.floor(lines.count / SAMPLE))
  const sample: string[] = []
  for (let index = 0; index < lines.count; index += step) {
    const line = lines.at(index).slice(0, LONGEST)
    if (!GRAPH.test(line)) sample.push(line)
  }
  return sample
}

const TRAITS = { family: 'entries', overview: overviewOfEntries } as const

/** Never takes a text that does not begin with a commit. */
export const gitLog = defineFormat({
  name: 'git log',
  ...TRAITS,
  detect: readGitLog,
  read: (_, read: () => JsonValue[]) => read(),
})

/** Never takes lines that begin with words of letters or numbers alone. */
export const gitLines = defineFormat({
  name: 'git lines',
  ...TRAITS,
  detect: (text) => readBlame(text) ?? readOneLineLog(text) ?? readStat(text),
  read: (_, read: () => JsonValue[]) => read(),
})
