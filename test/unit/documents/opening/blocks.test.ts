import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Document } from '../../../../src/documents/document.ts'
import { openResult } from '../../../../src/documents/opening/open.ts'
import { preview } from '../../../../src/documents/reply/preview.ts'
import { lookAtPage } from '../../../../src/engine/pages.ts'
import { extract } from '../../../../src/processors/extract.ts'
import { runPipeline } from '../../../../src/processors/pipeline.ts'
import { filterSteps, searchSteps } from '../../../../src/processors/pipelines.ts'
import type { JsonObject, JsonValue } from '../../../../src/protocol/json.ts'
import { runs } from '../../../support/runs.ts'
import { bytesOf } from '../../engine/world.ts'

const resultOf = (texts: readonly string[]): JsonObject => ({
  content: texts.map((text) => ({ type: 'text', text })),
})
const open = (...texts: readonly string[]): Document => openResult(resultOf(texts), 1_000)
const each = (count: number, make: (at: number) => string): string[] =>
  Array.from({ length: count }, (_, at) => make(at))

const rowsOf = (document: Document, steps: typeof filterSteps | typeof searchSteps, params: JsonObject) => {
  const { document: found, error } = runPipeline(document, steps as typeof filterSteps, params)
  expect(error).toBeUndefined()
  return found.rows().items
}
const countOf = (document: Document, where: string): JsonValue =>
  rowsOf(document, filterSteps, { where, aggregate: ['count'] })[0] ?? null
const find = (document: Document, pattern: string): string =>
  JSON.stringify(rowsOf(document, searchSteps, { pattern }))

const WORDS = 'some words of it '.repeat(6).trim()
const [HEAD, HINT] = ['Found 30 things on the shelves:', 'Use get_thing with an id for the details.']
const ERROR = 'Error: 2 things could not be loaded: 65 (403 Forbidden), 66 (timeout).'
const LONG = 'The shelves are counted each night by a watchman. '.repeat(9)

/** The blocks, and how many of their records have a price over 20. */
const RECORDS: Readonly<Record<string, readonly string[]>> = {
  cards: each(30, (at) => `Name: n${at}\nID: ${at}\nPrice: $${at}.00\nText: ${WORDS}`),
  'cards with empty lines': each(30, (at) => `Name: n${at}\nPrice: ${at}\n\n${WORDS}\n\n${WORDS}`),
  'bold cards': each(30, (at) => `**Name:** n${at}\n**Price:** ${at}\n**State:** open`),
  'lists of fields': each(30, (at) => `- Name: n${at}\n- Price: ${at}\n- State: open`),
  'numbered cards': each(30, (at) => `${at + 1}. Title ${at}\n   Price: ${at}\n   State: open`),
  'cards with a number': each(30, (at) => `Result ${at}: A title\nPrice: ${at}\nState: open\n${WORDS}`),
  'cards below a title': each(30, (at) => `A title of ${at}\nState: open\nPrice: ${at}`),
  sections: each(30, (at) => `## Thing ${at}\n\n**Price:** ${at}\n**State:** open\n\n${WORDS}`),
  'cards that differ': each(
    30,
    (at) => `Name: n${at}\n${at % 2 ? 'Owner: ann\n' : ''}Price: ${at}\nText: ${WORDS}\n  and ${WORDS}`,
  ),
  JSON: each(30, (at) => JSON.stringify({ id: at, price: at, text: WORDS })),
  'a list of JSON': [JSON.stringify(each(30, String).map((id) => ({ id, price: Number(id), text: WORDS })))],
  'lines of JSON': [each(30, (at) => JSON.stringify({ id: at, price: at, text: WORDS })).join('\n')],
  CSV: [`id,name,price\n${each(30, (at) => `${at},n${at} ${WORDS},${at}`).join('\n')}`],
  'a table': [`| id | price |\n|---|---|\n${each(30, (at) => `| n${at} ${WORDS} | ${at} |`).join('\n')}`],
}
const AROUND: Readonly<Record<string, readonly [above: readonly string[], below: readonly string[]]>> = {
  nothing: [[], []],
  'a line above': [[HEAD], []],
  'a hint below': [[], [HINT]],
  'an error below': [[], [ERROR]],
  'words on both sides': [[HEAD], [HINT, ERROR]],
  'a long remark': [[], [LONG]],
}

describe('blocks with records', () => {
  const cases = Object.keys(RECORDS).flatMap((of) => Object.keys(AROUND).map((beside) => [of, beside]))
  test.each(cases)('%s beside %s', (of, beside) => {
    const [above, below] = AROUND[beside as string] ?? [[], []]
    const document = open(...above, ...(RECORDS[of as string] ?? []), ...below)
    expect(document.format).not.toBe('blocks')
    expect(document.records()?.values).toHaveLength(30)
    expect(countOf(document, 'price > 20')).toEqual({ count: 9 })
    const shown = preview(document, { budget: 1_500, tool: 't', bytes: 9_000, tokens: 2_000 }).join('')
    for (const words of [...above, ...below]) {
      expect(shown).toContain(`also: text beside it: ${words.slice(0, 60)}`)
      expect(find(document, words.slice(0, 20))).toContain(words.slice(0, 20))
    }
  })

  test('of several lists are read together, and of several kinds each for itself', () => {
    const list = (from: number) =>
      JSON.stringify(each(9, (at) => at as never).map((_, id) => ({ id: from + id, state: 'open' })))
    expect(open(HEAD, list(0), list(9)).records()?.values).toHaveLength(18)
    expect(open('Open:', list(0), 'Closed:', list(9)).asides).toEqual([
      'text beside it: Open:',
      'text beside it: Closed:',
    ])
  })

  test('the data alone is taken from JSON, and all words as they came from others', () => {
    const json = RECORDS.JSON ?? []
    expect(extract(open(HEAD, ...json), { as: 'text' }).exact).toBe(json.join('\n'))
    expect(open(...(RECORDS.cards ?? []), HINT).text).toContain(`\n\n${HINT}`)
  })

  test('words above JSON tell which part of a collection it is', () => {
    const content = bytesOf(resultOf(['Showing 1-30 of 1,214 issues', ...(RECORDS.JSON ?? [])]))
    expect(lookAtPage(content, { args: {} }).standing).toBe('PARTIAL: 30 of 1,214')
  })
})

describe('blocks that stay blocks', () => {
  test.each<[string, readonly string[]]>([
    ['prose', each(9, (at) => `In ${1900 + at} ${WORDS}.\n\nThen ${WORDS}.`)],
    ['prose beside a little JSON', ['{"ok":true}', LONG, LONG]],
    ['a few values of JSON in much prose', ['{"ok":true}', LONG.repeat(4), '{"ok":false}']],
    ['two tables and a text', ['a,b,c\n1,2,3\n4,5,6\n', WORDS, 'd,e,f\n1,2,3\n4,5,6\n']],
    [
      'cards among prose',
      [...each(5, (at) => `Name: ${at}\nPrice: 1`), WORDS, ...each(5, (at) => `Name: ${at}\nPrice: 1`)],
    ],
    ['two cards', ['Name: a\nPrice: 1', 'Name: b\nPrice: 2']],
  ])('%s', (_, texts) => {
    const document = open(...texts)
    expect(document.json()).toEqual(texts.map((text, at) => ({ block: at + 1, text })))
  })

  test('embedded files, which have names', () => {
    const content = each(5, (at) => `Name: n${at}\nPrice: 1`).map((text, at) => ({
      type: 'resource',
      resource: { uri: `file:///${at}.txt`, text },
    }))
    expect(openResult({ content }, 1_000).format).toBe('blocks')
  })
})

test('no words of a block are lost, whatever the blocks are', () => {
  const block = fc.oneof(fc.string(), fc.constantFrom(...Object.values(RECORDS).flat(), HEAD, ERROR, LONG))
  fc.assert(
    fc.property(
      fc.array(
        block.filter((text) => text.trim() !== ''),
        { minLength: 2, maxLength: 9 },
      ),
      (texts) => {
        const document = open(...texts)
        const all = [document.text, ...document.asides].join(' ').replace(/\s+/g, ' ')
        for (const text of texts)
          for (const word of text.replaceAll('```', ' ').split(/\s+/).slice(0, 5)) expect(all).toContain(word)
      },
    ),
    { numRuns: runs(100) },
  )
})
