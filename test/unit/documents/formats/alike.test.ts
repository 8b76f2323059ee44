import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fromRecognised } from '../../../../src/documents/opening/derive.ts'
import { recognise } from '../../../../src/documents/opening/detect.ts'
import type { JsonObject } from '../../../../src/protocol/json.ts'

const read = (text: string) => recognise(text).json?.() as JsonObject[]
const lines = (count: number, line: (nth: number) => string) =>
  Array.from({ length: count }, (_, nth) => line(nth)).join('\n')

describe('a record on a line, with names before its values', () => {
  test('beside each other, of which some records lack one', () => {
    const text = lines(12, (nth) =>
      nth % 3 ? `Chat ID: ${nth}, Title: Tea, milk & more, Type: Group` : `Chat ID: ${nth}, Type: Channel`,
    )
    expect(read(text).slice(0, 2)).toEqual([
      { line: 1, 'Chat ID': 0, Type: 'Channel' },
      { line: 2, 'Chat ID': 1, Title: 'Tea, milk & more', Type: 'Group' },
    ])
    expect(read(text)).toHaveLength(12)
  })

  test('a value in brackets behind a name is whole', () => {
    const lines = [1, 2, 3, 4].map(
      (n) => `- Wall_${n} [Transform] (tag: Player, layer: Water) pos=(-4.${n}, 2, 3)`,
    )
    expect(read(lines.join('\n'))[3]).toMatchObject({
      tag: 'Player',
      layer: 'Water',
      pos: '(-4.4, 2, 3)',
    })
  })

  test('the first record is none of a header', () => {
    const text = lines(9, (nth) => `PID: ${nth}, Command: init, CPU: ${nth}.5`)
    expect(read(text)).toHaveLength(9)
    expect(read(text)[8]).toEqual({ line: 9, PID: 8, Command: 'init', CPU: 8.5 })
  })

  test('within brackets, behind a text in quotes, which may hold quotes itself', () => {
    const text = `Found 6 events:\n${lines(6, (nth) => `- "${nth ? 'Tea' : '"Tea" at 5'}" (Starts: 2025-09-0${nth + 1}) ID: x${nth} | Link: https://a.org/?e=${nth}`)}`
    expect(read(text)[0]).toEqual({
      line: 2,
      text: '"Tea" at 5',
      Starts: '2025-09-01',
      ID: 'x0',
      Link: 'https://a.org/?e=0',
    })
  })

  test('over several lines, with a title of their own above them', () => {
    const text = lines(
      6,
      (nth) => `Task ${nth} - buy\n (Due: Not set) - Notes: one - two\nline - x - ID: ${nth} - Status: open`,
    )
    expect(read(text)[5]).toEqual({
      line: 17,
      title: 'Task 5 - buy',
      Due: 'Not set',
      Notes: 'one - two\nline - x',
      ID: 5,
      Status: 'open',
    })
  })

  test('words between the parts and a number of something are names, too', () => {
    const text = lines(
      8,
      (nth) => `Walk ${nth} (ID: ${nth}) - ${nth}.5 km in 2h on 1/${nth}/2025\n   URL: https://a/${nth}`,
    )
    expect(read(text)[3]).toEqual({
      line: 7,
      part1: 'Walk 3',
      part2: '3.5 km',
      in: '2h',
      on: '1/3/2025',
      ID: 3,
      URL: 'https://a/3',
    })
    const messages = lines(
      9,
      (nth) => `msgid=${nth} [warn] Gone ${nth} (2 args)${nth % 2 ? ' [5 times]' : ''}\n  at a.js:1`,
    )
    expect(read(messages)[1]).toEqual({
      line: 3,
      msgid: 1,
      part1: 'warn',
      part2: 'Gone 1',
      args: 2,
      times: 5,
      part3: 'at a.js:1',
    })
  })
})

describe('a record on a line without names', () => {
  test.each([
    ['dashes', (nth: number) => `${nth}f - web-${nth} - up`, { part1: '8f', part2: 'web-8', part3: 'up' }],
    [
      'words and brackets',
      (nth: number) => `From 00${nth} in main [READ]`,
      { From: '008', in: 'main', text: 'READ' },
    ],
    ['a colon', (nth: number) => `00400${nth}: "x${nth}: b"`, { part1: '004008', part2: 'x8: b' }],
    [
      'a place and what stands there',
      (nth: number) => `📄 /a/b.ts:${nth} - x ${nth} - ${nth % 2 ? 'y' : 'z - w'}`,
      { part1: '/a/b.ts:8', part2: 'x 8 - z - w' },
    ],
  ])('parted by %s', (_, line, last) => {
    expect(read(lines(9, line)).at(-1)).toEqual({ line: 9, ...last })
  })

  test('lines around them are told, and a line between them that is none makes them a text', () => {
    const text = lines(9, (nth) => `${nth}f - web-${nth} - up`)
    const around = fromRecognised(`All:\n${text}\n\nDone.\n`)
    expect(around.records()?.values).toHaveLength(9)
    expect(around.asides).toEqual(['text beside it: All:', 'text beside it: Done.'])
    expect(recognise(`${text}\nand a line\n${text}`).format).toBe('text')
  })
})

describe('what is written is kept', () => {
  test('names of the text come before those of the product', () => {
    const rows = read(lines(9, (nth) => `- step ${nth} (line: ${nth * 5}, text: a b, part1: c)`))
    expect(rows[2]).toEqual({ line_2: 3, text_2: 'step 2', line: 10, text: 'a b', part1: 'c' })
  })

  test('a colon parts a text from one of a few kinds, and names stand in the lines below it', () => {
    const kinds = ['Operational', 'Partial Outage', 'Degraded']
    const text = lines(
      24,
      (nth) => `- API: part ${nth}: ${kinds[nth % 3]}${nth % 2 ? `\n  Description: It is ${nth}` : ''}`,
    )
    const records = read(`Components:\n${text}\n\nLast Updated: Nov 1, 2025, 10:00 AM\n`)
    expect(records).toHaveLength(24)
    expect(records[1]).toEqual({
      line: 3,
      part1: 'API: part 1',
      part2: 'Partial Outage',
      Description: 'It is 1',
    })
    expect(recognise(lines(12, (nth) => `- Note ${nth}: it says ${nth * 7}`)).format).toBe('text')
    for (const mark of ['', '- '])
      expect(read(lines(24, (nth) => `${mark}feature_${nth}: ${nth % 3 > 0}`))).not.toMatchObject([
        { part1: 'feature_0' },
      ])
  })

  test('below headings, each record with its own', () => {
    const day = (name: string) =>
      `${name}:\n${lines(5, (nth) => `- Tea ${nth} (Starts: ${nth}:00) ID: ${nth}`)}`
    const rows = read(`Found 10 events:\n${day('Monday')}\n${day('Friday')}`)
    expect(rows.map(({ heading, ID }) => [heading, ID]).slice(4, 6)).toEqual([
      ['Monday', 4],
      ['Friday', 0],
    ])
  })

  test('lines behind the last record are no part of its value', () => {
    const events = lines(9, (nth) => `- Tea ${nth} (Starts: ${nth}:00) Note: a ${nth}`)
    const found = fromRecognised(`${events}\n\nShowing 9 of 812 events\n`)
    expect(found.records()?.values.at(-1)).toMatchObject({ Note: 'a 8' })
    expect(found.asides).toEqual(['text beside it: Showing 9 of 812 events'])
  })

  test('a line that goes on is of a sentence, and beside a word or an address', () => {
    const rows = (value: string) =>
      read(lines(9, (nth) => `ID: ${nth}, Note: ${value}${nth % 2 ? '\nand more' : ''}`))
    expect(rows('one two')[1]).toEqual({ line: 2, ID: 1, Note: 'one two\nand more' })
    expect(rows('https://a/b')[1]).toEqual({ line: 2, ID: 1, Note: 'https://a/b', text: 'and more' })
  })

  test('pairs within the words of some lines are part of the words', () => {
    const said = ['failed to load', 'user=8 plan=pro', 'ready () now', '[HMR] waits']
    const text = lines(16, (nth) => `id=${nth} [log] ${said[nth % 4]} (${nth} args)`)
    expect(read(text)[1]).toEqual({ line: 2, part1: 'log', part2: 'user=8 plan=pro', args: 1, id: 1 })
    // Beside others they are fields, also where few lines have them.
    const more = lines(16, (nth) => `id=${nth} kind=a${nth % 4 === 1 ? ' host=h1' : ''} it ran`)
    expect(read(more)[1]).toMatchObject({ id: 1, kind: 'a', host: 'h1' })
  })

  test('brackets behind the ones that all lines have are a remark', () => {
    const text = lines(
      12,
      (nth) => `id=${nth} GET https://a.org/${nth} [${nth % 2 ? 200 : 304}]${nth === 3 ? ' [chosen]' : ''}`,
    )
    expect(read(text)[3]).toEqual({
      line: 4,
      part1: 'GET',
      part2: 'https://a.org/3',
      part3: 200,
      part4: 'chosen',
      id: 3,
    })
    const args = lines(12, (nth) => `id=${nth} [log] ${nth === 3 ? 'status () ' : 'said '}it (${nth} args)`)
    expect(read(args)[3]).toMatchObject({ args: 3 })
    const last = lines(12, (nth) => `id=${nth} [log] said${nth === 3 ? ' ()' : ''} (${nth} args)`)
    expect(read(last)[3]).toMatchObject({ part2: 'said ()', args: 3 })
  })

  test('records with very many lines stay a text', () => {
    const text = `${lines(9, (nth) => `ID: ${nth}, Note: a b`)}\n${lines(70, () => 'more')}\nID: 9, Note: c d`
    expect(recognise(text).format).toBe('text')
  })

  test('every letter of every value is in the record of its line', () => {
    const word = fc.stringMatching(/^[a-z0-9"()[\]|,:= -]{0,30}$/)
    fc.assert(
      fc.property(fc.array(fc.tuple(word, word), { minLength: 9, maxLength: 30 }), (values) => {
        const text = values.map(([one, two], nth) => `ID: ${nth}, Name: ${one}x, Kind: ${two}y`).join('\n')
        const rows = read(text)
        expect(rows.map(({ ID }) => ID)).toEqual(values.map((_, nth) => nth))
        for (const [nth, [one, two]] of values.entries()) {
          const letters = (said: string) => said.replaceAll(/[^a-z0-9]/g, '')
          const { line: _, ID: __, ...held } = rows[nth] ?? {}
          const found = letters(Object.entries(held).flat().join(' ').toLowerCase())
          for (const part of `${one}x ${two}y`.split(/[^a-z0-9]+/)) expect(found).toContain(letters(part))
        }
      }),
    )
  })
})
