import {
  ListPromptsResultSchema,
  ListResourcesResultSchema,
  ListToolsResultSchema,
} from '@modelcontextprotocol/sdk/types.js'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { wellFormed } from '../../../src/upstream/catalogue.ts'

const tool: JsonObject = {
  name: 't',
  description: 'does',
  inputSchema: { type: 'object', properties: {}, additionalProperties: false },
  annotations: { readOnlyHint: true },
  'x-unknown': null,
}

test('what is right stays the very object it was', () => {
  expect(wellFormed('tools', tool)).toBe(tool)
  const prompt = { name: 'p', arguments: [] }
  expect(wellFormed('prompts', prompt)).toBe(prompt)
  const resource = { uri: 'file:///a', name: 'a', size: 3 }
  expect(wellFormed('resources', resource)).toBe(resource)
})

test('members of the wrong kind go, what is missing is filled in, the rest stays', () => {
  const bad = { ...tool, description: null, annotations: 'none', outputSchema: {}, inputSchema: null }
  expect(wellFormed('tools', bad)).toEqual({ name: 't', inputSchema: { type: 'object' }, 'x-unknown': null })
  expect(wellFormed('tools', { name: 't', inputSchema: { properties: { a: {} } } })).toEqual({
    name: 't',
    inputSchema: { properties: { a: {} }, type: 'object' },
  })
  expect(wellFormed('resources', { uri: 'file:///a' })).toEqual({ uri: 'file:///a', name: 'file:///a' })
})

test('what has no name is none', () => {
  expect(wellFormed('tools', { description: 'x' })).toBeUndefined()
  expect(wellFormed('prompts', { name: 7 })).toBeUndefined()
  expect(wellFormed('resources', { name: 'a' })).toBeUndefined()
})

test('the SDK takes every list that was mended', () => {
  const wild = fc.oneof(fc.jsonValue(), fc.constant({ type: 'object' }), fc.string())
  const members = [
    'title',
    'description',
    'inputSchema',
    'outputSchema',
    '_meta',
    'mimeType',
    'size',
    '__proto__',
  ]
  const item = fc
    .dictionary(fc.constantFrom(...members), wild)
    .map((rest) => ({ ...rest, name: 'n', uri: 'u:u' }))
  fc.assert(
    fc.property(item, (value) => {
      const one = value as JsonObject
      // Inside a schema anything may be wrong; that is the server's to mend.
      const plain = { ...one, inputSchema: null, outputSchema: null }
      expect(ListToolsResultSchema.safeParse({ tools: [wellFormed('tools', plain)] }).success).toBe(true)
      expect(ListPromptsResultSchema.safeParse({ prompts: [wellFormed('prompts', one)] }).success).toBe(true)
      const resources = [wellFormed('resources', one)]
      expect(ListResourcesResultSchema.safeParse({ resources }).success).toBe(true)
    }),
  )
})
