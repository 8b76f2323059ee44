import { describe, expect, test } from 'vitest'
import { MODERN_META } from '../../../../src/protocol/eras.ts'
import type { JsonObject } from '../../../../src/protocol/json.ts'
import {
  event,
  events,
  json,
  loopback,
  notification,
  request,
  resultFor,
  transport,
} from '../../../support/loopback.ts'

const modern = { era: 'modern' as const }
const meta = { [MODERN_META.protocolVersion]: '2026-07-28' }
const params = (rest: JsonObject): JsonObject => ({ ...rest, _meta: meta })

describe('headers', () => {
  test.each([
    ['tools/call', { name: 'read' }, 'read'],
    ['tools/call', { name: 'größe' }, '=?base64?Z3LDtsOfZQ==?='],
    ['prompts/get', { name: 'a\r\nX-Evil: 1' }, '=?base64?YQ0KWC1FdmlsOiAx?='],
    ['resources/read', { uri: 'a://b' }, 'a://b'],
    ['tasks/get', { taskId: '7' }, '7'],
    ['tools/list', { name: 'read' }, undefined],
    ['tools/call', {}, undefined],
  ])('of %s with %j name it %s', async (method, rest, name) => {
    const server = await loopback((seen, response) => json(response, resultFor(seen)))
    const it = await transport(server.url, modern)
    await it.send(request(1, method, params(rest)))
    expect(server.seen[0]?.headers).toMatchObject({
      'mcp-method': method,
      'mcp-protocol-version': '2026-07-28',
    })
    expect(server.seen[0]?.headers['mcp-name']).toBe(name)
    expect(server.seen[0]?.headers['x-evil']).toBeUndefined()
  })

  test('of an unknown method are ignored', async () => {
    const server = await loopback((seen, response) => json(response, resultFor(seen)))
    const it = await transport(server.url, modern)
    await it.send(request(1, 'a\r\nX-Evil: 1', { _meta: { ...meta, [MODERN_META.protocolVersion]: '\n' } }))
    expect(server.seen[0]?.headers).toMatchObject({
      'mcp-method': '=?base64?YQ0KWC1FdmlsOiAx?=',
      'mcp-protocol-version': '=?base64?Cg==?=',
    })
  })

  test('given for one message are sent with it, and replace none of ours', async () => {
    const server = await loopback((seen, response) => json(response, resultFor(seen)))
    const it = await transport(server.url, { ...modern, headers: { Authorization: 'Bearer configured' } })
    const headers = {
      'Mcp-Param-Region': 'eu',
      authorization: 'Bearer other',
      'MCP-Method': 'x',
      host: 'evil',
    }
    await it.send(request(1, 'tools/call', params({ name: 'a' })), { headers })
    await it.send(request(2, 'tools/call', params({ name: 'a' })))
    const [first, second] = server.seen
    expect(first?.headers).toMatchObject({
      'mcp-param-region': 'eu',
      authorization: 'Bearer configured',
      'mcp-method': 'tools/call',
      host: new URL(server.url).host,
    })
    expect(second?.headers['mcp-param-region']).toBeUndefined()
  })
})

test('there is no session: no id is kept, no stream opened, no end told', async () => {
  const server = await loopback((seen, response) =>
    json(response, resultFor(seen), 200, { 'mcp-session-id': 'x' }),
  )
  const it = await transport(server.url, modern)
  await it.send(request(1, 'server/discover', params({})))
  it.setProtocolVersion('2026-07-28')
  await it.send(request(2, 'tools/list', {}))
  await it.close()
  expect(server.seen.map(({ method }) => method)).toEqual(['POST', 'POST'])
  expect(server.seen[1]?.headers['mcp-session-id']).toBeUndefined()
  expect(server.seen[1]?.headers['mcp-protocol-version']).toBe('2026-07-28')
})

describe('cancelling', () => {
  test('leaves the stream and sends nothing', async () => {
    const gone: unknown[] = []
    const server = await loopback((seen, response) => {
      events(response, event({ jsonrpc: '2.0', method: 'notifications/progress', params: {} }))
      response.on('close', () => gone.push(seen.body.id))
    })
    const it = await transport(server.url, modern)
    await Promise.all([it.send(request(1)), it.send(request(2))])
    await it.send(notification('notifications/cancelled', { requestId: 1 }))
    await expect.poll(() => gone).toEqual([1])
    expect(server.seen).toHaveLength(2)
    await it.send(notification('notifications/cancelled', { requestId: 'unknown' }))
    expect(it.received.every(({ message }) => 'method' in message)).toBe(true)
  })

  test('reaches a request that has no answer yet', async () => {
    let gone = false
    const server = await loopback((_, response) => {
      response.on('close', () => {
        gone = true
      })
    })
    const it = await transport(server.url, modern)
    const sent = it.send(request(1))
    await expect.poll(() => server.seen).toHaveLength(1)
    await it.send(notification('notifications/cancelled', { requestId: 1 }))
    await sent
    await expect.poll(() => gone).toBe(true)
    expect(it.received).toEqual([])
  })
})

describe('a refusal', () => {
  test.each([
    [404, 1, -32601],
    [400, 1, -32602],
    [400, null, -32020],
    [400, undefined, -32021],
    [400, 1, -32022],
    [500, 1, -32603],
  ])('HTTP %i with a JSON-RPC error under id %s is the answer', async (status, id, code) => {
    const error = { code, message: 'no', data: { supported: ['x'] }, 'x-unknown': 1 }
    const server = await loopback((_, response) => json(response, { jsonrpc: '2.0', id, error }, status))
    const it = await transport(server.url, modern)
    await it.send(request(1))
    expect(it.received).toEqual([{ message: { jsonrpc: '2.0', id: 1, error }, via: 1 }])
  })

  test.each([
    [404, 'nothing here', 'nothing here'],
    [405, '', 'Method Not Allowed'],
    [400, '{"jsonrpc":"2.0","id":2,"error":{"code":-32600,"message":"of another"}}', 'of another'],
    [400, '{"error":"invalid_request","error_description":"in words"}', 'in words'],
    [400, '{"error":{"code":"text"}}', '{"error":{"code":"text"}}'],
    [502, 'a\u001b[31m\r\nb', 'a [31m b'],
  ])('HTTP %i with %j is told in words', async (status, body, words) => {
    const server = await loopback((_, response) => void response.writeHead(status).end(body))
    const it = await transport(server.url, modern)
    await expect(it.send(request(1))).rejects.toMatchObject({ status, message: `HTTP ${status}: ${words}` })
    expect(it.received).toEqual([])
  })

  test('is cut', async () => {
    const server = await loopback((_, response) => void response.writeHead(500).end('a b\n'.repeat(200)))
    const it = await transport(server.url, modern)
    await expect(it.send(request(1))).rejects.toThrow(`HTTP 500: ${'a b '.repeat(50).trim()}`)
  })

  test.each([202, 204])('is what HTTP %i is to a request', async (status) => {
    const server = await loopback((_, response) => void response.writeHead(status).end())
    const it = await transport(server.url, modern)
    await expect(it.send(request(1))).rejects.toThrow(`HTTP ${status}: no answer`)
  })

  test('of a page shows no page', async () => {
    const server = await loopback((_, response) => {
      response.writeHead(502, { 'content-type': 'text/html; charset=utf-8' }).end('<!DOCTYPE html>…')
    })
    const it = await transport(server.url, modern)
    await expect(it.send(request(1))).rejects.toThrow('HTTP 502: Bad Gateway')
  })
})

test('a stream that ends before the answer is not taken up, ids or not', async () => {
  const server = await loopback((_, response) => {
    events(response, 'id: 1\ndata:\n\n')
    response.end()
  })
  const it = await transport(server.url, modern)
  await it.send(request(1))
  await expect
    .poll(() => it.received.map(({ message }) => message))
    .toMatchObject([{ id: 1, error: { message: 'closed the stream before the answer' } }])
  expect(server.seen).toHaveLength(1)
})
