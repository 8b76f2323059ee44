import type { IncomingMessage, ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import { isLoopback } from '../../../../src/config/loopback.ts'
import { createGuard } from '../../../../src/server/http/listen.ts'
import { requestUrl } from '../../../../src/server/http/request.ts'

function allows(bound: string, headers: Record<string, string>): boolean {
  const response = { writeHead: () => {}, end: () => {} } as unknown as ServerResponse
  return createGuard(bound)({ headers } as unknown as IncomingMessage, response)
}

describe('guard', () => {
  test.each([
    ['127.0.0.1', 'localhost:8000'],
    ['::1', '[::1]:8000'],
    ['fe80::1', '[fe80::1]:8000'],
    ['[FE80:0:0::1]', '[fe80::1]:8000'],
    ['MyHost.local', 'myhost.local:8000'],
    ['::', 'any.name:8000'],
    ['[::]', 'any.name:8000'],
    ['0.0.0.0', 'any.name:8000'],
  ])('bound to %s it serves %s', (bound, host) => {
    expect(allows(bound, { host })).toBe(true)
  })

  test.each([
    ['127.0.0.1', { host: 'evil.example' }],
    ['fe80::1', { host: 'evil.example' }],
    ['::', { host: 'evil.example', origin: 'http://evil.example' }],
    ['127.0.0.1', { host: 'localhost', origin: 'null' }],
    ['127.0.0.1', {}],
  ])('bound to %s it refuses %o', (bound, headers) => {
    expect(allows(bound, headers as Record<string, string>)).toBe(false)
  })

  test('knows addresses of this machine in every spelling', () => {
    for (const host of ['localhost', 'LOCALHOST', '127.0.0.1', '127.1', '::1', '[::1]', '0:0:0:0:0:0:0:1'])
      expect(isLoopback(host), host).toBe(true)
    for (const host of ['0.0.0.0', '::', '10.0.0.1', '127.0.0.1.example.com'])
      expect(isLoopback(host), host).toBe(false)
  })
})

test('a request for what is no address goes to the root', () => {
  for (const url of ['//', 'http://[', undefined])
    expect(requestUrl({ url } as IncomingMessage).pathname).toBe('/')
  expect(requestUrl({ url: '/messages?sessionId=1' } as IncomingMessage).searchParams.get('sessionId')).toBe(
    '1',
  )
})
