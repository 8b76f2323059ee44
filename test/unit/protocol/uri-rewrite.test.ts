import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { JsonObject, JsonValue } from '../../../src/protocol/json.ts'
import {
  renameInArguments,
  renameInResult,
  renameUri,
  renameViews,
} from '../../../src/protocol/uri-rewrite.ts'
import { deepFreeze } from '../../support/deep-freeze.ts'
import { soundKeys } from '../../support/keys.ts'

const rename = (uri: string): string => (uri.startsWith('note:') ? uri.replace('note:', 'note+b:') : uri)

test('every place of a tool result that names a resource is renamed, and nothing else', () => {
  const result = deepFreeze<JsonObject>({
    content: [
      { type: 'text', text: 'note://1' },
      { type: 'resource_link', uri: 'note://1', name: 'note://1' },
      {
        type: 'resource',
        resource: { uri: 'note://2', text: 'note://2' },
        annotations: { audience: ['user'] },
      },
      { type: 'video', uri: 'note://3' },
      null,
    ],
    structuredContent: { uri: 'note://1' },
    _meta: {
      ui: { resourceUri: 'note://4', other: 'note://4' },
      'ui/resourceUri': 'note://5',
      'x/uri': 'note://6',
    },
  })
  expect(renameInResult(result, rename)).toEqual({
    content: [
      { type: 'text', text: 'note://1' },
      { type: 'resource_link', uri: 'note+b://1', name: 'note://1' },
      {
        type: 'resource',
        resource: { uri: 'note+b://2', text: 'note://2' },
        annotations: { audience: ['user'] },
      },
      { type: 'video', uri: 'note://3' },
      null,
    ],
    structuredContent: { uri: 'note://1' },
    _meta: {
      ui: { resourceUri: 'note+b://4', other: 'note://4' },
      'ui/resourceUri': 'note+b://5',
      'x/uri': 'note://6',
    },
  })
})

test('messages of a prompt and contents of a resource', () => {
  const link = { type: 'resource_link', uri: 'note://1' }
  expect(renameInResult({ messages: [{ role: 'user', content: link }] }, rename)).toEqual({
    messages: [{ role: 'user', content: { ...link, uri: 'note+b://1' } }],
  })
  expect(renameInResult({ messages: [{ role: 'user', content: [link] }] }, rename)).toEqual({
    messages: [{ role: 'user', content: [{ ...link, uri: 'note+b://1' }] }],
  })
  expect(renameInResult({ contents: [{ uri: 'note://1', text: 't' }, { uri: 'x:' }] }, rename)).toEqual({
    contents: [{ uri: 'note+b://1', text: 't' }, { uri: 'x:' }],
  })
})

test('URIs in tools and lists', () => {
  const tool = { name: 't', _meta: { 'openai/outputTemplate': 'note://1', ui: { resourceUri: 'note://2' } } }
  expect(renameViews(tool, rename)).toEqual({
    name: 't',
    _meta: { 'openai/outputTemplate': 'note+b://1', ui: { resourceUri: 'note+b://2' } },
  })
  expect(renameUri({ uri: 'note://1', name: 'n' }, rename)).toEqual({ uri: 'note+b://1', name: 'n' })
  expect(renameUri({ uriTemplate: 'note://{x}' }, rename, 'uriTemplate')).toEqual({
    uriTemplate: 'note+b://{x}',
  })
})

test('arguments that are a URI as a whole, at any place', () => {
  const args = deepFreeze<JsonObject>({
    a: 'note://1',
    b: ['see note://1', { c: 'note://2' }],
    n: 1,
    z: null,
  })
  expect(renameInArguments(args, rename)).toEqual({
    a: 'note+b://1',
    b: ['see note://1', { c: 'note+b://2' }],
    n: 1,
    z: null,
  })
  const own = JSON.parse('{"__proto__": "note://1"}') as JsonObject
  expect(JSON.stringify(renameInArguments(own, rename))).toBe('{"__proto__":"note+b://1"}')
})

test('arguments nested without end are left alone', () => {
  let deep: JsonValue = 'note://1'
  for (let level = 0; level < 50_000; level++) deep = [deep]
  expect(renameInArguments(deep, rename)).toBe(deep)
})

test('returns the same object when nothing is renamed, and never throws', () => {
  const likely = fc.oneof(
    soundKeys(fc.jsonValue()),
    fc.record({
      type: fc.constantFrom('resource', 'resource_link'),
      uri: soundKeys(fc.jsonValue()),
      resource: soundKeys(fc.jsonValue()),
    }),
  )
  const result = fc.record(
    {
      content: fc.oneof(fc.array(likely), likely),
      contents: fc.oneof(fc.array(likely), likely),
      messages: fc.oneof(fc.array(fc.record({ content: likely })), likely),
      _meta: likely,
    },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(result, (value) => {
      const frozen = deepFreeze(value) as JsonObject
      expect(renameInResult(frozen, (uri) => uri)).toBe(frozen)
      expect(renameViews(frozen, (uri) => uri)).toBe(frozen)
      expect(renameInArguments(frozen, (uri) => uri)).toBe(frozen)
    }),
  )
})
