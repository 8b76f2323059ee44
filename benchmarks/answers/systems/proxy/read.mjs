/** Reads the replies of the proxy's tools: what a model sees in them, and nothing more. */
import { decode } from '@toon-format/toon'

/**
 * @typedef {object} Reading
 * @property {string[]} notes       lines that are neither rows nor calls, the heading first
 * @property {unknown[]} rows       JSON lines and the rows of tables
 * @property {string[]} passages    hits as text: lines of a log, passages of a document
 * @property {{name: string, args: object}[]} calls   ready-made calls
 * @property {number | undefined} matched   the number over everything
 * @property {number | undefined} next      the offset of the next page
 * @property {boolean} nothing      it says that nothing matches, over everything
 * @property {boolean} more         it says that more exists than it shows
 * @property {boolean} short        it says that its rows show some of their fields
 */

const TABLE = /^\s*[\w."[\]*]*\[\d+\]\{.*\}:\s*$/
const SCALARS = /^\s*[\w."]*\[\d+\]: /
const HIT = /^(?:\[[\d.]+\]\s*)?(?:lines? \d+(?:-\d+)?|\d+(?::\d+)?[:-])(?: (.*))?$/

/** @returns {Reading} */
export function readReply(text) {
  const reading = { notes: [], rows: [], passages: [], calls: [], next: undefined, matched: undefined }
  const lines = text.split('\n')
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]
    const call = callIn(line)
    if (call) reading.calls.push(call)
    else if (TABLE.test(line)) at = readTable(lines, at, reading)
    else if (at > 0 && /^\s*[[{"]/.test(line) && json(line) !== undefined) reading.rows.push(json(line))
    else if (at > 0 && SCALARS.test(line)) reading.rows.push(...scalars(line))
    else if (at > 0 && (HIT.test(line) || /^\[[\d.]+\] /.test(line))) at = readPassage(lines, at, reading)
    else if (line.trim() !== '') reading.notes.push(line)
  }
  readCounts(reading)
  return reading
}

/** `proxy_filter {"cache_id": …}`. */
function callIn(line) {
  const [, name, args] = /^\s*(?:next: )?(proxy_\w+) (\{.*\})\s*$/.exec(line) ?? []
  const read = args === undefined ? undefined : json(args)
  return read && { name, args: read }
}

function json(line) {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** A table: its heading and the indented rows below. Gives the index of its last line. */
function readTable(lines, from, reading) {
  let end = from + 1
  while (end < lines.length && /^\s+\S/.test(lines[end])) end += 1
  const text = lines.slice(from, end).join('\n')
  try {
    const decoded = decode(text, { strict: false })
    reading.rows.push(...(Array.isArray(decoded) ? decoded : Object.values(decoded).flat()))
  } catch {
    reading.notes.push(text)
  }
  return end - 1
}

function scalars(line) {
  try {
    const decoded = decode(line, { strict: false })
    return Array.isArray(decoded) ? decoded : Object.values(decoded).flat()
  } catch {
    return []
  }
}

/** A hit of a text: a line, or a passage with the lines below that belong to it. */
function readPassage(lines, from, reading) {
  const [, rest] = HIT.exec(lines[from]) ?? []
  const block = [rest ?? lines[from].replace(/^\[[\d.]+\] /, '')]
  let end = from + 1
  while (
    end < lines.length &&
    !HIT.test(lines[end]) &&
    !/^\[[\d.]+\] /.test(lines[end]) &&
    lines[end] !== '--'
  ) {
    if (callIn(lines[end]) || /^\s*\{.*\}$/.test(lines[end])) break
    block.push(lines[end])
    end += 1
  }
  reading.passages.push(block.join('\n').trim())
  return end < lines.length && lines[end] === '--' ? end : end - 1
}

function readCounts(reading) {
  const said = reading.notes.join('\n')
  const heading = reading.notes[0] ?? ''
  const next = /next:? (?:page )?(?:with )?offset (\d+)/.exec(said)
  if (next) reading.next = Number(next[1])
  const match = /([\d,]+) of ([\d,]+) [^·\n]*?\bmatch/.exec(heading)
  const all = /([\d,]+) of ([\d,]+)\b/.exec(heading)
  if (match) reading.matched = number(match[1])
  else if (all && !next) reading.matched = number(all[1])
  // Sums over nothing are null.
  const empty = reading.rows.every((row) => Object.values(row ?? {}).every((value) => value === null))
  reading.nothing = reading.matched === 0 && empty && reading.passages.length === 0
  reading.short = /Rows show [\d,]+ of [\d,]+ fields/.test(said)
  reading.more = reading.next !== undefined || reading.calls.some(({ args }) => args.offset > 0)
}

function number(text) {
  return Number(text.replaceAll(',', ''))
}

/** True when the value, or something in it, was shortened to fit. */
export function isShortened(value) {
  if (typeof value === 'string') {
    return /…\[[\d,]+ characters left out\]…|…$|^… [\d,]+ more$|^\[[\d,]+ items?\]$|^\{[\d,]+ fields?\}$/.test(
      value,
    )
  }
  if (Array.isArray(value)) return value.some(isShortened)
  return (
    typeof value === 'object' && value !== null && ('…' in value || Object.values(value).some(isShortened))
  )
}

/**
 * Values of a field in a row: at its way, or in a column that has its name, whole (`user.login`, `labels[].name`), in part, or its
 * end. Undefined when the row shows no such field.
 */
export function valuesIn(row, way) {
  if (typeof row !== 'object' || row === null) return undefined
  if (way.length === 0) return [row]
  const wanted = plain(way)
  for (let length = wanted.length; length > 0; length--) {
    const name = wanted.slice(0, length).join('.')
    const column = Object.keys(row).find((key) => plainName(key) === name)
    if (column !== undefined) return descend(row[column], wanted.slice(length))
  }
  // `login` alone for `user.login`, never `user.id` for `id`; among others it is the record's own.
  const full = wanted.join('.')
  const shorter = Object.keys(row).filter((key) => full.endsWith(`.${plainName(key)}`))
  if (shorter.length === 1 && Object.keys(row).length === 1) return descend(row[shorter[0]], [])
  return undefined
}

function descend(value, keys) {
  if (Array.isArray(value)) return value.flatMap((element) => descend(element, keys) ?? [])
  if (keys.length === 0) return [value]
  if (typeof value !== 'object' || value === null) return []
  const [key, ...rest] = keys
  if (Object.hasOwn(value, key)) return descend(value[key], rest)
  const dotted = Object.keys(value).find((name) => plainName(name) === keys.join('.'))
  if (dotted !== undefined) return [value[dotted]].flat()
  // A map: its values.
  return Object.values(value).flatMap((inner) =>
    typeof inner === 'object' ? (descend(inner, keys) ?? []) : [],
  )
}

function plain(way) {
  return way.filter((key) => key !== '[]').map((key) => String(key))
}

/** `$.labels[*].name`, `labels[].name`, `labels.*.name` and `labels.name` name the same. */
export function plainName(name) {
  return name
    .replace(/^\$(?:\.|(?=\[)|$)/, '')
    .replace(/\[(?:\*|\d*)\]/g, '')
    .replace(/\["((?:[^"\\]|\\.)*)"\]/g, '.$1')
    .replace(/\.\*/g, '')
    .replace(/^\./, '')
}

/** The one value a reply shows below its heading and remarks. Undefined when there is more than one. */
export function valueIn(text) {
  const [heading, ...lines] = text.split('\n')
  if (!/\b1 of 1 \w+$/.test(heading) || lines.length !== 1) return undefined
  return json(lines[0]) ?? lines[0]
}
