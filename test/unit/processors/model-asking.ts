/** Asks the pipelines about one of the documents, as the tools do. */
import { describe, expect, test } from 'vitest'
import type { Document } from '../../../src/documents/document.ts'
import { fromRecognised } from '../../../src/documents/opening/derive.ts'
import { filterParams, searchParams } from '../../../src/processors/parameters.ts'
import { runPipeline } from '../../../src/processors/pipeline.ts'
import { filterSteps, searchSteps } from '../../../src/processors/pipelines.ts'
import { isObject, type JsonObject, type JsonValue, own } from '../../../src/protocol/json.ts'
import { documents } from './model-documents.ts'

/** Parameters, what tells the rows found apart, and what the reply says of how it read the question. */
export type Question = readonly [params: JsonObject, found: readonly JsonValue[], remark?: string]

const opened = new Map<string, Document>()

export function ask(
  name: string,
  params: JsonObject,
): { error: string | undefined; items: readonly JsonValue[]; ids: JsonValue[]; notes: string[] } {
  const { value, id } = documents[name as keyof typeof documents]
  const document = opened.get(name) ?? fromRecognised(JSON.stringify(value))
  opened.set(name, document)
  const [schema, steps] =
    params.pattern === undefined
      ? ([filterParams, filterSteps] as const)
      : ([searchParams, searchSteps] as const)
  const { document: answer, error, steps: reports } = runPipeline(document, steps, schema.parse(params))
  const items = [...answer.rows().items]
  const notes = reports.flatMap(({ metadata }) => metadata.notes ?? [])
  return { error, items, ids: items.map((item) => at(item, id)), notes }
}

/** The value at a name, or at names with dots between them; the item itself where there is none. */
function at(item: JsonValue, name: string): JsonValue {
  if (!isObject(item)) return item
  const whole = own(item, name)
  if (whole !== undefined) return whole
  let here: JsonValue | undefined = item
  for (const part of name.split('.'))
    here = isObject(here ?? null) ? own(here as JsonObject, part) : undefined
  return here ?? item
}

/** A test a question, by document. */
export function answersAll(questions: readonly (readonly [string, readonly Question[]])[]): void {
  describe.each(questions)('%s', (document, asked) => {
    const cases = asked.map(([params, found, remark = '']) => ({
      params,
      found,
      remark,
      name: JSON.stringify(params),
    }))
    test.each(cases)('$name', ({ params, found, remark }) => {
      const { error, ids, notes } = ask(document, params)
      expect(error).toBeUndefined()
      expect(ids).toEqual(found)
      expect(notes.join('\n')).toContain(remark)
    })
  })
}
