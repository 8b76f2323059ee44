/** Names that no field has, and that are the last word of one field's name: `status` of `order_status`. `date` is the one field with times. */
import type { Document } from '../../documents/document.ts'
import { singular } from '../../query/fields/alike.ts'
import { fieldAt } from '../../query/fields/fields.ts'
import { namesOn, parsePath } from '../../query/fields/path.ts'
import { type Records, withNames } from '../../query/fields/records.ts'
import { timeFields } from '../../query/fields/times.ts'
import { aggregateNamed } from '../../query/language/aggregates.ts'
import { wordsInName } from '../../text/words/bare-name.ts'
import type { Asked } from '../parameters.ts'
import type { PipelineStep } from '../pipeline.ts'
import type { ProcessorResult } from '../processor.ts'

/** Names of one step that are read so. */
const MOST_NAMES = 4

/** A step that reads such names where it would be refused for them, or would leave them out. The reply says so. */
export function orByLastWords(step: PipelineStep): PipelineStep {
  return {
    ...step,
    process(document, params) {
      const refused = step.process(document, params)
      let result = refused
      let known: Document = document
      for (let count = 0; count < MOST_NAMES; count++) {
        const missing = missingIn(result)
        if (missing === undefined) break
        if (isOfGroups(missing, params as Asked)) return refused
        const named = withNames(known, [missing], (records, name) => byLastWord(records, name))
        if (named === known) return refused
        known = named
        result = step.process(known, params)
      }
      if (missingIn(result) !== undefined || (result.error !== undefined && refused.error === undefined))
        return refused
      return result.content === known ? { ...result, content: document } : result
    },
  }
}

/** True for what is computed of groups, as `count` is. */
function isOfGroups(name: string, { group_by: keys = [], aggregate = [] }: Asked): boolean {
  return keys.length + aggregate.length > 0 && aggregateNamed(name) !== undefined
}

/** The first name that the step found no field for. */
function missingIn({ error, metadata }: ProcessorResult): string | undefined {
  const told = error === undefined ? (metadata.notes ?? []) : [error]
  return told
    .map((text) => /^No record has the field `(\p{L}{2,30})`\./u.exec(text)?.[1])
    .find((name) => name)
}

/** A column of groups with how many values there are, which are none of them. */
const COUNTED = /^(?:count|distinct)\w*\(/

/** The field of such a name. Of several the one with the fewest words in its name. */
function byLastWord(records: Records, word: string) {
  const wanted = singular(word.toLowerCase())
  const found = [...records.names().keys()].flatMap((name) => {
    const own = namesOn(parsePath(name)).at(-1) ?? ''
    if (COUNTED.test(own)) return []
    const words = wordsInName(own)
    return words.length > 1 && singular(words.at(-1) ?? '') === wanted ? [{ name, length: words.length }] : []
  })
  const least = Math.min(...found.map(({ length }) => length))
  const named = found.filter(({ length }) => length === least).map(({ name }) => name)
  const isTime = /^(?:date|time|timestamp|datetime)$/i.test(word)
  const [only, another] = named.length === 0 && isTime ? timeFields(records) : named
  if (only === undefined || another !== undefined) return undefined
  const field = fieldAt(parsePath(only))
  return { ...field, note: `\`${word}\` read as \`${field.name}\`.` }
}
