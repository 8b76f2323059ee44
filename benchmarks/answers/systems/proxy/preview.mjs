/** Reads the preview that takes the place of a large result. */
import { readType } from './type-line.mjs'

/**
 * @typedef {object} Preview
 * @property {string} handle
 * @property {number | undefined} records   of the main collection
 * @property {number | undefined} lines     of a text
 * @property {string | undefined} main      its path, `$.items`
 * @property {import('./type-line.mjs').Type | undefined} type   of its records
 * @property {Map<string, [string, number][]>} values   fields with all their values listed, each with its count
 * @property {Map<string, string>} beside   scalars of the document itself
 */

/** @returns {Preview | undefined} nothing when the text is the result itself */
export function readPreview(text) {
  const lines = text.split('\n')
  const handle = /cache_id "?([\w-]{6,})"?/.exec(lines[0])?.[1]
  if (handle === undefined) return undefined
  const [, count, main] =
    /([\d,]+) records?(?: by key)? in (\$(?:\["(?:[^"\\]|\\.)*"\]|[^\s,;)])*)/.exec(lines[0]) ?? []
  const [, plainCount] = /([\d,]+) records?\b/.exec(lines[0]) ?? []
  const records = count ?? plainCount
  const total = records === undefined ? undefined : number(records)
  const [, inLines] = /([\d,]+) lines?\b/.exec(lines[0]) ?? []
  const typeLine = lines.find((line) => line.startsWith('type: '))
  return {
    handle,
    records: total,
    lines: inLines && number(inLines),
    main,
    type: typeLine && readType(typeLine.slice(6).replace(/^_key: [^→]*→ /, '')),
    values: new Map(lines.flatMap((line) => valueCounts(line, total))),
    beside: new Map(lines.flatMap(besides)),
  }
}

/**
 * `state (2 values): open ×21, closed ×9; none in 3`. Only where the counts add up to all records are these all values: a field of
 * lists, a cut or a rest never does.
 */
function valueCounts(line, records) {
  const [, names, text] = /^([^:{}]+?)(?: \([^)]*\))?: (.+)$/.exec(line) ?? []
  if (names === undefined || records === undefined) return []
  const [listed, ...remarks] = text.split('; ')
  if (remarks.some((remark) => !/^none in [\d,]+$/.test(remark))) return []
  const pairs = [...listed.matchAll(/\s*(.+?) ×?(\d{1,3}(?:,\d{3})+|\d+)(?:, |$)/gy)]
  if (pairs.length === 0 || pairs.map(([whole]) => whole).join('').length !== listed.length) return []
  const counts = pairs.map(([, value, count]) => [unquoted(value), number(count)])
  const none = remarks.reduce((sum, remark) => sum + number(remark.slice('none in '.length)), 0)
  if (counts.reduce((sum, [, count]) => sum + count, 0) + none !== records) return []
  if (counts.some(([value]) => value.endsWith('…'))) return []
  return names.split(' = ').map((name) => [name, counts])
}

/** `beside the records: total_count = 1370, title = "Past, present"`: scalars of the document itself; a value that is cut is none. */
function besides(line) {
  const [, text] = /^beside the records: (.+)$/.exec(line) ?? []
  if (text === undefined) return []
  const pairs = text.matchAll(/(?:^|, )(\S+) = ("(?:[^"\\]|\\.)*"?|.*?)(?=, \S+ = |, …|$)/g)
  return [...pairs].flatMap(([, name, value]) => (/…"?$/.test(value) ? [] : [[name, unquoted(value)]]))
}

/** `$.children[1].children`: one list of several that are called alike. */
export function isOneOf(main = '$') {
  return /\[\d+\]/.test(main)
}

function number(text) {
  return Number(text.replaceAll(',', ''))
}

function unquoted(value) {
  if (!/^".*"$/.test(value)) return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

/** The names of the fields of the records, when the type names them all. `_key` is where a record is, not a field of it. */
export function fieldNames({ type }) {
  return type?.fields && type.whole ? [...type.fields.keys()].filter((name) => name !== '_key') : undefined
}

/** The names of all fields an exploration tells: its type line, else its lines for each field. */
export function exploredFields(text) {
  const lines = text.split('\n')
  const line = lines.find((one) => one.startsWith('type: '))
  if (line) return fieldNames({ type: readType(line.slice(6).replace(/^_key: [^→]*→ /, '')) })
  const from = lines.indexOf('fields:')
  const names = lines.slice(from + 1).flatMap((one) => /^ {2}([^\s:.[*]+): /.exec(one)?.[1] ?? [])
  const whole = from >= 0 && !lines.some((one) => /^ {2}….*more|next: offset/.test(one))
  return whole && names.length > 0 ? names.filter((name) => name !== '_key') : undefined
}

/** A way as the tools write it: `labels[].name`, `packages.*.version`, by the type where it tells lists from maps. */
export function nameOf(way, type) {
  let name = ''
  let here = type
  for (const key of way) {
    if (key === '[]') {
      const map = here !== undefined && here.value !== undefined && here.element === undefined
      name += map ? '.*' : '[]'
      here = map ? here.value : here?.element
    } else {
      name += /[.[\]"*:=<>~!&|,;()]/.test(key)
        ? `[${JSON.stringify(key)}]`
        : `${name === '' ? '' : '.'}${key}`
      here = here?.fields?.get(key)
    }
  }
  return name.replace(/^\./, '')
}
