/** Lists of files as `ls -l`, `ls -lR`, `find -ls`, `tar tv` and `aws s3 ls` print them: a record for each file. */
import type { JsonObject, JsonValue } from '../../protocol/json.ts'
import { indexLines, type LineIndex, linesUpTo } from '../../text/lines.ts'
import { asideOf, exactNumber, type FoundTable } from './cells.ts'
import { defineFormat } from './define.ts'

const MODE = String.raw`(?:(?<inode>\d+) +)?(?:(?<blocks>[\d.]+[KMGTP]?) +)?(?<mode>[-dlbcpsDCMnPw?][-rwxsStTlL]{9})[.+@]? +`
const SIZE = String.raw`(?:(?<size>[\d.,]+[KMGTPEi]{0,2}B?)|(?<device>\d+, *\d+)) +`
const WHEN = String.raw`(?<modified>\d{4}-\d\d-\d\d(?: \d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?: [-+]\d{4})?)?|[A-Z][a-z]{2,3}\.? +\d{1,2} +(?:\d\d:\d\d(?::\d\d)?(?: \d{4})?|\d{4})|\d{1,2} [A-Z][a-z]{2} +(?:\d\d:\d\d|\d{4})|\d\d-\d\d \d\d:\d\d)`
const LISTED = new RegExp(
  String.raw`^ *${MODE}(?<links>\d+) +(?<owner>\S+) +(?:(?<group>\S+) +)??${SIZE}${WHEN} (?<name>.+)$`,
)
const ARCHIVED = new RegExp(String.raw`^${MODE}(?<owner>[^\s/]+)/(?<group>\S+) +${SIZE}${WHEN} (?<name>.+)$`)
/** An object of S3. Its size is ten characters wide, or more, and its key has a folder or a type: logs have numbers before messages, too. */
const STORED =
  /^(?<time>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) (?=.{10} |\d{11})(?<padded> *(?:\d+(?:\.\d+)? [KMGTPE]iB|\d+ Bytes?|\d+)) (?<key>(?=[^[:]*[./])\S.*)$/
/** The beginning that keys of objects share. It stands where other lines have a size. */
const PREFIX = /^ {27}PRE (?<key>\S.*)$/
const SUM = /^\s*Total (?:Objects|Size): /
const TOTAL = /^total [\d.]+[KMGTP]?$/
/** The paths that the command could not read. */
const FAILED = /^(?:ls|find|tar): /
const FOLDER = /^(.{1,4000}):$/
const LIKELY = /^ *(?:\d+ +){0,2}[-dlbcps][-rwxsStT]{9}[.+@]? |^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {1,10}\d/m
const LONGEST = 4_096
const at = linesUpTo(LONGEST, '?')
/** Fewer files may be a part of something else. */
const LEAST = 3
const SAMPLE = 2_000
/** The first lines may be the command, or a word about what follows. */
const MOST_BEFORE = 2

const TYPES: Readonly<Record<string, string>> = {
  '-': 'file',
  d: 'directory',
  l: 'link',
  b: 'block device',
  c: 'character device',
  p: 'pipe',
  s: 'socket',
}

/**
 * Records `{folder?, name, type, size, modified, owner, group?, mode, links?, target?}`, in the order of the list, and `{time, size, key}`
 * of objects; sizes as numbers where they are such. A line that is no file becomes `{_line}`. Undefined when more than a tenth of the lines are none.
 */
function readListing(text: string): FoundTable | undefined {
  if (!LIKELY.test(text.slice(0, LONGEST * 2))) return undefined
  const lines = indexLines(text)
  let [files, others, before] = [0, 0, 0]
  for (let index = 0; index < Math.min(lines.count, SAMPLE); index++) {
    const line = at(lines, index)
    if (line === '' || isTotal(line) || FAILED.test(line) || isFolder(lines, index)) continue
    if (entryOf(line)) files += 1
    else if (files === 0 && before < MOST_BEFORE) before += 1
    else others += 1
  }
  if (files < LEAST || others > files * 0.1) return undefined
  const sums = Array.from({ length: Math.min(MOST_SUMS, lines.count) }, (_, nth) =>
    at(lines, lines.count - 1 - nth),
  )
  return {
    json: () => records(lines),
    asides: sums
      .reverse()
      .filter((line) => SUM.test(line))
      .map(asideOf),
  }
}

/** The last lines, which may tell how many files there are. */
const MOST_SUMS = 4

function isTotal(line: string): boolean {
  return TOTAL.test(line) || SUM.test(line)
}

/** `src/lib:` above its files; a folder with none is followed by the next, or by the end. */
function isFolder(lines: LineIndex, index: number): boolean {
  if (!FOLDER.test(at(lines, index)) || (index > 0 && at(lines, index - 1) !== '')) return false
  const next = at(lines, index + 1)
  return next === '' || TOTAL.test(next) || entryOf(next) !== undefined
}

function entryOf(line: string): Record<string, string | undefined> | undefined {
  return (LISTED.exec(line) ?? ARCHIVED.exec(line) ?? STORED.exec(line) ?? PREFIX.exec(line))?.groups
}

function records(lines: LineIndex): JsonValue[] {
  const found: JsonObject[] = []
  let folder: string | undefined
  for (let index = 0; index < lines.count; index++) {
    const line = at(lines, index)
    if (line === '' || isTotal(line)) continue
    if (isFolder(lines, index)) {
      folder = line.slice(0, -1)
      continue
    }
    const entry = entryOf(line)
    found.push(entry ? record(entry, folder) : { _line: lines.at(index) })
  }
  return found
}

function record(entry: Record<string, string | undefined>, folder: string | undefined): JsonObject {
  const {
    mode = '',
    name: whole = '',
    inode,
    blocks,
    links,
    owner = '',
    group,
    size,
    device,
    modified = '',
    time = '',
    key,
    padded,
  } = entry
  if (key !== undefined) {
    const stored = padded?.trim()
    return stored === undefined ? { key, type: 'prefix' } : { time, size: exactNumber(stored) ?? stored, key }
  }
  const type = TYPES[mode.charAt(0)] ?? mode.charAt(0)
  const arrow = type === 'link' ? whole.indexOf(' -> ') : -1
  return {
    ...(folder === undefined ? {} : { folder }),
    name: arrow < 0 ? whole : whole.slice(0, arrow),
    type,
    ...(size === undefined ? { device: device ?? '' } : { size: exactNumber(size) ?? size }),
    modified,
    owner,
    ...(group === undefined ? {} : { group }),
    mode,
    ...(links === undefined ? {} : { links: exactNumber(links) ?? links }),
    ...(inode === undefined ? {} : { inode: exactNumber(inode) ?? inode }),
    ...(blocks === undefined ? {} : { blocks: exactNumber(blocks) ?? blocks }),
    ...(arrow < 0 ? {} : { target: whole.slice(arrow + 4) }),
  }
}

/** Tried before CSV. Never takes lines without the mode of a file or a padded size, but one in ten. */
export const listing = defineFormat<FoundTable>({
  name: 'listing',
  family: 'table',
  detect: readListing,
  read: (_, { json }) => json(),
  asides: (_, { asides }) => asides,
})
