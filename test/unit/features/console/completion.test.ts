import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { placeAt, suggestionsAt } from '../../../../src/features/console/page/completion.ts'

const schema = JSON.parse(readFileSync(new URL('../../../../mcp.schema.json', import.meta.url), 'utf8'))

/** The names that are suggested at the sign `|`. */
function at(text: string): string[] {
  const caret = text.indexOf('|')
  return suggestionsAt(schema, text.replace('|', ''), caret).all.map(({ name }) => name)
}

test('suggests the keys that an object may have and does not, with the ones first that begin so', () => {
  expect(at('{ "|')).toEqual(['mcpServers', 'proxySettings', 'modules'])
  expect(at('{ "mcpServers": {}, "|')).toEqual(['proxySettings', 'modules'])
  expect(at('{ // "x": {\n "proxySettings": { "maxResp|" } }')).toEqual([
    'maxResponseSize',
    'maxResponseTokens',
  ])
  expect(at('{ "proxySettings": { "console": { "enabled": true, "p|')).toContain('port')
  expect(at('{ "mcpServers": { "a": { "comm|')).toEqual(['command'])
  expect(at('{ "mcpServers": { "|')).toEqual([])
})

test('suggests values that are allowed, in lists and among choices as well', () => {
  expect(at('{ "proxySettings": { "exposure": "|" } }')).toEqual(['passthrough', 'retrieve', 'dispatch'])
  expect(at('{ "proxySettings": { "console": { "enabled": |')).toEqual(['true', 'false'])
  expect(at('{ "mcpServers": { "a": { "instance": "s|')).toEqual(['session', 'shared'])
  expect(at('{ "modules": [{ "use": "re|')).toEqual(expect.arrayContaining(['redact', 'rename', 'rewrite']))
})

test('says where the word begins that is written', () => {
  const text = '{ "proxySettings": { "maxR'
  expect(placeAt(text, text.length)).toMatchObject({
    path: ['proxySettings'],
    isKey: true,
    word: 'maxR',
    from: 21,
  })
})

test('any text and place give an answer', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'{}[]",:/* \n\\ax1') }), fc.nat(60), (text, caret) => {
      const { from } = suggestionsAt(schema, text, Math.min(caret, text.length))
      expect(from).toBeLessThanOrEqual(text.length)
    }),
  )
})
