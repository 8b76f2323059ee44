/** The structure of a document, as text: what it is, which fields it has, how its size is spread. */
import { fromText } from '../documents/derive.ts'
import type { Document } from '../documents/document.ts'
import { overviewOf } from '../documents/formats/index.ts'
import { fieldLines } from '../documents/overview/field-lines.ts'
import { shares } from '../documents/overview/sizes.ts'
import { profile } from '../documents/profile.ts'
import { collectionsOf } from '../documents/records.ts'
import { typeNotation } from '../documents/type-notation.ts'
import { formatBytes, formatCount } from '../text/format.ts'
import { countTokens } from '../text/tokens.ts'
import { structureParams } from './parameters.ts'
import type { StepMetadata } from './processor.ts'
import { defineStep } from './step.ts'

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
