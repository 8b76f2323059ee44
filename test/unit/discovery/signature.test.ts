import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { leadOf, signatureOf } from '../../../src/discovery/signature.ts'
import type { JsonValue } from '../../../src/protocol/json.ts'
import { verifies } from '../../support/verifies.ts'

const object = (properties: Record<string, JsonValue>, required: string[] = []): JsonValue => ({
  type: 'object',
  properties,
  required,
})

describe('signature of a tool', () => {
  verifies('S1.9', 'tells types, what is required, defaults and allowed values', () => {
    const schema = object(
      { mode: { enum: ['a', 'b'] }, depth: { type: 'integer', default: 3 }, path: { type: 'string' } },
      ['path'],
    )
    expect(signatureOf('read', schema)).toBe('read(path: string, mode?: "a"|"b", depth?: integer = 3)')
  })

  test('in brief: what is required with its types, of the rest what has room, counted', () => {
    const schema = object(
      {
        state: { type: 'string' },
        labels: { type: 'array', items: { type: 'string' } },
        since: { type: 'string' },
        repository: { type: 'string' },
        number: { type: 'integer' },
      },
      ['repository', 'number'],
    )
    expect(signatureOf('', schema, 300, 60)).toBe(
      '(repository: string, number: integer, state?: string, …2 more)',
    )
    expect(signatureOf('', schema, 300, 10)).toBe('(repository: string, number: integer, …3 more)')
  })

  test('nested objects, lists, maps and unions', () => {
    const schema = object(
      {
        edits: {
          type: 'array',
          items: object({ from: { type: 'string' }, all: { type: 'boolean' } }, ['from']),
        },
        env: { type: 'object', additionalProperties: { type: 'string' } },
        id: { anyOf: [{ type: 'string' }, { type: 'integer' }] },
        ids: { type: 'array', items: { type: ['string', 'integer'] } },
      },
      ['edits', 'id'],
    )
    expect(signatureOf('edit', schema)).toBe(
      'edit(edits: {from: string, all?: boolean}[], id: string|integer, env?: {[key]: string}, ids?: (string|integer)[])',
    )
  })

  test('a text that has to be written in one way', () => {
    const schema = object(
      {
        start: { type: 'string', format: 'date-time' },
        links: { type: 'array', items: { type: 'string', format: 'uri' } },
        odd: { type: 'string', format: 'as you like' },
      },
      ['start'],
    )
    expect(signatureOf('book', schema)).toBe(
      'book(start: string<date-time>, links?: string<uri>[], odd?: string)',
    )
  })

  test('null says nothing where a parameter may be left out, and something where it may not', () => {
    const either = { anyOf: [{ type: 'string' }, { type: 'null' }], default: null }
    expect(signatureOf('a', object({ x: either }))).toBe('a(x?: string)')
    expect(signatureOf('a', object({ x: either }, ['x']))).toBe('a(x: string|null)')
    expect(signatureOf('a', object({ x: { type: ['string', 'null'] } }))).toBe('a(x?: string)')
  })

  test('local references are followed; circles end', () => {
    const schema = {
      type: 'object',
      properties: { tree: { $ref: '#/$defs/Node' }, loop: { $ref: '#/$defs/Loop' } },
      $defs: {
        Node: {
          type: 'object',
          properties: { name: { type: 'string' }, kids: { type: 'array', items: { $ref: '#/$defs/Node' } } },
        },
        Loop: { $ref: '#/$defs/Loop' },
      },
    }
    expect(signatureOf('a', schema)).toBe(
      'a(tree?: {name?: string, kids?: {name?: string, kids?: {name?: string, kids?: object[]}[]}[]}, loop?: any)',
    )
  })

  test('no schema, no properties, an empty list of values', () => {
    expect(signatureOf('a', undefined)).toBe('a()')
    expect(signatureOf('a', { type: 'object' })).toBe('a()')
    expect(signatureOf('a', object({ x: { enum: [] } }))).toBe('a(x?: any)')
  })

  test('what is required and declared nowhere is told all the same', () => {
    const undeclared = { type: 'object', properties: { x: { type: 'string' } }, required: ['y', 'x'] }
    expect(signatureOf('a', undeclared)).toBe('a(x: string, y: any)')
    expect(signatureOf('a', { type: 'object', required: ['y', 1, 'toString'] })).toBe(
      'a(y: any, toString: any)',
    )
    const map = { type: 'object', required: ['y'], additionalProperties: { type: 'integer' } }
    expect(signatureOf('a', object({ map }))).toBe('a(map?: {y: integer})')
    const many = Array.from({ length: 10_000 }, (_, at) => `p${at}`)
    expect(signatureOf('a', { type: 'object', required: many })).toMatch(/…\d+ more\)$/)
  })

  test('too long: optional parameters go, required ones are named', () => {
    const properties = Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [`parameter${at}`, { type: 'string' }]),
    )
    const signature = signatureOf('a', object(properties, ['parameter39']), 100)
    expect(signature.length).toBeLessThanOrEqual(120)
    expect(signature).toMatch(/^a\(parameter39: string, parameter0\?: string, .*, …3\d more\)$/)
    const needed = signatureOf('a', object(properties, ['parameter1', 'parameter38', 'parameter39']), 30)
    for (const name of ['parameter1', 'parameter38', 'parameter39']) expect(needed).toContain(name)
  })

  test('hundreds of allowed values and names that are no identifiers stay short', () => {
    const values = Array.from({ length: 5_000 }, (_, at) => `value${at}`)
    expect(signatureOf('a', object({ x: { enum: values } })).length).toBeLessThan(150)
    expect(signatureOf('a', object({ 'x y': { type: 'string' }, 'b)': {} }))).toBe(
      'a("x y"?: string, "b)"?: any)',
    )
    expect(signatureOf('a', object(JSON.parse('{"__proto__":{"type":"string"}}')))).toBe(
      'a(__proto__?: string)',
    )
  })

  test('of very many parameters a few are told, and how many are left', () => {
    const names = Array.from({ length: 200_000 }, (_, at) => `p${at}`)
    const properties = Object.fromEntries(names.map((name) => [name, {}]))
    const optional = signatureOf('a', object(properties), 60)
    expect(optional).toMatch(/^a\(p0\?: any, p1\?: any, .*, …1999\d\d more\)$/)
    const required = signatureOf('a', object(properties, names), 60)
    expect(required).toMatch(/^a\(p0: any, p1: any, .*, …1999\d\d more\)$/)
    expect(required.length).toBeLessThan(400)
    const few = Object.fromEntries(names.slice(0, 600).map((name) => [name, { type: 'null' }]))
    expect(signatureOf('a', object(few), 100_000)).toMatch(/p499\?: null, …100 more\)$/)
  })

  test('one line, whatever names, values and defaults are made of', () => {
    const awkward = 'a\n"b"\u0000\u001b[2J) => {'
    const schema = object({
      [awkward]: { enum: [awkward] },
      other: { type: awkward, default: awkward },
      fixed: { const: awkward },
    })
    const signature = signatureOf('a', schema)
    expect(signature).not.toMatch(/\p{Cc}/u)
    expect(signature).toContain(JSON.stringify(awkward))
    expect(signature).toContain('other?: any')
  })

  const keyword = fc.constantFrom(
    'type',
    'properties',
    'required',
    'items',
    'anyOf',
    'allOf',
    '$ref',
    'enum',
    'const',
    'default',
  )
  const { schema } = fc.letrec<{ schema: JsonValue }>((tie) => ({
    schema: fc.oneof(
      { depthSize: 'medium' },
      fc.constantFrom<JsonValue>('object', 'string', 'array', '#', '#/properties', '#/items', null, 3),
      fc.array(tie('schema'), { maxLength: 4 }),
      fc.dictionary(fc.oneof(keyword, fc.string()), tie('schema'), { maxKeys: 5, noNullPrototype: true }),
    ) as fc.Arbitrary<JsonValue>,
  }))

  test('whatever the schema, a bounded line', () => {
    fc.assert(
      fc.property(fc.string(), schema, (name, given) => {
        const signature = signatureOf(name, given, 300)
        expect(signature.length).toBeLessThanOrEqual(4 * 300 + 400)
        expect(signature).toMatch(/\)$/)
        expect(signature.slice(Math.min(name.length, 100))).not.toMatch(/[\r\n]/)
      }),
    )
  })

  test('every parameter is named, each required one before the others, while there is room', () => {
    const names = fc.uniqueArray(fc.stringMatching(/^[a-z]\w{0,8}$/), { maxLength: 12 })
    fc.assert(
      fc.property(names, fc.array(fc.nat(11)), (all, picks) => {
        const required = all.filter((_, at) => picks.includes(at))
        const properties = Object.fromEntries(all.map((name) => [name, { type: 'string' }]))
        const others = all.filter((name) => !required.includes(name))
        const said = [
          ...required.map((name) => `${name}: string`),
          ...others.map((name) => `${name}?: string`),
        ]
        expect(signatureOf('f', object(properties, required))).toBe(`f(${said.join(', ')})`)
      }),
    )
  })

  test('schemas that refer to themselves many times end soon', () => {
    const itself = { $ref: '#' }
    const wide = {
      type: 'object',
      properties: Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`p${at}`, itself])),
    }
    expect(signatureOf('a', wide).length).toBeLessThan(1_000)
    const union = { anyOf: Array.from({ length: 8 }, () => itself), properties: { x: itself } }
    expect(signatureOf('a', union).length).toBeLessThan(1_000)
    const list = { type: 'array', items: itself, properties: { x: itself } }
    expect(signatureOf('a', list).length).toBeLessThan(1_000)
  })
})

test('the first sentence of the first line', () => {
  expect(leadOf('Reads a file. Use it with care.', 100)).toBe('Reads a file.')
  expect(leadOf('  Reads v1.2 files\n\nof a folder.', 100)).toBe('Reads v1.2 files')
  expect(leadOf('Reads a file\nNeeds a path', 100)).toBe('Reads a file')
  expect(leadOf('', 100)).toBe('')
})

test('a sentence that goes on in the next line is whole', () => {
  expect(leadOf('Reads the files\n    of a folder\r\n(all of them).\n    Args: none', 100)).toBe(
    'Reads the files of a folder (all of them).',
  )
})

test('abbreviations end no sentence', () => {
  expect(leadOf('Finds files (e.g. *.ts) by name. More.', 100)).toBe('Finds files (e.g. *.ts) by name.')
  expect(leadOf('Reads JSON, CSV, etc. from disk. More.', 100)).toBe('Reads JSON, CSV, etc. from disk.')
  expect(leadOf('Reads JSON, CSV, etc. More.', 100)).toBe('Reads JSON, CSV, etc.')
})

test('headings say nothing, unless there is nothing else', () => {
  expect(leadOf('## Overview\n\nCreates pages.\n', 100)).toBe('Creates pages.')
  expect(leadOf('<use_case>\nRuns a query.\n</use_case>', 100)).toBe('Runs a query.')
  expect(leadOf('# Pages', 100)).toBe('# Pages')
})

test('what a first line announces is told with it', () => {
  const description = 'Does one of these:\n\n- get: The track. Now.\n- skip: The next one.\n\nNot this.'
  expect(leadOf(description, 100)).toBe('Does one of these: - get: The track. Now. - skip: The next one.')
  expect(leadOf(description, 30)).toBe('Does one of these: - get:…')
})

test('without what controls a terminal or stands for nothing', () => {
  expect(leadOf('Reads\u0000 a\t\t file\u001b[2J\u2028now. Not this.', 100)).toBe('Reads a file [2J now.')
})

test('too long: cut between words', () => {
  expect(leadOf('Reads one or several files of a folder', 20)).toBe('Reads one or…')
  expect(leadOf('x'.repeat(50), 20)).toBe(`${'x'.repeat(19)}…`)
})

test('never longer than asked for, and one line', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc.integer({ min: 2, max: 40 }),
      (text, longest) => {
        const lead = leadOf(text, longest)
        expect(lead.length).toBeLessThanOrEqual(longest)
        expect(lead).not.toMatch(/[\p{Cc}\u2028\u2029]/u)
        expect(lead).not.toMatch(/[\uD800-\uDBFF]…/)
      },
    ),
  )
})
