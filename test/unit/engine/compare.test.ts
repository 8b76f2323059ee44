import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compare } from '../../../src/engine/compare.ts'
import { differThroughout, encodeResult, hashOf } from '../../../src/engine/content.ts'
import type { Comparison, Incomparable, Source } from '../../../src/engine/contract.ts'
import { query } from '../../../src/engine/query.ts'
import { createViews } from '../../../src/engine/views.ts'
import type { JsonObject, JsonValue } from '../../../src/protocol/json.ts'

function source(text: string, handle = 'a'): Source {
  const content = encodeResult({ content: [{ type: 'text', text }] })
  return { content, hash: hashOf(content), handle, tool: 't' }
}

function compared(before: string, after: string, budget = 100_000): Comparison | Incomparable {
  return compare(createViews(), [source(after, 'new'), source(before, 'old')], budget)
}

const ofValues = (before: JsonValue, after: JsonValue, budget?: number) =>
  compared(JSON.stringify(before), JSON.stringify(after), budget)

function linesOf({ text }: Comparison | Incomparable): string[] {
  return text?.split('\n') ?? []
}

describe('records', () => {
  const issues = (changes: Record<number, JsonObject> = {}, more: JsonObject[] = []): JsonObject => ({
    total: 30 + more.length,
    items: [
      ...Array.from({ length: 30 }, (_, id) => ({ id, title: `Issue ${id}`, state: 'open', ...changes[id] })),
      ...more,
    ],
  })

  test('are known by what identifies them, and everything beside them is told by its place', () => {
    const found = ofValues(
      issues(),
      issues({ 4: { state: 'closed' } }, [{ id: 30, title: 'New', state: 'open' }]),
    )
    expect(linesOf(found)).toEqual([
      '~ $.total: 30 → 31',
      '~ $.items id 4: state "open" → "closed"',
      '+ $.items {"id":30,"title":"New","state":"open"}',
    ])
    expect(found).toMatchObject({ counts: { added: 1, removed: 0, changed: 2 }, noun: 'record' })
  })

  test('that are gone are named, and another order is told', () => {
    const before = issues()
    const items = [...(before.items as JsonObject[])].reverse().slice(1)
    expect(linesOf(ofValues(before, { total: 30, items }))).toEqual(
      ['- $.items id 29 "Issue 29"', '$.items: the records stand in another order'].map((line, at) =>
        at === 1 ? line : line,
      ),
    )
  })

  test('that have no key of their own are told by their place', () => {
    const found = ofValues({ tags: ['a', 'b', 'b'] }, { tags: ['a', 'c', 'b'] })
    expect(linesOf(found)).toEqual(['- $.tags[1]: "b"', '+ $.tags[1]: "c"'])
    const twice = ofValues([{ id: 1 }, { id: 1, x: 2 }], [{ id: 1 }, { id: 1, x: 3 }])
    expect(linesOf(twice)).toEqual(['- $[1]: {"id":1,"x":2}', '+ $[1]: {"id":1,"x":3}'])
  })

  test('with more changes than fit get a preview', () => {
    const after = issues(Object.fromEntries(Array.from({ length: 30 }, (_, id) => [id, { state: 'closed' }])))
    expect(ofValues(issues(), after, 500)).toEqual({})
    expect(linesOf(ofValues(issues(), after))).toHaveLength(30)
  })

  test('are counted as a question about both handles counts them', () => {
    const views = createViews()
    const [before, after] = [
      issues(),
      issues({ 3: { state: 'closed' }, 5: { title: 'Other' } }, [{ id: 77 }]),
    ]
    const [old, next] = [source(JSON.stringify(before), 'old'), source(JSON.stringify(after), 'new')]
    const told = compare(views, [next, old], 10_000)
    const params = { join_on: ['diff: id'] }
    const answer = query(views, [old, next], { kind: 'filter', params, budget: 8000 })
    const text = answer.text.join('')
    expect(text).toContain('1 of 31 only in the second')
    expect(told).toMatchObject({ counts: { added: 1, removed: 0, changed: 3 } })
    expect(text).toContain('"Other"')
  })

  test('make the new list out of the old one: nothing is left out', () => {
    const record = fc.record({ a: fc.integer({ min: 0, max: 3 }), b: fc.integer({ min: 0, max: 3 }) })
    const list = fc.dictionary(fc.constantFrom('k1', 'k2', 'k3', 'k4', 'k5', 'k6'), record, {
      noNullPrototype: true,
    })
    fc.assert(
      fc.property(list, list, (one, other) => {
        const asList = (records: typeof one): JsonObject[] =>
          Object.entries(records).map(([id, fields]) => ({ id, ...fields }))
        const [before, after] = [asList(one), asList(other)]
        const made = new Map(before.map((held) => [String(held.id), { ...held }]))
        for (const line of linesOf(ofValues({ rows: before }, { rows: after }))) {
          const [, mark, rest = ''] = /^([-+~]) \$\.rows (.*)$/.exec(line) ?? []
          const [, id = '', said = ''] = /^id "(\w+)"(?:: (.*))?/.exec(rest) ?? []
          if (mark === '-') made.delete(id)
          if (mark === '+') {
            const added = JSON.parse(rest) as JsonObject
            made.set(String(added.id), added)
          }
          if (mark === '~')
            for (const [, name = '', value] of said.matchAll(/(\w+) \d+ → (\d+)/g))
              Object.assign(made.get(id) ?? {}, { [name]: Number(value) })
        }
        if (before.length > 0 && after.length > 0)
          expect([...made.values()].sort(byId)).toEqual([...after].sort(byId))
      }),
    )
  })

  const byId = (one: JsonObject, other: JsonObject): number => (String(one.id) < String(other.id) ? -1 : 1)

  test('nested deeper than anybody looks, and names of prototypes, end in an answer', () => {
    const deep = (leaf: number): JsonValue => {
      let value: JsonValue = leaf
      for (let depth = 0; depth < 500; depth++) value = { in: value }
      return value
    }
    expect(linesOf(ofValues({ rows: deep(1) }, { rows: deep(2) }))).toHaveLength(1)
    const polluted = compared('{"__proto__":{"a":1},"x":[1]}', '{"__proto__":{"a":2},"x":[1]}')
    expect(linesOf(polluted)).toHaveLength(1)
    expect(({} as JsonObject).a).toBeUndefined()
  })
})

describe('texts', () => {
  const log = (count: number): string[] => Array.from({ length: count }, (_, at) => `line ${at} of the text`)

  test('are told line by line, with their numbers', () => {
    const after = log(50).toSpliced(10, 1, 'another line')
    expect(linesOf(compared(log(50).join('\n'), [...after, 'the last one'].join('\n')))).toEqual([
      '- 11: line 10 of the text',
      '+ 11: another line',
      '+ 51: the last one',
    ])
  })

  test('make the new text out of the old one', () => {
    const words = fc.array(fc.constantFrom('one', 'two', 'three'), { minLength: 1, maxLength: 20 })
    fc.assert(
      fc.property(words, words, (one, other) => {
        const lines = linesOf(compared(one.join('\n'), other.join('\n'))).map((line) =>
          /^([-+]) (\d+): (.*)$/.exec(line),
        )
        const removed = new Set(lines.flatMap((line) => (line?.[1] === '-' ? [Number(line[2]) - 1] : [])))
        const made = one.filter((_, at) => !removed.has(at))
        for (const line of lines) if (line?.[1] === '+') made.splice(Number(line[2]) - 1, 0, line[3] as 'one')
        expect(made).toEqual(other)
      }),
    )
  })

  test('of another kind, or with other things beside them, are not compared', () => {
    expect(compared(log(50).join('\n'), '{"rows":[1,2,3]}')).toEqual({})
    const [one, other] = ['AAAA', 'AAAABBBB'].map((data, at) => {
      const content = encodeResult({
        content: [
          { type: 'text', text: log(20 + at).join('\n') },
          { type: 'image', data, mimeType: 'image/png' },
        ],
      })
      return { content, hash: hashOf(content), handle: 'a', tool: 't' }
    })
    if (one === undefined || other === undefined) throw new Error('two were made')
    expect(compare(createViews(), [other, one], 10_000)).toEqual({})
  })
})

describe('accessibility trees', () => {
  const page = (cart: number, rows: number, extra: readonly string[] = []): string =>
    [
      '- generic [ref=e1]:',
      '  - heading "Shop" [level=1] [ref=e2]',
      `  - button "Cart (${cart})" [ref=e3]`,
      '  - table "Products" [ref=e4]:',
      ...Array.from({ length: rows }, (_, at) => [
        `    - row [ref=r${at}]:`,
        `      - link "Product ${at}" [ref=p${at}] [cursor=pointer]:`,
        `        - /url: "#p${at}"`,
        `      - button "Add product ${at}" [ref=b${at}]`,
      ]).flat(),
      ...extra,
    ].join('\n')

  test('are told by their nodes: each that is new or other with its reference, and where it is', () => {
    const dialog = [
      '  - dialog "Confirm" [ref=e90]:',
      '    - text: Are you sure?',
      '    - button "Yes" [ref=e91]',
      '    - button "No" [ref=e92]',
    ]
    const found = compared(page(0, 40), page(1, 40, dialog))
    expect(linesOf(found)).toEqual([
      '~ button "Cart (1)" [ref=e3]',
      '+ dialog "Confirm" [ref=e90]:',
      'in dialog "Confirm" [ref=e90]:',
      '+ text: Are you sure?',
      '+ button "Yes" [ref=e91]',
      '+ button "No" [ref=e92]',
    ])
    expect(found).toMatchObject({ counts: { added: 4, removed: 0, changed: 1 }, noun: 'node' })
    const back = compared(page(1, 40, dialog), page(2, 39))
    expect(linesOf(back)).toEqual([
      '~ button "Cart (2)" [ref=e3]',
      '- row:',
      '- link "Product 39" [cursor=pointer]:',
      '- /url: "#p39"',
      '- button "Add product 39"',
      '- dialog "Confirm":',
      '- text: Are you sure?',
      '- 2 more nodes',
    ])
    // An address belongs to its link, and is no node.
    expect(back).toMatchObject({ counts: { added: 0, removed: 7, changed: 1 } })
  })

  test('with more that is new than fits name all that can be acted on, and count the rest', () => {
    const found = compared(page(0, 20), page(0, 45), 2200)
    expect(found.text).toContain('+ 25 nodes that take no click and no text, not shown')
    for (let row = 20; row < 45; row++) expect(found.text).toContain(`[ref=b${row}]`)
    for (let row = 20; row < 45; row++) expect(found.text).toContain(`[ref=p${row}]`)
    expect(found).toMatchObject({ counts: { added: 75, removed: 0, changed: 0 } })
    expect(compared(page(0, 20), page(0, 45), 1000)).toEqual({})
  })

  test('with references that were all given again are not compared', () => {
    const renumbered = page(0, 200).replaceAll(/ref=(\w+)/g, 'ref=x$1')
    expect(compared(page(0, 200), renumbered, 2000)).toEqual({})
  })
})

test('large results that differ everywhere are told apart before they are read, others are not', () => {
  const records = (name: (id: number) => string) =>
    encodeResult({
      content: [
        {
          type: 'text',
          text: JSON.stringify(Array.from({ length: 4_000 }, (_, id) => ({ id, name: name(id) }))),
        },
      ],
    })
  const before = records((id) => `a record of number ${id}`)
  expect(
    differThroughout(
      before,
      records((id) => `another one, ${id * 7}`),
    ),
  ).toBe(true)
  expect(
    differThroughout(
      before,
      records((id) => (id === 0 ? 'x'.repeat(9_000) : id % 900 ? `a record of number ${id}` : 'changed')),
    ),
  ).toBe(false)
  const short = encodeResult({ content: [{ type: 'text', text: 'a' }] })
  expect(differThroughout(short, before)).toBe(false)
})
