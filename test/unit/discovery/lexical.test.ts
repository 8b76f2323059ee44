import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { SearchedTool } from '../../../src/discovery/fields.ts'
import { indexSpellings, indexTools, WEIGHTS } from '../../../src/discovery/lexical.ts'
import { wordVectors } from '../../../src/discovery/word-vectors.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { verifies } from '../../support/verifies.ts'

const tool = (
  server: string,
  name: string,
  description: string,
  parameters: JsonObject = {},
): SearchedTool => ({
  server,
  name,
  definition: { name, description, inputSchema: { type: 'object', properties: parameters } },
})

const shelf: SearchedTool[] = [
  tool('library', 'borrow_book', 'Lend a book to a reader.', {
    reader: { type: 'string' },
    weeks: { type: 'integer' },
  }),
  tool('library', 'return_book', 'Take a book back from a reader.'),
  tool('library', 'findReaders', 'Search the register of readers by name.'),
  tool('garden', 'water-plants', 'Open the valve of a bed for some minutes.', {
    valve: { type: 'string', description: 'Which sprinkler' },
  }),
  tool('garden', 'removeWeeds', 'Delete unwanted plants from a bed.'),
  tool('kitchen', 'list_recipes', 'List recipes, those of a season alone on request.', {
    season: { type: 'string', enum: ['spring', 'autumn'] },
  }),
  tool('kitchen', 'convert_units', 'Convert cups and spoons into grams.'),
]
const search = indexTools(shelf)
const names = (question: string, limit = 5) =>
  search.search(question, limit).map(({ index }) => shelf[index]?.name)

describe('words written together and with hyphens', () => {
  const others = [
    tool('a', 'list_files', 'List the files of a folder.'),
    tool('a', 'get_weather', 'Weather of a city.'),
    tool('a', 'big_picture', 'Shows a picture.'),
    tool('a', 'json_lint', 'Checks JSON.'),
  ]
  const first = (name: string, description: string, question: string): string | undefined => {
    const tools = [...others, tool('m', name, description)]
    const [best] = indexTools(tools).search(question, 5)
    return best && tools[best.index]?.name
  }

  test.each([
    ['sendemail', '', 'send email'],
    ['sendemail', 'Sends a message by email.', 'please send an e-mail'],
    ['send_email', '', 'sendemail'],
    ['sendEmail', '', 'send e-mail'],
    ['mailer', 'Sends an e-mail.', 'email'],
    ['mailer', 'Sends an email.', 'e-mail'],
    ['mailer', 'Sends an email.', 'E-Mail to my boss'],
    ['bigjson', '', 'big json'],
    ['bigjson', 'Returns a big JSON document.', 'give me a big json'],
    ['big_json', '', 'bigjson'],
    ['bigJson', '', 'bigjson'],
    ['login', 'Opens a session.', 'log-in'],
  ])('%s (%s) is found by %s', (name, description, question) => {
    expect(first(name, description, question)).toBe(name)
  })
})

describe('search of tools by words', () => {
  verifies('S1.4', 'finds by name, description, parameter and allowed value, in any style', () => {
    expect(names('borrowBook')[0]).toBe('borrow_book')
    expect(names('RETURN BOOKS')[0]).toBe('return_book')
    expect(names('grams')[0]).toBe('convert_units')
    expect(names('sprinklers')[0]).toBe('water-plants')
    expect(names('autumn')[0]).toBe('list_recipes')
    expect(names('garden')).toEqual(expect.arrayContaining(['water-plants', 'removeWeeds']))
  })

  test('finds by words that mean the same, below words that are the same', () => {
    const index = indexTools(shelf, WEIGHTS, { vectors: wordVectors() })
    const first = (question: string) => shelf[index.search(question, 1)[0]?.index ?? -1]?.name
    expect(first('look for somebody who reads')).toBe('findReaders')
    expect(first('sprinkle the flowers')).toBe('water-plants')
    expect(first('what could one cook in spring')).toBe('list_recipes')
  })

  test('forgives slips', () => {
    expect(names('convret untis')[0]).toBe('convert_units')
    expect(names('list recieps')[0]).toBe('list_recipes')
  })

  test('the name that its server gives it leads to a tool, also where clients see the server in its name', () => {
    const prefixed = shelf
      .map((each) => ({ ...each, original: each.name }))
      .map(({ server, ...each }) => ({
        ...each,
        server,
        definition: { ...each.definition, name: `${server}_${each.name}` },
      }))
    const index = indexTools(prefixed)
    for (const [at, { name, server }] of shelf.entries()) {
      expect(index.search(name, 1), name).toEqual([{ index: at, score: 1 }])
      expect(index.search(`${server}_${name}`, 1), name).toEqual([{ index: at, score: 1 }])
    }
  })

  test('who names a tool is given no others that mean something like it', () => {
    const fruit = [tool('shop', 'cherry', 'Sells it.'), tool('shop', 'plum', 'Sells it.')]
    const index = indexTools(fruit, WEIGHTS, { vectors: wordVectors() })
    expect(index.search('plum', 5).map(({ index: at }) => at)).toEqual([1])
    expect(index.search('peach', 5)).toHaveLength(2)
  })

  test('a name written together is found by its words', () => {
    const together = [...shelf, tool('office', 'listinvoices', 'The invoices of a customer.')]
    const found = indexTools(together).search('list the invoices', 1)
    expect(found.map(({ index }) => together[index]?.name)).toEqual(['listinvoices'])
    expect(indexTools(together).search('listinvoices', 1)).toEqual([{ index: shelf.length, score: 1 }])
  })

  test('what a question is wrapped in hides nothing', () => {
    for (const wrapped of [
      'Hello! I hope you are well; I was wondering if you could help me to return a book, thanks a lot in advance.',
      'My cousin keeps asking me: borrow a book, quickly, before Thursday!',
    ])
      expect(
        names(wrapped, 3).some((name) => name?.endsWith('book')),
        wrapped,
      ).toBe(true)
  })

  test('other forms of a word are found', () => {
    const german = [...shelf, tool('ablage', 'ablage_leeren', 'Alle Datei-Ordner leeren, mit Dateien.')]
    expect(indexTools(german).search('Datei', 1)[0]?.index).toBe(shelf.length)
    expect(names('conversion of unit')[0]).toBe('convert_units')
  })

  test('who knows a name gets that tool first, with all the score there is', () => {
    for (const [place, { server, name }] of shelf.entries()) {
      expect(search.search(name, 1)).toEqual([{ index: place, score: 1 }])
      expect(search.search(`${server}_${name}`, 1)).toEqual([{ index: place, score: 1 }])
    }
  })

  test('a name that says nothing is not what every question that says nothing asks for', () => {
    const vague = [...shelf, tool('', 'do_it', 'Shines shoes.'), tool('x', 'the', 'Mends socks.')]
    for (const question of ['do it', 'of the', '', 'what is it?'])
      expect(indexTools(vague).search(question, 5), question).toEqual([])
    expect(indexTools(vague).search('shoes', 1)[0]?.index).toBe(shelf.length)
  })

  verifies('S1.55', 'no tool has a word of the question: an empty list', () => {
    for (const question of [
      'flibber wuzzock',
      '',
      '   ',
      '…',
      'the of and',
      '42',
      'book flibber wuzzock prandle snarvel gromflux',
      'zalfob bool kemsnaxtrick',
      'prescribe antibiotics',
    ])
      expect(search.search(question, 5), question).toEqual([])
  })

  verifies('S1.55', 'scores are above 0, at most 1, and fall', () => {
    const text = fc.oneof(
      fc.string(),
      fc
        .array(fc.constantFrom('book', 'reader', 'plants', 'list', 'recipe', 'the', 'xyzzy', 'name'), {
          maxLength: 8,
        })
        .map((words) => words.join(' ')),
    )
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 10 }), (question, limit) => {
        const found = search.search(question, limit)
        expect(found.length).toBeLessThanOrEqual(limit)
        let last = 1
        for (const { score } of found) {
          expect(score).toBeGreaterThan(0)
          expect(score).toBeLessThanOrEqual(last)
          last = score
        }
        expect(search.search(question, limit)).toEqual(found)
      }),
    )
  })

  verifies('S1.67', 'weights decide what counts; 0 leaves a field out', () => {
    const tools = [
      tool('a', 'alpha', 'Nothing.'),
      tool('b', 'beta', 'Has alpha in its description.'),
      tool('c', 'gamma', 'Other.'),
    ]
    const first = (weights: Partial<typeof WEIGHTS>) =>
      indexTools(tools, { ...WEIGHTS, ...weights }).search('alpha, alpha', 5)
    expect(first({}).map(({ index }) => index)).toEqual([0, 1])
    expect(first({ description: 0 }).map(({ index }) => index)).toEqual([0])
    expect(first({ name: 0 }).map(({ index }) => index)).toEqual([1])
  })

  test('none, one and two tools, and tools that say nothing', () => {
    expect(indexTools([]).search('book', 5)).toEqual([])
    expect(indexTools([shelf[0] as SearchedTool]).search('lend book', 5)).toHaveLength(1)
    const silent: SearchedTool = {
      server: 's',
      name: '',
      definition: { name: 5, description: null, inputSchema: 'x' },
    }
    expect(indexTools([silent, silent]).search('book', 5)).toEqual([])
  })

  test('words that objects have by themselves find what has them', () => {
    const odd = [...shelf, tool('x', 'constructor', '__proto__ toString valueOf hasOwnProperty')]
    expect(indexTools(odd).search('constructor', 5)).toEqual([{ index: shelf.length, score: 1 }])
    expect(search.search('constructor __proto__', 5)).toEqual([])
  })

  test('a question of a megabyte and a schema that is hostile take no harm', () => {
    expect(search.search('borrow book '.repeat(100_000), 1)).toHaveLength(1)
    const many = Object.fromEntries(
      Array.from({ length: 50_000 }, (_, at) => [`p${at}`, { description: 'x'.repeat(50) }]),
    )
    const deep = JSON.parse(`${'{"properties":{"a":'.repeat(20_000)}1${'}}'.repeat(20_000)}`)
    const hostile = [
      tool('a', 'wide', 'Wide.', many),
      { server: 'a', name: 'deep', definition: { name: 'deep', inputSchema: deep } },
    ]
    expect(indexTools(hostile).search('wide', 1)).toEqual([{ index: 0, score: 1 }])
  })
})

describe('an index made again', () => {
  verifies('S1.24 S1.26', 'what came, went or changed is found as it is now', () => {
    let tools = shelf
    const found = (question: string) =>
      indexTools(tools)
        .search(question, 5)
        .map(({ index }) => tools[index]?.name)
    expect(found('violin')).toEqual([])
    tools = [...shelf.slice(1), tool('music', 'tune_violin', 'Tune it.')]
    expect(found('violin')).toEqual(['tune_violin'])
    expect(found('borrow')).not.toContain('borrow_book')
    tools = tools.map((each) =>
      each.name === 'tune_violin' ? tool('music', 'tune_violin', 'Tune a cello.') : each,
    )
    expect(found('cello')).toEqual(['tune_violin'])
  })
})

const spellingsOf = (...vocabulary: string[]) =>
  indexSpellings((letter) => vocabulary.filter((word) => word.startsWith(letter)))

const words = (word: string, ...vocabulary: string[]) =>
  spellingsOf(...vocabulary)
    .near(word)
    .map((near) => near.word)

test('one slip, two in long words, best first', () => {
  expect(words('isues', 'issue', 'issues', 'users')).toEqual(['issues'])
  expect(words('serach', 'search', 'sea', 'starch')).toEqual(['search'])
  expect(words('reposetoyr', 'repository')).toEqual(['repository'])
})

test('neighbours that changed places are one slip, at the beginning, too', () => {
  expect(words('emial', 'email')).toEqual(['email'])
  expect(words('eamil', 'email')).toEqual(['email'])
  expect(words('meail', 'email')).toEqual(['email'])
})

test('short words, another beginning and the word itself are left alone', () => {
  expect(words('lst', 'list')).toEqual([])
  expect(words('book', 'look', 'book')).toEqual([])
})

test('the nearer, the more it counts', () => {
  const [first, second] = spellingsOf('repository', 'reposito').near('repositry')
  expect(first?.similarity).toBeGreaterThan(second?.similarity ?? 0)
  expect(first?.similarity).toBeLessThan(1)
})
