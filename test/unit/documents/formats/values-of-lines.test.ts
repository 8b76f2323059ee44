/** A value of a record may have lines that look like records or fields of their own. */
import { describe, expect, test } from 'vitest'
import { fromRecognised } from '../../../../src/documents/opening/derive.ts'
import type { JsonObject } from '../../../../src/protocol/json.ts'

const recordsOf = (text: string): JsonObject[] =>
  (fromRecognised(text).records()?.values ?? []) as JsonObject[]

/** Texts of so many records, the value of some of which is another. */
const written = (count: number, record: (nth: number) => string, between = '\n'): string =>
  Array.from({ length: count }, (_, nth) => record(nth)).join(between)

describe('an item', () => {
  const shopping = (nth: number): string =>
    nth % 3 === 1 ? '  Note: - bread\n- oil (ID: none)\n3. jam\n' : nth % 3 === 2 ? '  Note: fresh\n' : ''
  const task = (nth: number): string =>
    `- Buy food ${nth} (ID: a${nth}x)\n${shopping(nth)}  Priority: ${nth % 4}\n`

  test('has bullets of its own in a value, where items stand apart', () => {
    const records = recordsOf(`12 tasks found:\n\n${written(12, task)}`)
    expect(records).toHaveLength(12)
    expect(records[1]).toMatchObject({
      title: 'Buy food 1',
      ID: 'a1x',
      Note: '- bread\n- oil (ID: none)\n3. jam',
      Priority: 1,
    })
  })

  test('has bullets of its own in a value, where the titles of items end alike', () => {
    const event = (nth: number): string =>
      `- "Plan ${nth}" (Begins: 2026-03-0${nth + 1}, Ends: 2026-03-0${nth + 2})\n  About: ${nth % 2 ? 'Topics:\n- money\n- people' : 'none'}\n  Place: Room ${nth}\n`
    const records = recordsOf(`Found 8 events:\n${written(8, event, '')}`)
    expect(records).toHaveLength(8)
    expect(records[3]).toMatchObject({ About: 'Topics:\n- money\n- people', Place: 'Room 3' })
  })

  test('has a paragraph of its own in a value, before a field that is set in', () => {
    const page = (nth: number): string =>
      `- Read ${nth} (ID: b${nth}x)\n  Note: ${nth % 4 ? 'none' : 'See:\n\nhttps://a.example/b'}\n  Priority: ${nth % 4}\n`
    const records = recordsOf(`12 tasks found:\n\n${written(12, page)}`)
    expect(records).toHaveLength(12)
    expect(records[4]).toMatchObject({ Note: 'See:\nhttps://a.example/b', Priority: 0 })
  })

  test('without fields stays one', () => {
    const group = (nth: number): string =>
      `- Task ${nth} (ID: c${nth}x)\n  Status: open\n  Owner: Ann\n- Note ${nth}\n`
    expect(recordsOf(`Tasks:\n\n${written(8, group)}`)).toHaveLength(16)
    const other = (nth: number): string => `- Task ${nth}\n  Status: open\n- Task ${nth}b\n  Status: done\n`
    expect(recordsOf(`Tasks:\n\n${written(8, other)}`)).toHaveLength(16)
  })
})

describe('a record between rules', () => {
  const facts = (nth: number): string =>
    nth % 3 ? `fact ${nth}` : '# Notes\n\nbody\n\n---\n\nThen: rest\n---\nmore'
  const fact = (nth: number): string =>
    `Fact ${nth + 1}:\nTime: 2026-02-0${(nth % 9) + 1}\nContent: ${facts(nth)}\nScore: ${nth}\nTags: a, b\n---\n`

  test('has rules, headings and keys of its own in a value', () => {
    const records = recordsOf(`Found facts:\n\n${written(12, fact, '')}`)
    expect(records).toHaveLength(12)
    expect(records[3]).toMatchObject({ heading: 'Fact 4', Content: facts(3), Score: 3, Tags: 'a, b' })
    expect(records[0]).toMatchObject({ Content: facts(0), Score: 0 })
  })

  const page = (nth: number): string =>
    `Name: Page ${nth}\nURL: https://a.example/${nth}\nBy: Ann\nDate: 2026-01-02\nText:\nwords\n`

  test('is not the second half of one that says other things', () => {
    const half = (nth: number): string =>
      `From: a${nth}\nDate: 2025-01-01\n\n---\n\nSubject: s${nth}\nPriority: high\n`
    expect(JSON.stringify(recordsOf(written(6, half, '\n---\n\n')))).toContain('"Subject":"s2"')
  })

  test('that begins in another way stays one', () => {
    const other = (nth: number): string =>
      nth % 4 ? page(2) : `Failed: ${nth}\nURL: https://a.example/${nth}\nBy: Bo\nText: none\n`
    expect(recordsOf(written(12, other, '\n---\n\n'))).toHaveLength(12)
  })
})

describe('a record below a heading', () => {
  const notes = (nth: number): string => (nth % 3 ? 'none' : 'Call:\n- price\nnext: May')

  test('has lines at the margin in its last value', () => {
    const row = (nth: number): string =>
      `Row ${nth + 1}:\n    Id: r${nth}\n    Stage: open\n    Notes: ${notes(nth)}\n`
    const document = fromRecognised(`Found 12 rows:\n\n${written(12, row)}`)
    const records = document.records()?.values as JsonObject[]
    expect(records).toHaveLength(12)
    expect(records[3]).toMatchObject({ heading: 'Row 4', Stage: 'open', Notes: notes(3) })
    expect(document.asides.join()).not.toContain('price')
  })

  test('has lines at the margin in a value above others, where headings are numbered', () => {
    const row = (nth: number): string =>
      `Row ${nth + 1}:\n    Id: r${nth}\n    Notes: ${notes(nth)}\n    Stage: open\n`
    const records = recordsOf(`Found 12 rows:\n\n${written(12, row)}`)
    expect(records).toHaveLength(12)
    expect(records[3]).toMatchObject({ Notes: notes(3), Stage: 'open' })
  })

  test('ends at the next heading, where no line stands between them', () => {
    const port = (nth: number): string => `port${nth}\n    Speed: ${nth}\n    State: up\n`
    const records = recordsOf(written(12, port, ''))
    expect(records).toHaveLength(12)
    expect(records[3]).toMatchObject({ heading: 'port3', Speed: 3, State: 'up' })
  })
})

describe('a paragraph below a heading', () => {
  const event = (nth: number): string =>
    `${nth % 4 ? `Lunch ${nth}` : `Call: Ann ${nth}`} (2026-03-0${(nth % 9) + 1})\nPlace: Room ${nth}\nID: e${nth}\n`

  test('is a record, be there a colon in its heading or none', () => {
    const records = recordsOf(`Found 24 events:\n\n${written(24, event)}`)
    expect(records).toHaveLength(24)
    expect(records[4]).toMatchObject({ heading: 'Call: Ann 4 (2026-03-05)', Place: 'Room 4', ID: 'e4' })
    expect(records[5]).toMatchObject({ heading: 'Lunch 5 (2026-03-06)', Place: 'Room 5', ID: 'e5' })
  })

  test('has paragraphs in a value', () => {
    const noted = (nth: number): string => `${event(nth)}Notes: ${nth === 7 ? 'one\n\ntwo' : 'none'}\n`
    const records = recordsOf(`Found 24 events:\n\n${written(24, noted)}`)
    expect(records).toHaveLength(24)
    expect(records[7]).toMatchObject({ ID: 'e7', Notes: 'one\n\ntwo' })
  })
})

describe('a letter below its fields', () => {
  const said = (nth: number): string => (nth % 3 ? `words ${nth}` : 'Dear Bo,\n\nSum: 45\nUntil: May\n\nBye')
  const letter = (nth: number): string =>
    `Letter: l${nth}\nFrom: Ann\nLink: https://a.example/${nth}\n\n${said(nth)}\n\nFiles: ${nth}\n`

  test('is a text, and what it says is no field', () => {
    const records = recordsOf(`Found 12 letters:\n\n${written(12, letter, '\n---\n\n')}`)
    expect(records).toHaveLength(12)
    expect(records[3]).toEqual({
      line: expect.any(Number),
      Letter: 'l3',
      From: 'Ann',
      Link: 'https://a.example/3',
      Files: 3,
      text: said(3),
    })
  })

  test('goes on with a value of several words', () => {
    const story = (nth: number): string => `Story: s${nth}\nFrom: Ann\nText: once upon ${nth}\n\nthe end\n`
    expect(recordsOf(written(12, story, '\n---\n\n'))[3]).toMatchObject({ Text: 'once upon 3\n\nthe end' })
  })
})
