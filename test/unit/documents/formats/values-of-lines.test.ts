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
