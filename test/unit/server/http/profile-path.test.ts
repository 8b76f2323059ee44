import type { IncomingMessage, ServerResponse } from 'node:http'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Principal, Visitor } from '../../../../src/server/backend.ts'
import { visitorAt } from '../../../../src/server/http/profile-path.ts'
import { runs } from '../../../support/runs.ts'
import { verifies } from '../../../support/verifies.ts'

const profiles = [
  { name: 'notes', title: undefined, isDefault: false },
  { name: 'constructor', title: undefined, isDefault: false },
]

function come(url: string, principal?: Principal, path = '/mcp', there = profiles) {
  const refused: { status?: number; text?: string } = {}
  const response = {
    writeHead(status: number) {
      refused.status = status
    },
    end(text: string) {
      refused.text = text
    },
  }
  const visitor: Visitor | undefined = visitorAt(
    { path, profiles: () => there },
    { url } as IncomingMessage,
    response as unknown as ServerResponse,
    principal,
  )
  const message =
    refused.text === undefined
      ? ''
      : (JSON.parse(refused.text) as { error: { message: string } }).error.message
  return { visitor, status: refused.status, message }
}

verifies('S2.22', 'a profile is chosen by the path', () => {
  expect(come('/mcp').visitor).toEqual({ principal: undefined, profile: undefined })
  expect(come('/mcp/notes').visitor?.profile).toBe('notes')
  expect(come('/mcp/notes?x=/mcp/other').visitor?.profile).toBe('notes')
  expect(come('/mcp/constructor').visitor?.profile).toBe('constructor')
  expect(come('/sse/notes', undefined, '/sse').visitor?.profile).toBe('notes')
  // A request to a proxy names the whole address.
  expect(come('http://localhost:8000/mcp/notes').visitor?.profile).toBe('notes')
})

verifies('S2.22', 'no other spelling of a path selects a profile or leaves one', () => {
  for (const url of [
    '/mcp/',
    '/mcp//',
    '/mcp/notes/',
    '/mcp/../mcp/notes',
    '/mcp/notes/../../mcp',
    '/mcp/notes/..',
    '/mcp/./notes',
    '/mcp/%6eotes',
    '/mcp/%2e%2e/mcp',
    '/mcp/notes%2f..',
    '/mcp/notes%00',
    '/mcp/Notes',
    '/MCP/notes',
    '/mcp\\notes',
    '/mcp/notes;x',
    '/mcp/__proto__',
    '/mcp/toString',
    `/mcp/${'n'.repeat(5000)}`,
    '//mcp/notes',
    '//mcp',
    '/x/../mcp',
    'mcp/notes',
    '',
    '*',
  ])
    expect([url, come(url).visitor, come(url).status]).toEqual([url, undefined, 404])
})

test('an unknown profile path gets a short answer with the valid paths', () => {
  expect(come('/mcp/Note').message).toBe(
    'There is no profile "Note". Did you mean notes? There are: notes, constructor.',
  )
  expect(come(`/mcp/${'x'.repeat(9000)}`).message.length).toBeLessThan(300)
  expect(come('/other').message).toBe('MCP is served at /mcp')
  expect(come('/mcp/notes', undefined, '/mcp', []).message).toBe('MCP is served at /mcp')
})

test('nothing but a name that is there is ever taken for one', () => {
  const part = fc.oneof(
    fc.constantFrom('..', '.', '', '%2e', 'notes', 'mcp', '\\', '?', '#', ';'),
    fc.string(),
  )
  fc.assert(
    fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
      const url = `/mcp/${parts.join('/')}`
      const { visitor } = come(url)
      if (visitor !== undefined) expect(url).toMatch(/^\/mcp\/(?:notes|constructor)(?:[?#].*)?$/s)
    }),
    { numRuns: runs(300) },
  )
})

verifies('S2.22', 'a token for some profiles opens only these, and its errors do not name others', () => {
  const bound: Principal = { id: 't', profiles: ['notes'] }
  expect(come('/mcp/notes', bound).visitor).toEqual({ principal: bound, profile: 'notes' })
  expect([come('/mcp/constructor', bound).status, come('/mcp/constructor', bound).message]).toEqual([
    404,
    'There is no profile "constructor". There is: notes.',
  ])
  const plain = come('/mcp', bound)
  expect([plain.visitor, plain.status, plain.message]).toEqual([
    undefined,
    403,
    'This token is for single profiles. There is: notes.',
  ])
  const withDefault = profiles.map((profile) => ({ ...profile, isDefault: profile.name === 'notes' }))
  expect(come('/mcp', bound, '/mcp', withDefault).visitor?.profile).toBeUndefined()
  expect(come('/mcp', { id: 't', profiles: [] }).status).toBe(403)
})
