/** The structure of a document, as text: what it is, which fields it has, how its size is spread. */

import type { Document } from '../../documents/document.ts'
import { overviewOf } from '../../documents/formats/index.ts'
import { fromText } from '../../documents/opening/derive.ts'
import { numbersOf } from '../../documents/overview/rank.ts'
import { shares } from '../../documents/overview/sizes.ts'
import { collectionsOf } from '../../documents/shape/collections.ts'
import { distinctCount, type Field, fieldsOf, frequent } from '../../documents/shape/fields.ts'
import { type Profile, profile } from '../../documents/shape/profile.ts'
import { typeNotation } from '../../documents/shape/type-notation.ts'
import { formatBytes, formatCount } from '../../text/format.ts'
import { ellipsis } from '../../text/shorten.ts'
import { countTokens } from '../../text/tokens.ts'
import { structureParams } from '../parameters.ts'
import type { StepMetadata } from '../processor.ts'
import { defineStep } from '../step.ts'

/** Fields deeper than this are not shown, whatever is asked: the profile itself is bounded. */
const DEEPEST = 8
const TYPE_LENGTH = 1500
const SAMPLE_LENGTH = 1200

/** Step of `proxy_explore`; always wanted. Its document is a text of one fact a line. */
export const structure = defineStep({
  name: 'structure',
  params: structureParams,
  wanted: () => true,
  run(document, { max_depth = 3 }) {
    const total = document.records()?.values.length
    const metadata: StepMetadata = total === undefined ? {} : { total }
    return { content: fromText(describe(document, Math.min(max_depth, DEEPEST)).join('\n')), metadata }
  },
})

function describe(document: Document, maxDepth: number): string[] {
  const overview = overviewOf(document)
  const sample = overview.sample(SAMPLE_LENGTH)
  const tokens = countTokens(document.text)
  const size = `${formatBytes(document.bytes)}, ${formatCount(document.characters)} characters, ${formatCount(tokens)} tokens`
  return [
    `${document.format}: ${[...overview.totals, size].join(', ')}`,
    ...document.asides.map((aside) => `also: ${aside}`),
    ...data(document, maxDepth, tokens),
    // Facts that the fields do not tell: outlines, message patterns, what stands beside the records.
    ...overview.facts.filter(document.traits.isOwnFact),
    ...(sample.length > 0 ? ['sample:', ...sample] : []),
  ]
}

/** Type, fields, sizes and collections of what is data; logs and trees have fields as well. */
function data(document: Document, maxDepth: number, tokens: number): string[] {
  const value = document.json()
  if (value === undefined || document.traits.outlined) return []
  const collection = document.records()
  const values = collection?.values ?? [value]
  // Fields tell a level more than is asked for, and what was not looked at would seem empty; a list is a level of its own.
  const profiled = profile({ values }, { maxDepth: Math.max(maxDepth, 1) + 4 })
  const fields = fieldLines(profiled, maxDepth)
  const others = collectionsOf(value).filter(({ path }) => path !== collection?.path)
  return [
    ...(collection?.keys
      ? [
          `keys: ${collection.keys
            .slice(0, 8)
            .map((key) => JSON.stringify(key))
            .join(', ')}`,
        ]
      : []),
    `type: ${typeNotation(profiled.record, { length: TYPE_LENGTH, depth: maxDepth })}`,
    ...(others.length > 0
      ? [
          'other collections:',
          ...others.slice(0, 20).map((other) => `  ${other.path}: ${formatCount(other.values.length)}`),
        ]
      : []),
    ...sizes(values, tokens),
    ...(fields.length > 0 ? ['fields:', ...fields.map((line) => `  ${line}`)] : []),
    ...(profiled.every > 1 ? [`frequent values are from every ${profiled.every}th record`] : []),
  ]
}

function sizes(values: Parameters<typeof shares>[0], tokens: number): string[] {
  const large = shares(values).filter(({ share }) => share >= 0.05)
  if (large.length < 2) return []
  const listed = large
    .slice(0, 10)
    .map(({ name, share }) => `${name} ${formatCount(Math.round(share * tokens))}`)
  return [`tokens by field, about: ${listed.join(', ')}`]
}

/** Lines as `user.login: string, in 28 of 30; 12 values: "bot" 20, "ann" 3`, outer fields before inner ones. */
function fieldLines(profile: Profile, maxDepth: number): string[] {
  return fieldsOf(profile.record, maxDepth).map((field) => `${field.path}: ${factsOfField(field).join('; ')}`)
}

function factsOfField(field: Field): string[] {
  const { shape, of } = field
  const type = typeNotation(shape, { length: 80, depth: 1, enumerate: false })
  const said = [shape.count < of ? `${type}, in ${formatCount(shape.count)} of ${formatCount(of)}` : type]
  if (shape.nulls > 0 && shape.nulls < shape.count) said.push(`null in ${formatCount(shape.nulls)}`)
  if (shape.values) said.push(`${formatCount(shape.keys)} keys`)
  said.push(...numbersIn(field), ...stringsIn(field), ...arraysIn(field), ...valuesIn(field))
  return said
}

function numbersIn({ shape }: Field): string[] {
  const stats = shape.numbers && numbersOf(shape)
  if (!stats || stats.min === stats.max) return []
  const mean = Number((stats.sum / stats.count).toPrecision(4))
  return [`${formatCount(stats.min)} to ${formatCount(stats.max)}, mean ${formatCount(mean)}`]
}

function stringsIn({ shape: { strings: stats } }: Field): string[] {
  if (!stats) return []
  if (stats.dates > 0 && stats.dates === stats.count)
    return stats.earliest === stats.latest ? [] : [`${stats.earliest} to ${stats.latest}`]
  const said: string[] = []
  if (stats.maxLength > 60) said.push(`${span(stats.minLength, stats.maxLength)} characters`)
  if (stats.json > 0) said.push(`JSON inside in ${formatCount(stats.json)}`)
  if (stats.numeric === stats.count) said.push('numbers as text')
  return said
}

function arraysIn({ shape: { arrays: stats } }: Field): string[] {
  if (!stats) return []
  return [`${span(stats.min, stats.max)} elements each, ${formatCount(stats.total)} in all`]
}

/** `3-1,200`; of two that are the same the one. */
function span(min: number, max: number): string {
  return min === max ? formatCount(min) : `${formatCount(min)}-${formatCount(max)}`
}

function valuesIn({ shape }: Field): string[] {
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
