/** The lines of a text as a field of the records that were read from them. */
import { describe, expect, test } from 'vitest'
import type { Document } from '../../../../src/documents/document.ts'
import { fromRecognised, fromValue } from '../../../../src/documents/opening/derive.ts'
import { runPipeline } from '../../../../src/processors/pipeline.ts'
import { filterSteps } from '../../../../src/processors/pipelines.ts'
import type { JsonValue } from '../../../../src/protocol/json.ts'

interface Asked {
  rows: readonly JsonValue[]
  notes: string
  error: string | undefined
}

function ask(document: Document, params: Record<string, unknown>): Asked {
  const { document: found, steps, error } = runPipeline(document, filterSteps, params)
  const notes = steps.flatMap(({ metadata }) => metadata.notes ?? []).join('\n')
  return { rows: found.rows().items, notes, error }
}

const states = ['running', 'exited', 'paused']
const containers = fromRecognised(
  [
    'All containers:',
    ...Array.from({ length: 12 }, (_, n) => `81e323${n + 10} - web-${n} - ${states[n % 3]}`),
    'Debug: web-1 - exited',
  ].join('\n'),
)

describe('records of lines that are made of parts', () => {
  test.each(['text', 'raw', 'content', 'Body'])('have their line as `%s`, over all parts', (name) => {
    const { rows, notes } = ask(containers, { where: [`${name} ~ "web-\\d - exited"`], fields: ['part2'] })
    expect(rows).toEqual([1, 4, 7].map((n) => ({ part2: `web-${n}` })))
    expect(notes).toContain(`\`${name}\` is the lines of the record as they were sent.`)
  })

  test('show it where it is asked for', () => {
    expect(ask(containers, { where: ['part2 = web-1'], fields: ['text'] }).rows).toEqual([
      { text: '81e32311 - web-1 - exited' },
    ])
    expect(Object.keys(ask(containers, { where: ['text contains web-1'] }).rows[0] ?? {})).not.toContain(
      'text',
    )
  })

  test('have no words in the number of their line: their line is meant', () => {
    const { rows, notes } = ask(containers, { where: ['line contains paused'] })
    expect(rows).toHaveLength(4)
    expect(notes).toContain('`line` read as the lines of the record, not their number.')
    expect(ask(containers, { where: ['line = 3'] }).rows).toMatchObject([{ part2: 'web-1' }])
  })

  test('have no lines that stand around them', () => {
    expect(ask(containers, { where: ['text contains Debug'] }).rows).toEqual([])
    expect(ask(containers, { where: ['text contains containers'] }).rows).toEqual([])
  })
})

test('an entry has all of its lines', () => {
  const text = Array.from(
    { length: 5 },
    (_, n) => `Name: task ${n}\nState: ${n % 2 === 0 ? 'open' : 'done'}\nOwner: ann\n`,
  ).join('\n')
  const { rows } = ask(fromRecognised(text), { where: ['raw contains "1\nState: done"'], fields: ['raw'] })
  expect(rows).toEqual([{ raw: 'Name: task 1\nState: done\nOwner: ann' }])
})

describe('a section of Markdown', () => {
  const pages = (rule: string) =>
    ['# Pages\n', ...[1, 2, 3, 4].map((n) => `## Page ${n}\n\n- id: p${n}\n- parent: root\n${rule}`)].join(
      '\n',
    )

  test('has its lines, without the rule below it', () => {
    const asked = { where: ['raw ~ "id: p[23]"'], fields: ['raw'] }
    const { rows, notes } = ask(fromRecognised(pages('\n---')), asked)
    expect(rows).toEqual([2, 3].map((n) => ({ raw: `## Page ${n}\n\n- id: p${n}\n- parent: root` })))
    expect(notes).toContain('the lines of the record')
  })

  test('does not have the heading of the next one', () => {
    const { rows } = ask(fromRecognised(pages('')), { where: ['raw contains "p1"'], fields: ['raw'] })
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toContain('Page 2')
  })
})

test('the heading of a group is no line of the record above it', () => {
  const group = (name: string) => [
    `${name}:`,
    ...[1, 2, 3, 4].map((n) => `  - ${name}-${n} (id: ${n}, kind: x)`),
  ]
  const document = fromRecognised([...group('north'), '', ...group('south')].join('\n'))
  const { rows } = ask(document, { where: ['raw contains south'], fields: ['raw'] })
  expect(rows.map((row) => JSON.stringify(row)).filter((row) => row.includes('north'))).toEqual([])
})

describe('no lines are taken', () => {
  test('for a field of the text', () => {
    const text = Array.from({ length: 10 }, (_, n) => `ID: ${n}, Message: hello ${n}`).join('\n')
    const { rows, notes } = ask(fromRecognised(text), { where: ['text contains "ID"'] })
    expect(rows).toEqual([])
    expect(notes).toContain('`text` read as `Message`.')
  })

  test('where `line` is a field of the data', () => {
    const data = Array.from({ length: 4 }, (_, n) => ({ line: n + 1, code: 'E1' }))
    expect(ask(fromValue(data), { where: ['raw contains E1'] }).error).toContain(
      'No record has the field `raw`',
    )
    const text = Array.from({ length: 10 }, (_, n) => `line: ${n + 1}, code: E${n}, file: a.ts`).join('\n')
    expect(ask(fromRecognised(text), { where: ['raw contains E1'] }).error).toContain(
      'No record has the field',
    )
  })
})

describe('where no record has a text in the field that is asked', () => {
  const rows = fromValue(
    ['Rain Jacket 3', 'Rain Hat', 'Rain Jacket 31'].map((name, n) => ({ name, text: `In stock ${n}`, n })),
  )

  test('the reply names the fields that have it', () => {
    expect(ask(rows, { where: ['text contains Rain Jacket 3'] }).notes).toContain(
      '`name` has it in 2 records.',
    )
    expect(ask(rows, { where: ['text = "Rain Hat"'] }).notes).toContain('`name` has it in 1 record.')
    expect(ask(rows, { where: ['text contains Sun'] }).notes).not.toContain('has it')
    expect(ask(rows, { where: ['text contains 31'] }).notes).not.toContain('has it')
  })

  test('the reply says how the lines are asked for that have it', () => {
    expect(ask(containers, { where: ['part2 contains "web-1 - exited"'] }).notes).toContain(
      'The lines of 1 record have it: `raw contains "web-1 - exited"`.',
    )
  })
})

test('the lines of a record go on where one is like a line above the records', () => {
  const trace = 'Traceback (most recent call last):\n  File "a.py", line 1\nValueError: bad'
  const entries = Array.from(
    { length: 8 },
    (_, n) => `2025-11-01T00:00:0${n}Z ERROR app: failed ${n}\n${trace}`,
  )
  const log = fromRecognised(['Errors of today:', ...entries].join('\n'))
  expect(ask(log, { where: ['raw contains ValueError'], aggregate: 'count' }).rows).toEqual([{ count: 8 }])
  const titled = fromRecognised([trace.split('\n')[0], ...entries].join('\n'))
  expect(ask(titled, { where: ['raw contains ValueError'], aggregate: 'count' }).rows).toEqual([{ count: 8 }])
})

test('a name that is a value of a part is no name of another one', () => {
  const settings = fromRecognised(
    Array.from({ length: 24 }, (_, n) => `- web ${n} - ${n % 3 ? 'on' : 'off'} - x${n}`).join('\n'),
  )
  expect(ask(settings, { where: ['state = on'], aggregate: 'count' }).rows).toEqual([{ count: 16 }])
  expect(ask(settings, { where: ['x3 = on'], aggregate: 'count' }).error).toContain('No record has the field')
})
