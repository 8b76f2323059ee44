/** Samples: a record in the fields that tell most, the lines a text begins and ends with. */
import { isObject, type JsonObject, type JsonValue, setOwn } from '../../protocol/json.ts'
import { formatPlural } from '../../text/format.ts'
import type { LineIndex } from '../../text/lines.ts'
import { cut, ellipsis } from '../../text/shorten.ts'
import { abridge } from '../abridge.ts'
import { toJson } from '../json/stringify.ts'
import { type Field, isNoise } from '../shape/fields.ts'
import { at } from './facts.ts'
import { idOf, isProse, labelOf, scalarCount, worth } from './rank.ts'

/** Fields of samples: what identifies a record first, then by worth; one value a record each. */
export function sampleFields(fields: readonly Field[]): Field[] {
  const single = fields.filter((field) => !field.many && !isNoise(field) && scalarCount(field) > 0)
  const weight = (field: Field) => worth(field) + (isProse(field) ? 3 : 0)
  const ranked = [...single].sort((one, other) => weight(other) - weight(one))
  const identity = [idOf(fields), labelOf(fields)].filter((field) => field !== undefined)
  return [...new Set([...identity, ...ranked])].slice(0, 40)
}

/**
 * A record in at most `max` characters, whole when it is short. Otherwise its best fields by their paths, as JSON with the number of
 * fields left out, to which `hidden` ones are added.
 */
export function digest(record: JsonValue, fields: readonly Field[], max: number, hidden = 0): string {
  if (!isObject(record) || fields.length < 2) return abridge(record, max)
  const whole = toJson(hidden > 0 ? { ...record, '…': `${hidden} more` } : record)
  if (whole.length <= max) return whole
  const short: JsonObject = {}
  let room = max - 20
  let left = Object.keys(record).length + hidden
  for (const { path, depth } of fields) {
    const value = at(record, path)
    if (value === undefined || typeof value === 'object') continue
    const shown =
      typeof value === 'string' ? cut(value, Math.max(24, Math.min(120, Math.floor(max / 3)))) : value
    const length = toJson(shown).length + path.length + 4
    if (length > room) continue
    setOwn(short, path, shown)
    room -= length
    if (depth === 1) left -= 1
  }
  if (Object.keys(short).length === 0)
    return max < 80 ? ellipsis(toJson({ '…': formatPlural(left, 'field') }), max) : abridge(record, max)
  if (left > 0) short['…'] = `${left} more`
  return toJson(short)
}

/** The first lines and the last ones. */
export function endsOf(lines: LineIndex, max: number): string[] {
  const firsts: string[] = []
  let room = Math.floor(max * 0.65)
  for (let index = 0; index < lines.count && room > 20; index++) {
    const line = ellipsis(lines.at(index), Math.min(room, 240))
    firsts.push(line)
    room -= line.length + 1
  }
  const lasts: string[] = []
  room = Math.floor(max * 0.3)
  for (let index = lines.count - 1; index >= firsts.length && lasts.length < 5; index--) {
    const line = lines.at(index)
    if (line.length + 1 > room && lasts.length > 0) break
    lasts.unshift(ellipsis(line, Math.min(240, Math.max(0, room - 1))))
    if (line.length > 240) room -= 240 - line.length
    room -= line.length + 1
  }
  return [
    ...firsts,
    ...(lasts.length > 0 && firsts.length + lasts.length < lines.count ? ['…'] : []),
    ...lasts,
  ]
}
