import fc from 'fast-check'
import { expect, test } from 'vitest'
import { recognise } from '../../../src/documents/opening/detect.ts'
import { indexLines } from '../../../src/text/lines.ts'
import { findHeadings } from '../../../src/text/passages.ts'
import { isUnderlined, underlinesOf } from '../../../src/text/underlines.ts'

const changes = [
  '==========',
  'Change log',
  '==========',
  '',
  '.. note:: See the manual.',
  '',
  '7.1.0 (2026-04-30)',
  '------------------',
  '',
  'Bug fixes',
  '~~~~~~~~~',
  '',
  '- A fix',
  '',
  'Note',
  '*****',
  '',
  'Text.',
  '',
  '7.0.0 (2026-02-11)',
  '------------------',
  '',
  '1. Steps',
  '~~~~~~~~',
  'More text.',
].join('\n')

test('the order of the marks tells the levels of reStructuredText', () => {
  expect(findHeadings(indexLines(changes)).map(({ line, level, title }) => [line, level, title])).toEqual([
    [1, 1, 'Change log'],
    [6, 2, '7.1.0 (2026-04-30)'],
    [9, 3, 'Bug fixes'],
    [14, 4, 'Note'],
    [19, 2, '7.0.0 (2026-02-11)'],
    [22, 3, '1. Steps'],
  ])
})

test('a text with such headings is read by its sections', () => {
  const { traits, json } = recognise(changes)
  expect(traits.name).toBe('markdown')
  expect(json?.()).toMatchObject({
    sections: [
      { level: 1, heading: 'Change log', line: 2, text: '.. note:: See the manual.' },
      { level: 2, heading: '7.1.0 (2026-04-30)', text: '' },
      { level: 3, heading: 'Bug fixes', line: 10, text: '- A fix' },
      { level: 4, heading: 'Note', text: 'Text.' },
      { level: 2, line: 20 },
      { level: 3, heading: '1. Steps', text: 'More text.' },
    ],
  })
})

test('Markdown has two marks, and a rule below a list is no heading', () => {
  const at = (text: string) => underlinesOf(indexLines(text)).at(0)?.level
  expect(at('Title\n===')).toBe(1)
  expect(at('Title\n---')).toBe(2)
  expect(at('Title\n~~~~~')).toBeUndefined()
  expect(at('- item\n---')).toBeUndefined()
  expect(at('1. item\n---')).toBeUndefined()
})

test('headings of Markdown come first', () => {
  const lines = indexLines('# One\n\nShort\n*****\n\nA\n***\n\nB\n***\n\n## Two\n')
  expect(findHeadings(lines).map(({ title }) => title)).toEqual(['One', 'Two'])
  expect(isUnderlined(lines)).toBe(false)
})

test('no line fails, and a heading is never a rule', () => {
  const line = fc.constantFrom(
    '',
    'Title',
    '=====',
    '-----',
    '~~~~~',
    '*****',
    '```',
    '# x',
    '- y',
    '\ud800',
    '=',
  )
  fc.assert(
    fc.property(fc.array(line, { maxLength: 30 }), (all) => {
      const lines = indexLines(all.join('\n'))
      const { at } = underlinesOf(lines)
      for (let index = 0; index < lines.count; index++)
        if (at(index)) expect(lines.at(index)).toMatch(/\p{L}/u)
      recognise(all.join('\n')).json?.()
    }),
  )
})
