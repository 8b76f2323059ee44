import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { soundKeys } from '../../../support/keys.ts'
import { runs } from '../../../support/runs.ts'
import {
  evaluate,
  generatedPayloads,
  mutate,
  named,
  type Payload,
  type Question,
  questionsOf,
  readPayload,
  TYPES,
  withoutGold,
} from './parts.ts'

let payloads: Payload[]
let questions: Question[]

beforeAll(() => {
  payloads = generatedPayloads({ seed: 7, scale: 0.1 }).flatMap(({ name, text }) => readPayload(name, text))
  questions = questionsOf(payloads, { seed: 3, perType: 3 })
})

const of = (type: string) => questions.filter((question) => question.type === type)
const without = (question: Question) => withoutGold(named(payloads, question.payload), question)

describe('generated payloads', () => {
  test('are the same for the same seed, and others for another', () => {
    const texts = (seed: number) => generatedPayloads({ seed, scale: 0.02 }).map(({ text }) => text)
    expect(texts(1)).toEqual(texts(1))
    expect(texts(1).filter((text, at) => text === texts(2)[at])).toEqual([])
  })

  test('are of every kind, and some are too small for a proxy to pay', () => {
    expect(new Set(payloads.map(({ kind }) => kind))).toEqual(
      new Set(['json', 'ndjson', 'csv', 'log', 'markdown', 'html', 'text']),
    )
    expect(payloads.filter(({ text }) => text.length < 8_000).length).toBeGreaterThan(2)
  })
})

describe('questions', () => {
  test('are of every type, with an id each, and no more of a type than asked for', () => {
    expect(new Set(questions.map(({ type }) => type))).toEqual(new Set(TYPES))
    expect(new Set(questions.map(({ id }) => id)).size).toBe(questions.length)
    for (const { name } of payloads) {
      for (const type of TYPES) {
        expect(
          questions.filter((question) => question.payload === name && question.type === type).length,
        ).toBeLessThanOrEqual(3)
      }
    }
  })

  test('are the same for the same seed, and others for another', () => {
    const some = payloads.filter(({ source }) => ['pods-few.json', 'sales-few.csv'].includes(source))
    const texts = (seed: number) => questionsOf(some, { seed }).map(({ text }) => text)
    expect(texts(5)).toEqual(texts(5))
    expect(texts(5)).not.toEqual(texts(6))
  })

  test('do not depend on what else is in the folder, joins aside', () => {
    const alone = questionsOf([named(payloads, 'issues.json minified')], { seed: 3 })
    expect(alone).toEqual(
      questions.filter(({ payload, type }) => payload === 'issues.json minified' && type !== 'join'),
    )
  })

  test('are one line of plain words', () => {
    for (const { text } of questions) {
      expect(text).toMatch(/^[A-Z][^\n]+[.?]$/)
      expect(text).not.toMatch(/undefined|\[\]|\[object/)
    }
  })

  test('no answer is said in the question', () => {
    for (const { text, gold } of questions) {
      if (gold.contains) expect(text).not.toContain(gold.contains)
      if (typeof gold.value === 'string' && gold.value.length > 8)
        expect(text).not.toContain(`"${gold.value}"`)
    }
  })

  test('passages asked for stand once in the payload, needles too', () => {
    for (const { payload, ask, gold } of [...of('needle'), ...of('relevance')]) {
      const { text } = named(payloads, payload)
      if (gold.contains) expect(text.split(gold.contains)).toHaveLength(2)
      if (gold.value !== undefined)
        expect(text.toLowerCase().split(String(ask.words).toLowerCase())).toHaveLength(2)
    }
  })

  test('what is absent stands nowhere', () => {
    for (const { payload, ask, gold } of of('absent')) {
      const value = ask.words ?? ask.where?.[0]?.value
      expect(gold).toEqual({ none: true })
      expect(named(payloads, payload).text.toLowerCase()).not.toContain(String(value).toLowerCase())
    }
  })

  test('lists are short, and groups few', () => {
    for (const { gold } of questions) {
      if (gold.table) expect(gold.table.length).toBeLessThanOrEqual(20)
      if (gold.set) expect(gold.set.length).toBeLessThanOrEqual(30)
    }
  })

  test('the next after the first few differs from the last of them', () => {
    expect(of('top-k').length).toBeGreaterThan(5)
    for (const { payload, ask } of of('top-k')) {
      const own = named(payloads, payload)
      const longer = evaluate({ ...ask, k: (ask.k ?? 0) + 1, want: ask.order?.field ?? [] }, own).list?.map(
        String,
      )
      expect(longer).toHaveLength((ask.k ?? 0) + 1)
      expect(new Set(longer).size).toBe(longer?.length)
    }
  })

  test('each form of a file is asked the same', () => {
    const texts = (form: string) =>
      questions
        .filter(({ payload, type }) => payload === `orders.json ${form}` && type !== 'absent')
        .map(({ text }) => text)
    expect(texts('pretty')).toEqual(texts('minified'))
  })
})

test('any JSON is asked about without a failure, and its gold holds up', () => {
  const record = fc.record(
    {
      id: fc.integer(),
      ['__proto__']: fc.string(),
      name: fc.string(),
      'a.b': soundKeys(fc.jsonValue()),
      '[]': fc.integer(),
      inner: fc.record({
        n: fc.double({ noNaN: true }),
        tags: fc.array(fc.string()),
        any: soundKeys(fc.jsonValue()),
      }),
    },
    { requiredKeys: [] },
  )
  const document = fc.oneof(
    soundKeys(fc.jsonValue()),
    fc.array(record, { minLength: 5, maxLength: 12 }),
    soundKeys(fc.dictionary(fc.string(), record, { minKeys: 8, maxKeys: 12 })),
    fc.record({ items: fc.array(record, { minLength: 5 }), total: fc.integer() }),
  )
  fc.assert(
    fc.property(document, fc.nat(), (data, seed) => {
      const [payload] = readPayload('a.json', JSON.stringify(data), 'json')
      if (payload === undefined) throw new Error('nothing read')
      for (const question of questionsOf([payload], { seed, perType: 1 })) {
        const { ask, gold } = question
        expect(gold).not.toEqual({})
        if (ask.collection !== undefined && gold.value === undefined)
          expect(evaluate(ask, payload)).toEqual(gold)
        expect(() => withoutGold(payload, question)).not.toThrow()
      }
    }),
    { numRuns: runs(60) },
  )
})

describe('without what answers', () => {
  test.each(['lookup', 'filter', 'top-k', 'needle', 'join', 'relevance'])('%s has another answer', (type) => {
    expect(of(type).length).toBeGreaterThan(0)
    for (const question of of(type)) {
      const changed = without(question)
      expect(changed).toMatchObject({ name: question.payload })
      if (changed === undefined) continue
      const { ask, gold } = question
      if (gold.contains !== undefined) expect(changed.text).not.toContain(gold.contains)
      else if (ask.collection === undefined)
        expect(changed.text.length).toBeLessThan(named(payloads, question.payload).text.length)
      else {
        const now = evaluate(ask, changed, [
          changed,
          ...payloads.filter(({ name }) => name !== question.payload),
        ])
        expect(now).not.toEqual(gold.value === undefined ? gold : { set: [gold.value] })
      }
    }
  })

  test('only the records that answer are gone', () => {
    for (const question of of('lookup').filter(({ ask }) => ask.collection?.length === 0)) {
      const before = named(payloads, question.payload)
      const after = without(question)
      expect(after?.collections[0]?.records).toEqual(
        before.collections[0]?.records.filter((record) => {
          const [condition] = question.ask.where ?? []
          const value = condition?.field.reduce<unknown>(
            (inner, key) => (inner as Record<string, unknown> | undefined)?.[key],
            record,
          )
          return value !== condition?.value
        }),
      )
    }
  })

  test('nothing in particular answers totals, structure and absent ones', () => {
    for (const type of ['count', 'sum', 'average', 'group', 'structure', 'absent']) {
      for (const question of of(type)) expect(without(question)).toBeUndefined()
    }
  })

  test('all at once: payloads keep their names, and no gold is right any more', () => {
    const changed = mutate(payloads, questions)
    expect(changed.payloads.map(({ name }) => name)).toEqual(payloads.map(({ name }) => name))
    expect(changed.questions.length).toBeGreaterThan(100)
    for (const { payload, ask, gold } of changed.questions) {
      const own = named(changed.payloads, payload)
      if (gold.contains !== undefined) expect(own.text).not.toContain(gold.contains)
      else if (ask.collection !== undefined) {
        const now = evaluate(ask, own, changed.payloads)
        expect(now).not.toEqual(gold.value === undefined ? gold : { set: [gold.value] })
      }
    }
  })
})
