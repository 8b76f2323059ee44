/** Lists of paths, a line each, as `find`, `git ls-files` and searches for files print them, and lists of a folder with `[FILE]` and `[DIR]`. */
import type { JsonObject, JsonValue } from '../../protocol/json.ts'
import { indexLines, type LineIndex } from '../../text/lines.ts'
import { defineFormat } from './define.ts'

const LONGEST = 1_000
const LEAST = 4
/** Lines before or after the list that say something of it. */
const MOST_AROUND = 3
/** The marks that no name in a list has: sentences, addresses, columns. */
const NO_PATH = /^\s|[\t"<>|*?;={}]|: |:\/\/|,\s|[.,:!?]$|\s$/
const MARKED = /^\[(FILE|DIR|LINK|OTHER)\] (.{1,400}?)(?: {2,}([\d.]+ ?(?:B|[KMGT]i?B)))?\s*$/i

interface Found {
  lines: LineIndex
  marked: boolean
  first: number
  last: number
}

/** The lines that are paths, when all are but a few at the beginning and the end. */
function findPaths(text: string): Found | undefined {
  const lines = indexLines(text)
  if (lines.count < LEAST) return undefined
  const marked = Array.from({ length: Math.min(lines.count, MOST_AROUND) }, (_, index) =>
    at(lines, index),
  ).some((line) => MARKED.test(line))
  const isEntry = marked ? (line: string) => MARKED.test(line) : isPath
  const [first, last] = [edge(lines, 1, isEntry), edge(lines, -1, isEntry)]
  if (first === undefined || last === undefined || last - first + 1 < LEAST) return undefined
  let [count, folders, names, spaced] = [0, 0, 0, 0]
  for (let index = first; index <= last; index++) {
    const line = at(lines, index)
    if (line === '') continue
    if (!isEntry(line)) return undefined
    count += 1
    if (/[/\\]/.test(line)) folders += 1
    if (/\.[A-Za-z]\w{0,9}$|[/\\]$|^[.~]?[/\\]/.test(line)) names += 1
    if (line.includes(' ')) spaced += 1
  }
  // Words parted by a stroke (`and/or`) are in sentences; names have endings or begin at a root.
  const isList = marked || (folders >= count * 0.5 && names >= count * 0.6 && spaced <= count * 0.3)
  return isList && count >= LEAST ? { lines, marked, first, last } : undefined
}

function isPath(line: string): boolean {
  // Words that are no name of a file, such as `Found 5 files`.
  if (line.includes(' ') && !/[/\\]|\.[A-Za-z]\w{0,9}$/.test(line)) return false
  return line.length < LONGEST && !NO_PATH.test(line) && /[A-Za-z]/.test(line) && !/^[\d/.-]+$/.test(line)
}

/** The first line, or the last one, that is an entry; others may stand before it. */
function edge(lines: LineIndex, step: 1 | -1, isEntry: (line: string) => boolean): number | undefined {
  let passed = 0
  for (let index = step === 1 ? 0 : lines.count - 1; index >= 0 && index < lines.count; index += step) {
    const line = at(lines, index)
    if (line === '') continue
    if (isEntry(line)) return index
    if (++passed > MOST_AROUND) return undefined
  }
  return undefined
}

function at(lines: LineIndex, index: number): string {
  return lines.end(index) - lines.start(index) > LONGEST ? '?' : lines.at(index).replace(/\r$/, '')
}

/** Records `{path, name, folder, extension?, type?, size?}`: `folder` is the path without the name. */
function readPaths(_: string, { lines, marked, first, last }: Found): JsonValue {
  const found: JsonObject[] = []
  for (let index = first; index <= last; index++) {
    const line = at(lines, index)
    if (line === '') continue
    const [, kind = '', named = line, size] = (marked && MARKED.exec(line)) || []
    const parts = named.split(/[/\\]/)
    const isFolder = kind.toUpperCase() === 'DIR' || /[/\\]$/.test(named)
    const name = (parts.at(-1) === '' ? parts.at(-2) : parts.at(-1)) ?? named
    const extension = isFolder ? undefined : /[^.](\.[A-Za-z]\w{0,9})$/.exec(name)?.[1]
    found.push({
      path: named,
      name,
      folder: named.replace(/[/\\]+$/, '').slice(0, -name.length - 1),
      ...(extension === undefined ? {} : { extension: extension.slice(1) }),
      ...(kind === '' ? {} : { type: isFolder ? 'directory' : 'file' }),
      ...(size === undefined ? {} : { size }),
    })
  }
  return found
}

/** Tried before Markdown and tables without names. Never takes sentences, addresses, or lines with columns. */
export const paths = defineFormat<Found>({
  name: 'paths',
  family: 'table',
  detect: findPaths,
  read: readPaths,
  asides: (_, { lines, first, last }) =>
    [
      ...Array.from({ length: first }, (_, index) => index),
      ...Array.from({ length: lines.count - 1 - last }, (_, index) => last + 1 + index),
    ]
      .map((index) => at(lines, index).trim())
      .filter((line) => line !== '')
      .map((line) => `text beside it: ${line}`),
})
