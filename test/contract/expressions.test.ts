/**
 * The questions of the benchmark that need something computed, asked of the steps: each by one call. Questions without an answer
 * are written to `.tmp/expressions.txt`. `EXPRESSIONS=window` asks one group alone.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { combine } from '../../src/documents/opening/combine.ts'
import { fromRecognised } from '../../src/documents/opening/derive.ts'
import { filterParams } from '../../src/processors/parameters.ts'
import { runPipeline } from '../../src/processors/pipeline.ts'
import { filterSteps } from '../../src/processors/pipelines.ts'
import { withStatement } from '../../src/processors/readings/statement.ts'
import type { JsonObject, JsonValue } from '../../src/protocol/json.ts'

/** The benchmark is plain JavaScript. */
interface Computed {
  id: string
  group: string
  text: string
  data: string | string[]
  call: JsonObject
  gold: JsonObject
}
type Answer = JsonObject
interface Parts {
  dataOf(seed: number): Record<string, { text: string }>
  computedQuestions(data: Record<string, { text: string }>): Computed[]
  answerFrom(
    question: Computed,
    reply: { rows: readonly JsonValue[]; matched?: number; nothing: boolean },
  ): Answer
  settled(gold: JsonObject, answer: Answer): [JsonObject, Answer]
  score(gold: JsonObject, answer: Answer): 'right' | 'wrong' | 'unanswered'
}

async function parts(): Promise<Parts> {
  const folder = new URL('../../benchmarks/answers/', import.meta.url)
  const files = ['expressions/data.mjs', 'expressions/questions.mjs', 'expressions/answer.mjs', 'score.mjs']
  const modules = await Promise.all(files.map((file) => import(fileURLToPath(new URL(file, folder)))))
  return Object.assign({}, ...modules) as Parts
}

/** The least share of questions that must be answered, in percent. */
const LEAST = 95

test('questions that need something computed are answered by one call', async () => {
  const { dataOf, computedQuestions, answerFrom, settled, score } = await parts()
  const data = dataOf(5)
  const documents = new Map(Object.entries(data).map(([name, { text }]) => [name, fromRecognised(text)]))
  const group = process.env.EXPRESSIONS
  const questions = computedQuestions(data).filter((one) => group === undefined || one.group === group)
  const failures: string[] = []
  for (const question of questions) {
    const handles = [question.data].flat()
    const open = (handle: string) => documents.get(handle) ?? fromRecognised('')
    const several = handles.map((handle) => ({ handle, document: open(handle) }))
    const document = combine(several)
    let answer: Answer
    try {
      const { sql, ...call } = question.call
      const asked = withStatement(sql === undefined ? call : { ...call, where: sql }, several)
      const { offset = 0, limit = 50, ...params } = filterParams.parse(asked.params)
      const {
        document: found,
        steps,
        error,
      } = runPipeline(document, [...(asked.before ? [asked.before] : []), ...filterSteps], {
        ...asked.params,
        ...params,
      })
      const rows = found.rows().items.slice(offset, offset + limit)
      const matched = steps.find(({ name, applied }) => applied && name === 'where')?.metadata.matched
      answer =
        error === undefined
          ? answerFrom(question, {
              rows,
              ...(matched !== undefined && { matched }),
              nothing: rows.length === 0,
            })
          : { unanswered: error }
    } catch (error) {
      answer = { unanswered: String(error) }
    }
    const outcome = score(...settled(question.gold, answer))
    if (outcome === 'right') continue
    const [call, gold, said] = [question.call, question.gold, answer].map((one) =>
      JSON.stringify(one).slice(0, 400),
    )
    failures.push(
      `${outcome}: ${question.id}: ${question.text}\n  call: ${call}\n  gold: ${gold}\n  said: ${said}`,
    )
  }
  const share = (100 * (questions.length - failures.length)) / questions.length
  const summary = `${questions.length - failures.length} of ${questions.length} answered (${share.toFixed(1)} %)`
  mkdirSync('.tmp', { recursive: true })
  writeFileSync('.tmp/expressions.txt', `${[summary, ...failures].join('\n')}\n`)
  if (group === undefined)
    expect(share, `${summary}; the others in .tmp/expressions.txt`).toBeGreaterThanOrEqual(LEAST)
})
