import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fromValue } from '../../../src/documents/opening/derive.ts'
import { filterParams } from '../../../src/processors/parameters.ts'
import { runPipeline } from '../../../src/processors/pipeline.ts'
import { filterSteps } from '../../../src/processors/pipelines.ts'
import { withStatement } from '../../../src/processors/readings/statement.ts'
import type { JsonValue } from '../../../src/protocol/json.ts'
import { readPipeline } from '../../../src/query/language/dialects/mongo-pipeline.ts'
import { Refusal } from '../../../src/query/refusal.ts'

const orders = [
  { id: 1, state: 'paid', qty: 2, price: 5, user: 'ann', at: '2024-05-01', tags: ['x', 'y'] },
  { id: 2, state: 'paid', qty: 1, price: 30, user: 'bo', at: '2024-05-02', tags: [] },
  { id: 3, state: 'open', qty: 4, price: 2.5, user: 'ann', at: '2024-06-01', tags: ['y'] },
  { id: 4, state: 'paid', qty: 1, price: 1, user: 'ann', at: '2024-06-02', tags: ['x'] },
]

function ask(where: unknown): { rows: readonly JsonValue[]; notes: readonly string[] } {
  const document = fromValue(orders)
  const { params, notes } = withStatement({ where }, [{ handle: '', document }])
  const { offset = 0, limit, ...asked } = filterParams.parse(params)
  const { document: found, error } = runPipeline(document, filterSteps, asked)
  expect(error).toBeUndefined()
  return { rows: found.rows().items.slice(offset, limit === undefined ? undefined : offset + limit), notes }
}

describe('pipelines of MongoDB', () => {
  test.each<[string, unknown, JsonValue[]]>([
    [
      'group, sort and limit',
      [
        { $match: { state: 'paid' } },
        { $group: { _id: '$user', n: { $sum: 1 }, total: { $sum: { $multiply: ['$qty', '$price'] } } } },
        { $sort: { total: -1 } },
        { $limit: 1 },
      ],
      [{ user: 'bo', n: 1, total: 30 }],
    ],
    [
      'text of the shell',
      "db.orders.aggregate([{ $match: { qty: { $gte: 2 } } }, { $group: { _id: '$state', most: { $max: '$price' } } }, { $sort: { _id: 1 } }])",
      [
        { state: 'open', most: 2.5 },
        { state: 'paid', most: 5 },
      ],
    ],
    [
      'a condition on the groups',
      '[{"$group":{"_id":"$user","n":{"$sum":1}}},{"$match":{"n":{"$gt":1}}}]',
      [{ user: 'ann', n: 3 }],
    ],
    [
      'a condition on a column that is called like a field',
      [{ $group: { _id: null, qty: { $sum: '$price' } } }, { $match: { qty: { $gt: 1000 } } }],
      [],
    ],
    [
      'the elements of a list',
      [{ $unwind: '$tags' }, { $group: { _id: '$state', n: { $sum: 1 } } }, { $sort: { _id: 1 } }],
      [
        { state: 'open', n: 1 },
        { state: 'paid', n: 3 },
      ],
    ],
    [
      'a part of a text',
      [{ $group: { _id: { month: { $substr: ['$at', 5, 2] } }, n: { $sum: 1 } } }, { $sort: { _id: 1 } }],
      [
        { month: '05', n: 2 },
        { month: '06', n: 2 },
      ],
    ],
    [
      'a comparison of fields, and a rest',
      [
        { $match: { $expr: { $gt: ['$price', '$qty'] }, qty: { $mod: [2, 0] } } },
        { $project: { id: 1, _id: 0 } },
      ],
      [{ id: 1 }],
    ],
    [
      'a type',
      [{ $match: { at: { $type: 'string' }, qty: 4 } }, { $project: { id: 1, _id: 0 } }],
      [{ id: 3 }],
    ],
    ['a count', [{ $match: { user: 'ann' } }, { $count: 'orders' }], [{ orders: 3 }]],
    [
      'several keys',
      [
        { $group: { _id: { state: '$state', who: '$user' }, n: { $sum: 1 } } },
        { $sort: { n: -1 } },
        { $limit: 1 },
      ],
      [{ state: 'paid', who: 'ann', n: 2 }],
    ],
    [
      'a projection',
      [
        { $match: { id: { $in: [1, 3] } } },
        {
          $project: {
            id: 1,
            _id: 0,
            total: { $multiply: ['$qty', '$price'] },
            kind: { $cond: [{ $gt: ['$qty', 3] }, 'big', 'small'] },
          },
        },
      ],
      [
        { id: 1, total: 10, kind: 'small' },
        { id: 3, total: 10, kind: 'big' },
      ],
    ],
    [
      'by how often',
      [{ $sortByCount: '$state' }],
      [
        { state: 'paid', count: 3 },
        { state: 'open', count: 1 },
      ],
    ],
    [
      'by month',
      [{ $group: { _id: { $dateToString: { format: '%Y-%m', date: '$at' } }, n: { $sum: 1 } } }],
      [
        { "date_format(at, '%Y-%m')": '2024-05', n: 2 },
        { "date_format(at, '%Y-%m')": '2024-06', n: 2 },
      ],
    ],
  ])('%s', (_, where, rows) => {
    const asked = ask(where)
    expect(asked.rows).toEqual(rows)
    expect(asked.notes.join(' ')).toContain('Read as ')
  })

  test.each([
    [[{ $lookup: { from: 'users' } }]],
    [[{ $group: { _id: { $zip: 1 } } }]],
    [[{ $match: { tags: 'x' } }, { $unwind: '$tags' }]],
    [[{ $limit: 3 }, { $match: { state: 'paid' } }]],
    [[{ $limit: 3 }, { $count: 'n' }]],
    [[{ $group: { _id: '$state', n: { $sum: 1 } } }, { $match: { n: { $gt: 1 } } }, { $count: 'n' }]],
    [[{ $sort: { qty: 1 } }, { $group: { _id: '$state', n: { $first: '$id' } } }]],
  ])('%j says which stage is not read', (given) => {
    expect(() => readPipeline(given)).toThrow(
      /^The stage `\{"\$\w+":.*\}` of a pipeline of MongoDB is not read in this place\./,
    )
  })

  test.each([
    ['state = open'],
    [[{ $or: [{ state: 'open' }] }]],
    [{ state: 'open' }],
    [[{ state: 'open' }]],
    [undefined],
  ])('%j is none that is read', (given) => expect(readPipeline(given)).toBeUndefined())

  test('anything is read, or refused', () => {
    const tried = (given: unknown): void => {
      try {
        readPipeline(given)
      } catch (error) {
        expect(error).toBeInstanceOf(Refusal)
      }
    }
    const stage = fc.dictionary(
      fc.constantFrom('$match', '$group', '$project', '$sort', '$limit'),
      fc.jsonValue(),
      { minKeys: 1, maxKeys: 1 },
    )
    fc.assert(fc.property(fc.array(stage, { maxLength: 4 }), tried))
    fc.assert(fc.property(fc.string({ maxLength: 60 }), (text) => tried(`[{$${text}`)))
  })
})
