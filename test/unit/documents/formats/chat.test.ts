import { expect, test } from 'vitest'
import { recognise } from '../../../../src/documents/opening/detect.ts'

const messages = (...lines: string[]) => {
  const { format, json, asides } = recognise(lines.join('\n'))
  return { format, asides, records: json?.() }
}

test.each([
  ['[03/11/2025, 09:03:57] Ann Lee: ', '[03/11/2025, 09:04:13] Ann Lee: ', '03/11/2025, 09:03:57'],
  ['[11/3/25, 9:03:57 AM] Ann Lee: ', '[11/3/25, 9:04:13 AM] Ann Lee: ', '11/3/25, 9:03:57 AM'],
  ['03.11.25, 09:03 - Ann Lee: ', '03.11.25, 09:04 - Ann Lee: ', '03.11.25, 09:03'],
  ['**Ann Lee** (2025-11-03 09:18):\n', '**Ann Lee** (2025-11-03 09:19):\n', '2025-11-03 09:18'],
  ['Ann Lee (2025-11-03T09:18:00Z): ', 'Ann Lee (2025-11-03T09:19:00Z): ', '2025-11-03T09:18:00Z'],
])('a message has a time, a sender and a text, also of one sender alone: %s', (one, other, time) => {
  const found = messages('# Team', '', `${one}note: red`, 'see 15:30: room 4', `${other}ok`)
  expect(found.asides).toEqual(['text beside it: # Team'])
  expect(found.records).toMatchObject([
    { line: 3, time, sender: 'Ann Lee', text: 'note: red\nsee 15:30: room 4' },
    { sender: 'Ann Lee', text: 'ok' },
  ])
})

test('a line without a sender is a record below a time', () => {
  const at = (minute: number, said: string) => `[03/11/2025, 09:0${minute}:00] ${said}`
  expect(messages(at(1, 'Chats are encrypted'), at(2, "O'Brien, Sean: hi"), at(3, 'Bo: ok')).records).toEqual(
    [
      { line: 1, time: '03/11/2025, 09:01:00', text: 'Chats are encrypted' },
      { line: 2, time: '03/11/2025, 09:02:00', sender: "O'Brien, Sean", text: 'hi' },
      { line: 3, time: '03/11/2025, 09:03:00', sender: 'Bo', text: 'ok' },
    ],
  )
})

test('levels are no senders, and headings between messages part them', () => {
  const level = ['[03/11/2025, 09:03:57] INFO: up', '[03/11/2025, 09:03:58] WARN: slow']
  const headed = ['**Ann** (2025-11-03 09:18): a', '# Other', '**Bo** (2025-11-03 09:19): b']
  for (const lines of [level, headed])
    expect(JSON.stringify(messages(...lines).records ?? [])).not.toContain('"sender"')
})

test('what was said in a meeting stands below a name and a time', () => {
  const said = [0, 1, 2, 3].flatMap((nth) => [
    `${nth % 2 ? 'Bo' : 'Ana Lee'} (${99 + nth}:0${nth})`,
    `Sentence ${nth}.`,
    ...(nth === 1 ? ['', 'And a second one (12:30).'] : []),
    '',
  ])
  const { records, asides } = messages('Meeting', 'Date: 2025-11-03', '', ...said)
  expect(asides).toEqual(['text beside it: Meeting', 'text beside it: Date: 2025-11-03'])
  expect(records).toEqual([
    { line: 4, time: '99:00', speaker: 'Ana Lee', text: 'Sentence 0.' },
    { line: 7, time: '100:01', speaker: 'Bo', text: 'Sentence 1.\n\nAnd a second one (12:30).' },
    { line: 12, time: '101:02', speaker: 'Ana Lee', text: 'Sentence 2.' },
    { line: 15, time: '102:03', speaker: 'Bo', text: 'Sentence 3.' },
  ])
  const plan = ['Lunch (12:30)', 'Walk (13:30)', 'Talks (14:00)', 'Dinner (19:00)']
  expect(recognise(plan.join('\n')).traits.name).not.toBe('chat')
  expect(recognise(`${plan[0]}\n${'We eat and talk.\n'.repeat(9)}${plan[1]}\n`).traits.name).not.toBe('chat')
})
