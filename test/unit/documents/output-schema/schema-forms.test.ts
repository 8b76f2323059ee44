import { expect, test } from 'vitest'
import { withoutForms } from '../../../../src/documents/output-schema/schema-forms.ts'
import type { JsonObject } from '../../../../src/protocol/json.ts'
import { deepFreeze } from '../../../support/deep-freeze.ts'

test('a schema that promises no form is the very same', () => {
  const schema = {
    type: 'object',
    properties: { format: { type: 'string', enum: ['a'] } },
    required: ['format'],
  }
  expect(withoutForms(schema)).toBe(schema)
})

test('forms go wherever there is a schema; names, and what decides, stay', () => {
  const mail = { type: 'string', format: 'email', minLength: 3, description: 'where to' }
  const schema: JsonObject = deepFreeze({
    type: 'object',
    properties: {
      mail,
      pattern: { type: 'array', items: { type: 'string', pattern: '^x' }, minItems: 1 },
      age: { type: 'integer', minimum: 1, maximum: 9 },
      either: { oneOf: [mail, { type: 'null' }] },
      both: { allOf: [{ $ref: '#/$defs/mail' }] },
    },
    $defs: { mail },
    if: { properties: { mail } },
    not: mail,
    additionalProperties: mail,
    const: { format: 'email' },
  })
  const text = { type: 'string', description: 'where to' }
  expect(withoutForms(schema)).toEqual({
    type: 'object',
    properties: {
      mail: text,
      pattern: { type: 'array', items: { type: 'string' }, minItems: 1 },
      age: { type: 'integer', maximum: 9 },
      either: { anyOf: [text, { type: 'null' }] },
      both: { allOf: [{ $ref: '#/$defs/mail' }] },
    },
    $defs: { mail: text },
    if: { properties: { mail } },
    not: mail,
    additionalProperties: text,
    const: { format: 'email' },
  })
})

test('one that is nested for ever is no danger', () => {
  let schema: JsonObject = { type: 'string', format: 'email' }
  for (let level = 0; level < 50_000; level++) schema = { items: schema }
  expect(withoutForms(schema)).toHaveProperty('items')
})
