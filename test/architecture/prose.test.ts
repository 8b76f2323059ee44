import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'

const script = fileURLToPath(new URL('../../scripts/prose.mjs', import.meta.url))
const { check, RULES } = (await import(pathToFileURL(script).href)) as {
  check(name: string, text: string): string[]
  RULES: { not: RegExp; only?: string[] }[]
}

/** A sentence for each rule, most of them from earlier versions of this project. */
const RIDDLES = [
  'A tool whose definition changed is held back.',
  'The work for it would be ended by nobody.',
  'The same content has one handle, whoever keeps it.',
  'It is kept beside the result, lest it be lost.',
  'It serves those that asked before the list changed.',
  'The module needs the server "x", which there is not.',
  'The client reads the preview, and that is what counts.',
  'It takes that which the server sent.',
  'It lists the features that are to be had.',
  'A module that has its way decides the call.',
  'A template for these addresses is not told of.',
  'The check is strict. Who chooses none gets the default.',
  'The call is short. What it needs is at hand.',
  'It is blocked here. Else the old name could be called.',
  'The list is fetched anew after a restart.',
  'This says what becomes of a result.',
  'The definition is another than before.',
  'The pool is full after five tools (seed S1).',
]

test('every rule fires on a planted sentence, in each of its places and in no other', () => {
  expect(RIDDLES).toHaveLength(RULES.length)
  for (const [index, sentence] of RIDDLES.entries()) {
    const { not, only } = RULES[index] as (typeof RULES)[number]
    expect(sentence).toMatch(not)
    const quoted = JSON.stringify(sentence)
    const found = {
      page: check('SECURITY.md', `# Title\n\n- ${sentence}\n`),
      comment: check('tool.mjs', `// The first line.\n// ${sentence}\nrun()\n`),
      text: check('src/a.ts', `throw new Error(${quoted})\n`),
      'test name': check('test/a.test.ts', `test.each([1])(${quoted}, () => {})\n`),
    }
    const at = {
      page: 'SECURITY.md:3',
      comment: 'tool.mjs:2',
      text: 'src/a.ts:1',
      'test name': 'test/a.test.ts:1',
    }
    for (const [place, lines] of Object.entries(found))
      expect([sentence, place, lines]).toEqual([
        sentence,
        place,
        only === undefined || only.includes(place)
          ? [
              expect.stringMatching(
                new RegExp(`^${at[place as keyof typeof at]}: ".+" \\(${place}\\)\\. Write `),
              ),
            ]
          : [],
      ])
  }
})

test('a comment begins with a noun, on one line or on many, and may ask a question', () => {
  const found = [expect.stringMatching(/"What" \(comment\)/)]
  expect(check('src/a.ts', '/** What a call needs. */\nrun()\n')).toEqual(found)
  expect(check('src/a.ts', '/**\n * What a call needs.\n */\nrun()\n')).toEqual(found)
  expect(check('src/a.ts', '/** What does a call need? */\nrun()\n')).toEqual([])
})

test('a long sentence of a page, a comment, a text or a part of the console is found, with its line and its words', () => {
  const long = `The proxy keeps ${'one more '.repeat(20)}result.`
  const found = 'a sentence of 44 words ("The proxy keeps one more one more one mo…"). Write two.'
  expect(check('SECURITY.md', `One line.\nShort. ${long}\n`)).toEqual([`SECURITY.md:2: ${found}`])
  expect(check('src/a.ts', `/**\n * Short.\n * ${long}\n */\nrun()\n`)).toEqual([`src/a.ts:3: ${found}`])
  expect(check('src/a.ts', `throw new Error('${long}')\n`)).toEqual([`src/a.ts:1: ${found}`])
  expect(check('src/a.tsx', `const page = <p>${long}</p>\n`)).toEqual([`src/a.tsx:1: ${found}`])
})

test('items of a list, tags of JSDoc and words of a table are no long sentence', () => {
  const item = 'a part of the whole that has a few words and no full stop'
  expect(
    check('src/a.ts', `/**\n * A list:\n * - ${item}\n * - ${item}\n * - ${item}\n */\nrun()\n`),
  ).toEqual([])
  expect(
    check('src/a.ts', `/**\n * @param a ${item}\n * @param b ${item}\n * @returns ${item}\n */\nrun()\n`),
  ).toEqual([])
  expect(check('src/a.ts', `const WORDS = '${'word '.repeat(50)}'`)).toEqual([])
})

test('code, generated parts and data of tests are left alone', () => {
  const page =
    '```js\n// those that\n```\n\n`nobody` is a word.\n\n<!-- a:start -->\n\nthose that do\n\n<!-- a:end -->\n'
  expect(check('SECURITY.md', page)).toEqual([])
  expect(check('test/a.test.ts', "expect(ask('a record of nobody')).toBe(1)")).toEqual([])
  expect(check('src/a.ts', "import { a } from 'one of those that'\nconst nobody = `whose ${a}`")).toEqual([])
  expect(check(join('src', 'a.ts'), 'const pattern = /a record whose name/')).toEqual([])
})
