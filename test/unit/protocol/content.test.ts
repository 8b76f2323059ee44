import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { contentTable } from '../../../src/config/generate.ts'
import {
  CONTENT_KINDS,
  changeText,
  changeUri,
  isText,
  kindOf,
  textIn,
  UNKNOWN_KIND,
} from '../../../src/protocol/content.ts'
import { expectKindIsKnown } from '../../contract/content.ts'

const root = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url))

test.each([...Object.keys(CONTENT_KINDS), 'a kind to come'])(
  '%s is read, changed and replaced as the table says',
  (type) => expectKindIsKnown(type, (file) => import(/* @vite-ignore */ root(file))),
)

test('a kind is an own entry of the table, never what objects inherit', () => {
  for (const type of ['constructor', '__proto__', 'toString', 7, null, undefined])
    expect(kindOf({ ...(type !== undefined && { type }) })).toBe(UNKNOWN_KIND)
})

test('text counts in whatever kind of block a resource is embedded', () => {
  for (const type of ['text', 'image', 'resource_link', 'new'])
    expect(textIn({ type, resource: { text: 'words' } })).toBe('words')
})

test('a block without text or URI, or with something else in their place, stays the same object', () => {
  for (const block of [
    { type: 'text' },
    { type: 'resource', resource: 'x' },
    { type: 'resource_link', uri: 4 },
    {},
  ]) {
    expect(changeText(block, () => 'changed')).toBe(block)
    expect(changeUri(block, () => 'changed')).toBe(block)
  }
})

test('a block of text is the kind text', () => {
  expect(isText({ type: 'text', text: '' })).toBe(true)
  expect(textIn({ type: 'text', text: '' })).toBe('')
})

test('the page of content blocks is up to date', () => {
  expect(readFileSync(root('docs/content.md'), 'utf8')).toContain(contentTable())
})
