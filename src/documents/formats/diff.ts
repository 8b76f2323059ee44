/** Unified diffs, as `git diff`, `git show`, `diff -u` and mails with patches have them: a record for each hunk. */
import { isObject, type JsonObject, type JsonValue, own } from '../../protocol/json.ts'
import { formatPlural } from '../../text/format.ts'
import { indexLines, type LineIndex, linesUpTo } from '../../text/lines.ts'
import { ellipsis } from '../../text/shorten.ts'
import type { Document } from '../document.ts'
import { overviewOfEntries } from '../overview/entries.ts'
import type { Overview } from '../overview/overview.ts'
import { defineFormat } from './define.ts'

const GIT = /^diff --git (?:"?a\/(.+?)"? "?b\/(.+?)"?|(\S+) (\S+))$/
const HUNK = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@ ?(.*)$/
const OLD = /^--- (?:"?a\/)?([^\t"]+)/
const NEW = /^\+\+\+ (?:"?b\/)?([^\t"]+)/
/** Lines before the first file: a commit, the head of a mail. */
const MOST_BEFORE = 300
const LONGEST = 1_000
const at = linesUpTo(LONGEST, '')
/** Lines that a commit may have above a small patch, and the least share of lines in hunks. */
const MOST_COMMIT = 40
const LEAST = 0.3

interface File {
  file: string
  from?: string
  status: string
}

/**
 * Records `{line, file, from?, status, hunk, section?, added, removed, patch}`, and one without a hunk for a file that was renamed or is
 * binary. Undefined unless every hunk has as many lines as its head says, and for several commits.
 */
function readDiff(text: string): (() => JsonValue[]) | undefined {
  const lines = indexLines(text)
  const first = firstFile(lines)
  if (
    first === undefined ||
    /^commit [\da-f]{40}\b[\s\S]*\ncommit [\da-f]{40}\b/.test(text.slice(0, lines.start(first))) ||
    /\ncommit [\da-f]{40}\b[^\n]*\n(?:Merge: [^\n]*\n)?Author: /.test(text.slice(lines.start(first)))
  )
    return undefined
  let [found, within] = [0, 0]
  for (const index of hunks(lines, first)) {
    const counts = countsAt(lines, index)
    if (counts === undefined) return undefined
    found += 1
    within += counts.length
    if (found === 1 && index + counts.length >= lines.count && !isWhole(lines, index)) return undefined
  }
  // Heads of files have up to ten lines; a document that shows a diff has more beside it.
  const isMostly = within >= (lines.count - first) * LEAST && first <= Math.max(MOST_COMMIT, within)
  return found > 0 && isMostly ? () => records(lines, first) : undefined
}

function firstFile(lines: LineIndex): number | undefined {
  for (let index = 0; index < Math.min(lines.count, MOST_BEFORE); index++) {
    const line = at(lines, index)
    if (line.startsWith('```') || line.startsWith('~~~')) return undefined
    if (GIT.test(line)) return index
    if (OLD.test(line) && NEW.test(at(lines, index + 1)) && HUNK.test(at(lines, index + 2))) return index
  }
  return undefined
}

/** The lines at which hunks begin. The content of a hunk is passed over: it may look like a head. */
function* hunks(lines: LineIndex, first: number): Generator<number> {
  for (let index = first; index < lines.count; index++) {
    if (!HUNK.test(at(lines, index))) continue
    yield index
    index += (countsAt(lines, index)?.length ?? 1) - 1
  }
}

/**
 * Lines added and removed, and lines in all, its head among them; undefined where they differ from the head, unless the text ends in it.
 */
function countsAt(
  lines: LineIndex,
  index: number,
): { added: number; removed: number; length: number } | undefined {
  const [, , before = '1', , after = '1'] = HUNK.exec(at(lines, index)) ?? []
  let [old, fresh, added, removed] = [Number(before), Number(after), 0, 0]
  let next = index + 1
  for (; (old > 0 || fresh > 0) && next < lines.count; next++) {
    const sign = lines.at(next).charAt(0)
    if (sign === '+') {
      added++
      fresh--
    } else if (sign === '-') {
      removed++
      old--
    } else if (sign === ' ' || sign === '') {
      old--
      fresh--
    } else if (sign !== '\\') return undefined
  }
  if (lines.at(next).startsWith('\\ ')) next++
  const isCut = next >= lines.count && old >= 0 && fresh >= 0
  return (old === 0 && fresh === 0) || isCut ? { added, removed, length: next - index } : undefined
}

/** True for a hunk that has all lines of the older side, or of the newer. */
function isWhole(lines: LineIndex, index: number): boolean {
  const [, , before = '1', , after = '1'] = HUNK.exec(at(lines, index)) ?? []
  const { length = 0 } = countsAt(lines, index) ?? {}
  return length > Math.max(Number(before), Number(after))
}

function records(lines: LineIndex, first: number): JsonValue[] {
  const found: JsonObject[] = []
  let file: File = { file: '', status: 'modified' }
  let head = first
  // Between the line of git and the first hunk, or the next file.
  let inHead = false
  const close = (): void => {
    if (inHead) found.push({ line: head + 1, ...file, added: 0, removed: 0 })
    inHead = false
  }
  for (let index = first; index < lines.count; index++) {
    const line = at(lines, index)
    const git = GIT.exec(line)
    if (git) {
      close()
      inHead = true
      head = index
      file = { file: git[2] ?? git[4] ?? '', status: 'modified' }
    } else if (HUNK.test(line)) {
      const { added, removed, length } = countsAt(lines, index) ?? { added: 0, removed: 0, length: 1 }
      const section = HUNK.exec(line)?.[5] ?? ''
      found.push({
        line: index + 1,
        ...file,
        hunk: line.slice(0, line.indexOf('@@', 2) + 2),
        ...(section === '' ? {} : { section }),
        added,
        removed,
        patch: linesOf(lines, index + 1, index + length),
      })
      inHead = false
      index += length - 1
    } else file = headed(file, line, at(lines, index + 1), inHead)
  }
  close()
  return found
}

function linesOf(lines: LineIndex, from: number, to: number): string {
  return Array.from({ length: to - from }, (_, nth) => lines.at(from + nth)).join('\n')
}

/** The fact of a file in a line between its head and its hunks. */
function headed(file: File, line: string, next: string, inHead: boolean): File {
  const old = OLD.exec(line)?.[1]?.trimEnd()
  const fresh = NEW.exec(next)?.[1]?.trimEnd()
  if (old !== undefined && fresh !== undefined) {
    const name = fresh === '/dev/null' ? old : fresh
    if (inHead) return { ...file, file: name }
    return {
      file: name,
      status: old === '/dev/null' ? 'added' : fresh === '/dev/null' ? 'deleted' : 'modified',
    }
  }
  if (!inHead) return file
  if (line.startsWith('new file mode')) return { ...file, status: 'added' }
  if (line.startsWith('deleted file mode')) return { ...file, status: 'deleted' }
  if (line.startsWith('rename from ')) return { ...file, from: line.slice(12), status: 'renamed' }
  if (line.startsWith('copy from ')) return { ...file, from: line.slice(10), status: 'copied' }
  if (/^(?:rename|copy) to /.test(line)) return { ...file, file: line.replace(/^\w+ to /, '') }
  return line.startsWith('Binary files ') || line === 'GIT binary patch'
    ? { ...file, status: file.status === 'modified' ? 'binary' : `${file.status}, binary` }
    : file
}

/** The lines above the first file, as `git show` and mails with patches print them: commit, author, date, message. */
function commitOf(text: string): string[] {
  const lines = indexLines(text)
  const first = firstFile(lines) ?? 0
  const said: string[] = []
  for (let index = 0; index < Math.min(first, MOST_COMMIT * 2); index++) {
    const line = at(lines, index).trim()
    if (line !== '' && !/^(?:---|\d+ files? changed|[-\w./ ]+ \| +\d+)/.test(line)) said.push(line)
  }
  return said.length === 0 ? [] : [said.join(' · ').slice(0, 600)]
}

/** As of other entries, how much was changed first. */
function overviewOfDiff(document: Document): Overview {
  const overview = overviewOfEntries(document)
  return { ...overview, facts: [...changes(document.records()?.values ?? []), ...overview.facts] }
}

/** Of a diff: how much was changed, and in which files most. */
function changes(values: readonly JsonValue[]): string[] {
  const files = new Map<string, { added: number; removed: number }>()
  for (const value of values) {
    const [file, added, removed] = ['file', 'added', 'removed'].map((name) => field(value, name))
    if (typeof file !== 'string' || typeof added !== 'number' || typeof removed !== 'number') return []
    const sum = files.get(file) ?? { added: 0, removed: 0 }
    files.set(file, { added: sum.added + added, removed: sum.removed + removed })
  }
  const sums = [...files].sort(([, a], [, b]) => b.added + b.removed - a.added - a.removed)
  const all = sums.reduce(
    (sum, [, one]) => ({ added: sum.added + one.added, removed: sum.removed + one.removed }),
    {
      added: 0,
      removed: 0,
    },
  )
  const named = sums.map(([file, { added, removed }]) => `${file} +${added} -${removed}`)
  const total = `${formatPlural(files.size, 'file')}, +${all.added} -${all.removed}`
  return [ellipsis(`${total}: ${named.slice(0, 12).join(', ')}`, 290)]
}

function field(record: JsonValue | undefined, name: string): JsonValue | undefined {
  return isObject(record) ? own(record, name) : undefined
}

/** Tried before the log of git, which may hold diffs: several commits are its own. Never takes a document that shows a diff. */
export const diff = defineFormat({
  name: 'diff',
  family: 'entries',
  detect: readDiff,
  read: (_, read) => read(),
  asides: (text) => commitOf(text),
  overview: overviewOfDiff,
})
