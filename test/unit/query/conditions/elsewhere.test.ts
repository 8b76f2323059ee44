/** A field that the main list does not have, and conditions that nothing in it fulfils. */
import { describe, expect, test } from 'vitest'
import { fromRecognised } from '../../../../src/documents/opening/derive.ts'
import { runPipeline } from '../../../../src/processors/pipeline.ts'
import { filterSteps } from '../../../../src/processors/pipelines.ts'
import type { JsonObject, JsonValue } from '../../../../src/protocol/json.ts'

function ask(
  value: JsonValue,
  params: JsonObject,
): { rows: readonly JsonValue[]; notes: string; error: string } {
  const { document, error, steps } = runPipeline(fromRecognised(JSON.stringify(value)), filterSteps, params)
  const notes = steps.flatMap(({ metadata }) => metadata.notes ?? []).join('\n')
  return { rows: [...document.rows().items], notes, error: error ?? '' }
}

const sites = Array.from({ length: 6 }, (_, at) => ({
  facility: `Clinic ${at}`,
  city: `City ${at}`,
  opened: `202${at}-01-15`,
  beds: String(at * 10),
}))
const study = {
  nct_id: 'NCT1',
  title: 'A study',
  sponsor: { lead_name: 'Acme', class: 'industry' },
  sites,
  arms: [
    { label: 'A', kind: 'drug' },
    { label: 'B', kind: 'placebo' },
  ],
  staff: [
    { label: 'A', role: 'nurse' },
    { label: 'C', role: 'doctor' },
  ],
}

describe('a field that the main list does not have', () => {
  test('beside the list', () => {
    const { rows, notes, error } = ask(study, { where: 'nct_id = NCT1' })
    expect(error).toBe('')
    expect(rows).toMatchObject([{ nct_id: 'NCT1', title: 'A study' }])
    expect(notes).toContain('Only the records of `$`')
  })
  test('in an object beside it', () => {
    const { rows, notes } = ask(study, { where: 'lead_name = acme' })
    expect(rows).toMatchObject([{ lead_name: 'Acme' }])
    expect(notes).toContain('`$.sponsor`')
  })
  test('in one other list', () => {
    expect(ask(study, { where: 'kind = drug' }).rows).toEqual([{ label: 'A', kind: 'drug' }])
  })
  test('in several lists, of which one has such a value', () => {
    const { rows, notes } = ask(study, { where: 'label = C' })
    expect(rows).toEqual([{ label: 'C', role: 'doctor' }])
    expect(notes).toContain('only `$.staff` has such records')
  })
  test('in several lists that fit', () => {
    const { error } = ask(study, { where: 'label = A' })
    expect(error).toContain('`$.arms` (1)')
    expect(error).toContain('`$.staff` (1)')
    expect(error).toContain('"path": "$.arms"')
  })
  test('nowhere', () => {
    expect(ask(study, { where: 'flavour = sweet' }).error).toContain('No record has the field `flavour`')
  })
})

describe('fields beside a tree', () => {
  const doc: JsonValue = {
    nodes: [
      { id: 1, title: 'a', children: [{ id: 2, title: 'b' }] },
      { id: 3, title: 'c', children: [{ id: 4, title: 'd', children: [{ id: 5, title: 'e' }] }] },
    ],
    audit: {
      entries: [
        { who: 'x', changes: [{ field_name: 'size', to: 3 }] },
        {
          who: 'y',
          changes: [
            { field_name: 'color', to: 1 },
            { field_name: 'size', to: 9 },
          ],
        },
      ],
    },
  }
  test.each([
    [{ where: 'who = y' }, ['y']],
    [{ where: 'field_name = size' }, ['x', 'y']],
    [{ where: ['who = y', 'to > 2'] }, ['y']],
    [{ where: 'changes.field_name = color' }, ['y']],
    [{ sort: '-to' }, ['y', 'x']],
  ])('are asked where they are, however deep in records there: %j', (params, found) => {
    const { rows, notes } = ask(doc, params)
    expect(rows.map((row) => (row as JsonObject).who)).toEqual(found)
    expect(notes).toContain('`$.audit.entries`')
  })
  test('of a part of one record nothing is said', () => {
    expect(ask(doc, { fields: 'field_name' }).rows).toEqual([
      { 'changes.field_name': ['size'] },
      { 'changes.field_name': ['color', 'size'] },
    ])
    expect(ask(doc, { where: 'title = e' }).rows).toMatchObject([{ id: 5 }])
  })
})

describe('nothing in the main list', () => {
  test('but in one place nested in it', () => {
    const node = (id: number, children: JsonValue[]): JsonValue => ({
      id,
      kind: 'node',
      label: `n${id}`,
      children,
    })
    const tree = {
      id: 0,
      kind: 'root',
      children: [node(1, [node(5, [])]), node(2, [node(6, [node(7, [])])]), node(3, []), node(4, [])],
    }
    const { rows, notes } = ask(tree, { where: 'id = 7' })
    expect(rows).toMatchObject([{ id: 7 }])
    expect(notes).toContain('"path": "$..children[*]"')
  })
  test('the range of numbers and dates is told', () => {
    expect(ask(sites, { where: 'opened > 2030' }).notes).toContain(
      '`opened` is from 2020-01-15 to 2025-01-15',
    )
    expect(ask(sites, { where: 'beds > 100' }).notes).toContain('`beds` is from 0 to 50')
    expect(ask(sites, { where: 'beds > "30"' }).rows).toHaveLength(2)
  })
})

describe('what a question without a path is about', () => {
  const har = {
    version: '1.2',
    creator: { name: 'C', version: '9' },
    browser: { name: 'B', version: '7' },
    entries: sites,
  }

  test('a field with its holder, wherever it stands once', () => {
    expect(ask({ log: har }, { fields: ['creator.version'] }).rows).toEqual([
      { log: { creator: { version: '9' } } },
    ])
    expect(ask({ log: har }, { where: 'creator.version = 9' }).rows).toEqual([{ name: 'C', version: '9' }])
  })

  test('of several places all are named', () => {
    expect(ask({ log: har }, { sort: 'version' }).error).toContain(
      'Other places have it: `$.log`, `$.log.creator`, `$.log.browser`. Name one: "path": "$.log".',
    )
  })

  test('the length of the list', () => {
    expect(ask(har, { fields: ['entries.length'] }).rows).toEqual([{ 'entries.length': 6 }])
    expect(ask(har, { aggregate: ['entries.length'] }).rows).toEqual([{ 'entries.length': 6 }])
    expect(ask(har, { path: 'entries.length' }).rows).toEqual([6])
  })

  test('the small maps of one map together', () => {
    const paths = {
      '/pets': { get: { id: 'listPets', tags: ['pets'] }, post: { id: 'addPet', tags: ['pets'] } },
      '/users': {
        get: { id: 'listUsers', tags: ['users'], deprecated: true },
        put: { id: 'putUser', tags: ['users'] },
      },
    }
    const { rows, notes } = ask({ version: '3.1.0', paths }, { where: ['deprecated = true'] })
    expect(rows).toEqual([
      { _map: '/users', _key: 'get', id: 'listUsers', tags: ['users'], deprecated: true },
    ])
    expect(notes).toContain('The maps in `paths` were read as one: their 4 values are the records')
    const groups = ask({ paths }, { group_by: ['tags'], aggregate: ['count'] }).rows
    expect(groups).toEqual([
      { tags: 'pets', count: 2 },
      { tags: 'users', count: 2 },
    ])
  })

  test('the one small map that has the field', () => {
    const servers = { web: { port: 80, host: 'a' }, db: { port: 5432, host: 'b' } }
    const { rows, notes } = ask({ servers, version: 3 }, { where: 'port = 80' })
    expect(rows).toEqual([{ _key: 'web', port: 80, host: 'a' }])
    expect(notes).toContain('`$.servers` was read as a map: its 2 values are the records')
    expect(ask(servers, { aggregate: 'sum(port)' }).rows).toEqual([{ 'sum(port)': 5512 }])
    expect(ask({ a: servers, b: servers }, { where: 'port = 80' }).error).toContain('`$.a`, `$.b`')
    expect(ask(servers, { where: 'nothing = 80' }).error).toContain('Nothing in this result repeats')
  })

  test('how many elements of a list fulfil a condition on their tags', () => {
    const tags = (env: string) => [{ Key: 'Env', Value: env }]
    const groups = [2, 1].map((count) => ({
      Instances: Array.from({ length: count }, (_, at) => ({ Id: at, Tags: tags(at ? 'dev' : 'prod') })),
    }))
    const many = [
      ...groups,
      ...groups,
      {
        Instances: [
          { Id: 0, Tags: tags('prod') },
          { Id: 1, Tags: tags('prod') },
        ],
      },
    ]
    const { rows, notes } = ask(many, { where: 'Tags.Env = prod', aggregate: 'count' })
    expect(rows).toEqual([{ count: 5 }])
    expect(notes).toContain('{"count":6}, "path": "Instances[*]"')
  })

  test('how many elements of a list fulfil what records are counted by', () => {
    const orders = sites.map((_, at) => ({ id: at, items: [{ price: at }, { price: at * 10 }] }))
    const { rows, notes } = ask(orders, { where: 'items.price > 2', aggregate: 'count' })
    expect(rows).toEqual([{ count: 5 }])
    expect(notes).toContain('{"count":8}, "path": "items[*]"')
  })

  describe('a condition in a list, where the question is about the records as well', () => {
    const files = ['a.js', 'b.js', 'c.js', 'd.js'].map((file, at) => ({
      file,
      folder: at < 2 ? 'src' : 'test',
      messages: [
        ...Array.from({ length: at }, (_, nth) => ({ severity: 2, line: 10 * nth + at })),
        { severity: 1, line: 1 },
      ],
    }))
    test.each([
      [
        'how many elements in each record',
        { where: 'severity = 2', group_by: 'file' },
        'd.js: 3, c.js: 2, b.js: 1',
      ],
      [
        'how many elements in each group',
        { where: 'severity = 2', group_by: 'folder', aggregate: 'count' },
        'test: 5, src: 1',
      ],
      [
        'their sum in each group',
        { where: 'severity = 2', group_by: 'folder', aggregate: 'sum(line)' },
        'test: 53, src: 1',
      ],
      [
        'how many in some records',
        { where: 'severity = 2 and folder = test', aggregate: 'count' },
        '{"count":5}',
      ],
      [
        'conditions by themselves',
        { where: ['folder = test', 'severity = 2'], aggregate: 'count' },
        '{"count":5}',
      ],
      [
        'that are not so, in some records',
        { where: 'severity != 2 and folder = test', aggregate: 'count' },
        '{"count":2}',
      ],
    ])('%s', (_, params, told) => {
      const { notes } = ask(files, params)
      expect(notes).toContain(`that fulfil the condition: ${told}, `)
      expect(notes).toContain('`unnest(messages)` in the condition')
    })

    test('a name that the elements have as well is that of the record', () => {
      const suites = ['one', 'two', 'six'].map((name, at) => ({
        name,
        cases: Array.from({ length: 3 }, (_, nth) => ({ name: `case ${nth}`, failed: nth <= at })),
      }))
      const { notes } = ask(suites, { where: 'failed = true', group_by: 'name' })
      expect(notes).toContain('six: 3, two: 2, one: 1, `unnest(cases)` in the condition')
    })

    test.each([
      ['each record has one', { where: 'severity = 1', group_by: 'file' }],
      [
        'the records are added up',
        { where: 'severity = 2', group_by: 'folder', aggregate: 'count_distinct(file)' },
      ],
      ['either may hold', { where: 'severity = 2 or folder = src', aggregate: 'count' }],
    ])('nothing is said where %s', (_, params) => {
      expect(ask(files, params).notes).not.toContain('of the elements')
    })
  })
})

describe('a name in double quotes that the records have in an object', () => {
  const products = Array.from({ length: 4 }, (_, at) => ({
    id: at,
    fields: {
      'Full Name': `Name ${at % 2}`,
      'Unit Price': at + 1,
      Qty: 3,
      'Start Date': '2024-01-01',
      'End Date': `2024-01-0${at + 2}`,
      'In Stock?': at > 1,
    },
  }))
  test.each([
    [{ aggregate: 'sum("Unit Price" * Qty) as total' }, [{ total: 30 }]],
    [{ aggregate: 'max("Unit Price") - min("Unit Price") as span' }, [{ span: 3 }]],
    [{ aggregate: 'avg(date_diff(day, "Start Date", "End Date")) as days' }, [{ days: 2.5 }]],
    [{ aggregate: 'sum(case when "In Stock?" then "Unit Price" else 0 end) as stocked' }, [{ stocked: 7 }]],
    [{ where: 'round("Unit Price") = 3', fields: ['id'] }, [{ id: 2 }]],
    [{ where: '"End Date" - "Start Date" > 3', fields: ['id'] }, [{ id: 3 }]],
    [{ where: 'not "In Stock?"', fields: ['id'] }, [{ id: 0 }, { id: 1 }]],
    [{ where: '"In Stock?" and "Unit Price" > 3', fields: ['id'] }, [{ id: 3 }]],
    [
      { group_by: 'lower("Full Name")' },
      ['name 0', 'name 1'].map((name) => ({ 'lower("Full Name")': name, count: 2 })),
    ],
  ])('%j', (asked, expected) => {
    const { rows, error } = ask(products, asked)
    expect(error).toBe('')
    expect(rows).toEqual(expected)
  })

  test('a word of no field stays a text, and so does a name of one as a value', () => {
    expect(ask(products, { aggregate: 'count_if("Full Name" = "Name 1") as n' }).rows).toEqual([{ n: 2 }])
    expect(ask(products, { fields: ['concat("No. ", id) as label'] }).rows[0]).toEqual({ label: 'No. 0' })
    expect(ask(products, { fields: ['if("Unit Price" > 3, "Qty", "none") as a'] }).rows).toEqual(
      ['none', 'none', 'none', 'Qty'].map((a) => ({ a })),
    )
    const works = ['in progress', 'done'].map((state, id) => ({ id, state, times: { in_progress: 5 } }))
    expect(ask(works, { aggregate: 'count_if(state = "in progress") as n' }).rows).toEqual([{ n: 1 }])
    expect(ask(works, { where: 'lower(state) = "in progress"', fields: ['id'] }).rows).toEqual([{ id: 0 }])
  })
})
