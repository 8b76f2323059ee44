/** All fields of records, a line each: presence, types, values, ranges, lengths. */

import { ellipsis } from '../../text/cut.ts'
import { formatCount } from '../../text/format.ts'
import { distinctCount, type Field, fieldsOf, frequent } from '../fields.ts'
import type { Profile } from '../profile.ts'
import { typeNotation } from '../type-notation.ts'
import { numbersOf } from './rank.ts'

/** Lines as `user.login: string, in 28 of 30; 12 values: "bot" 20, "ann" 3`, outer fields before inner ones. */
export function fieldLines(profile: Profile, maxDepth: number): string[] {
  return fieldsOf(profile.record, maxDepth).map((field) => `${field.path}: ${facts(field).join('; ')}`)
}

function facts(field: Field): string[] {
  const { shape, of } = field
  const type = typeNotation(shape, { length: 80, depth: 1, enumerate: false })
  const said = [shape.count < of ? `${type}, in ${formatCount(shape.count)} of ${formatCount(of)}` : type]
  if (shape.nulls > 0 && shape.nulls < shape.count) said.push(`null in ${formatCount(shape.nulls)}`)
  if (shape.values) said.push(`${formatCount(shape.keys)} keys`)
  said.push(...numbers(field), ...strings(field), ...arrays(field), ...values(field))
  return said
}

function numbers({ shape }: Field): string[] {
  const stats = shape.numbers && numbersOf(shape)
  if (!stats || stats.min === stats.max) return []
  const mean = Number((stats.sum / stats.count).toPrecision(4))
  return [`${formatCount(stats.min)} to ${formatCount(stats.max)}, mean ${formatCount(mean)}`]
}

function strings({ shape: { strings: stats } }: Field): string[] {
  if (!stats) return []
  if (stats.dates > 0 && stats.dates === stats.count)
    return stats.earliest === stats.latest ? [] : [`${stats.earliest} to ${stats.latest}`]
  const said: string[] = []
  if (stats.maxLength > 60) said.push(`${span(stats.minLength, stats.maxLength)} characters`)
  if (stats.json > 0) said.push(`JSON inside in ${formatCount(stats.json)}`)
  if (stats.numeric === stats.count) said.push('numbers as text')
  return said
}

function arrays({ shape: { arrays: stats } }: Field): string[] {
  if (!stats) return []
  return [`${span(stats.min, stats.max)} elements each, ${formatCount(stats.total)} in all`]
}

/** `3-1,200`; of two that are the same the one. */
function span(min: number, max: number): string {
  return min === max ? formatCount(min) : `${formatCount(min)}-${formatCount(max)}`
}

function values({ shape }: Field): string[] {
  const distinct = distinctCount(shape)
  if (shape.distinct.counts.size === 0) return []
  const top = frequent(shape).slice(0, distinct !== undefined && distinct <= 12 ? 12 : 4)
  const listed = top.map(([value, count]) => {
    const text = ellipsis(JSON.stringify(value), 48)
    return count > 1 ? `${text} ${formatCount(count)}` : text
  })
  const count =
    distinct === undefined ? 'many values' : `${formatCount(distinct)} ${distinct === 1 ? 'value' : 'values'}`
  return [`${count}: ${ellipsis(listed.join(', '), 160)}`]
}
