import { expect, test } from 'vitest'
import { verifies } from '../support/verifies.ts'
import { fixture, handleOf, startProxy, textOf } from './support/world.ts'

const servers = { f: fixture('f') }

verifies('S3.7', 'passes byte for byte at the limit, keeps and previews one character above it', async () => {
  const { call } = await startProxy({ servers, settings: { maxResponseSize: 1000, previewSize: 600 } })
  const at = await call('f_text', { size: 1000 })
  expect(at).toEqual({ content: [{ type: 'text', text: 'a'.repeat(1000) }] })
  const above = await call('f_text', { size: 1001 })
  const handle = handleOf(above)
  expect(handle).toMatch(/^[0-9a-z]{12}$/)
  expect(textOf(above)).toContain(handle)
  expect(textOf(above).length).toBeLessThanOrEqual(1000)
  expect(textOf(above)).toContain(' 1,001 bytes')
  const whole = await call('proxy_search', { cache_id: handle, pattern: 'a{1001}' })
  expect(textOf(whole)).toMatch(/^1 /)
})

verifies('S3.7', 'the same result fetched again has the same handle and the same preview', async () => {
  const { call } = await startProxy({ servers, settings: { repeats: 'preview' } })
  const first = await call('f_records', { count: 500 })
  const second = await call('f_records', { count: 500 })
  expect(second).toEqual(first)
  const other = await call('f_records', { count: 501 })
  expect(handleOf(other)).not.toBe(handleOf(first))
})

test('the same result fetched again is told in three lines, and asked by the handle in them', async () => {
  const { call } = await startProxy({ servers })
  const first = await call('f_records', { count: 500 })
  const second = await call('f_records', { count: 500 })
  expect(textOf(second).split('\n')).toHaveLength(3)
  expect(textOf(second)).toContain('unchanged since you got it before')
  expect(handleOf(second)).toBe(handleOf(first))
  expect(textOf(await call('proxy_filter', { cache_id: handleOf(second), aggregate: ['count'] }))).toContain(
    '500',
  )
})

verifies('S3.8', 'with truncation switched off a large result passes as it is', async () => {
  const { call } = await startProxy({ servers, settings: { enableAutoTruncation: false } })
  const result = await call('f_text', { size: 300_000 })
  expect(result).toEqual({ content: [{ type: 'text', text: 'a'.repeat(300_000) }] })
  const typed = await call('f_typed')
  expect(typed.structuredContent).toEqual(JSON.parse(textOf(typed)))
})

verifies('S3.9', 'an own message replaces the first line, its placeholders filled in', async () => {
  const truncationMessage = 'CUT {cache_id} of {size} characters ({tokens} tokens), limit {limit}.'
  const { call } = await startProxy({ servers, settings: { truncationMessage } })
  const result = await call('f_text', { size: 60_000 })
  expect(textOf(result)).toMatch(/^CUT [0-9a-z]{12} of 60,?000 characters \([\d,]+ tokens\), limit 8,?000\./)
  expect(textOf(result)).toContain(handleOf(result))
})

verifies(
  'S3.10',
  'isError, images, audio, resources, _meta, annotations and unknown fields survive',
  async () => {
    const { call } = await startProxy({ servers })
    const image = {
      type: 'image',
      data: 'iVBORw0KGgo='.repeat(4000),
      mimeType: 'image/png',
      annotations: { priority: 1 },
    }
    const resource = {
      type: 'resource',
      resource: { uri: 'file:///x', mimeType: 'application/octet-stream', blob: 'QUJD'.repeat(5000) },
    }
    const link = { type: 'resource_link', uri: 'file:///y', name: 'y', icons: [{ src: 'data:,' }] }
    const unknown = { type: 'video', url: 'https://example.org/v', extra: { deep: [1] } }
    const long = { type: 'text', text: 'word '.repeat(5000), annotations: { audience: ['user'] } }
    const result = {
      content: [image, long, resource, link, unknown],
      _meta: { 'example.org/a': { b: 1 } },
      future: [1],
    }
    const raw = await (await startProxy({ servers })).client.request(
      { method: 'tools/call', params: { name: 'f_give', arguments: { result } } },
      { '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) } } as never,
    )
    const shaped = raw as unknown as typeof result & { content: { type: string; text?: string }[] }
    expect(shaped.content.map(({ type }) => type)).toEqual([
      'image',
      'text',
      'resource',
      'resource_link',
      'video',
    ])
    expect(shaped.content[0]).toEqual(image)
    expect(shaped.content.slice(2)).toEqual([resource, link, unknown])
    expect(shaped._meta).toMatchObject(result._meta)
    expect(shaped.future).toEqual([1])
    expect(String((shaped.content[1] as { text?: string }).text).length).toBeLessThan(3000)

    const failure = { content: [{ type: 'text', text: 'e'.repeat(20_000) }], isError: true }
    expect(await call('f_give', { result: failure })).toEqual(failure)
    const longFailure = await call('f_give', {
      result: { content: [{ type: 'text', text: 'e'.repeat(40_000) }], isError: true },
    })
    expect(longFailure.isError).toBe(true)
    expect(textOf(longFailure).length).toBeLessThan(3000)
  },
)

verifies('S3.10', 'a preview stands in content alone, and no output schema is listed', async () => {
  const { client, call } = await startProxy({ servers })
  const { tools } = await client.listTools()
  expect(tools.filter(({ outputSchema }) => outputSchema !== undefined)).toEqual([])
  for (const name of ['f_typed', 'f_strict']) {
    const shaped = await call(name)
    expect(shaped).not.toHaveProperty('structuredContent')
    expect(Object.keys(shaped._meta ?? {})).toEqual(['mcp-rlm-proxy/cache-id'])
    expect(textOf(shaped)).toContain(`cache_id ${handleOf(shaped)} keeps the whole result`)
  }
})

verifies(
  'S3.10',
  'a server or a tool that keeps structured content has it in a form that says it was cut',
  async () => {
    for (const [entry, kept] of [
      [{ structured: 'keep' }, ['f_typed', 'f_strict']],
      [{ tools: { structured: ['str*'] } }, ['f_strict']],
    ] as const) {
      const { client, call } = await startProxy({ servers: { f: { ...fixture('f'), ...entry } } })
      const { tools } = await client.listTools()
      const listed = tools.filter(({ outputSchema }) => outputSchema !== undefined).map(({ name }) => name)
      expect(listed).toEqual(kept)
      // The client knows the schemas now and rejects what breaks them.
      for (const name of kept) {
        const shaped = await call(name)
        expect(shaped.structuredContent).toEqual({ cache_id: handleOf(shaped), preview: textOf(shaped) })
      }
    }
  },
)

verifies('S3.10', 'sends duplicate structured content once, and structure without text as text', async () => {
  const { call } = await startProxy({ servers })
  const value = { rows: [{ id: 1, name: 'one' }] }
  const text = [{ type: 'text', text: JSON.stringify(value) }]
  expect(await call('f_give', { result: { content: text, structuredContent: value } })).toEqual({
    content: text,
  })
  expect(await call('f_give', { result: { content: [], structuredContent: value } })).toEqual({
    content: text,
  })
  const differing = { content: [{ type: 'text', text: 'One row.' }], structuredContent: value }
  expect(await call('f_give', { result: differing })).toEqual(differing)
  // Longer than what is parsed at once.
  const long = 'word '.repeat(1400)
  const wrapped = { content: [{ type: 'text', text: long }], structuredContent: { result: long } }
  expect(await call('f_give', { result: wrapped })).toEqual({ content: wrapped.content })
})

verifies('S3.12', 'every call a preview suggests works on that result', async () => {
  const { call } = await startProxy({ servers })
  const results = [
    await call('f_records', { count: 400 }),
    await call('f_big', { bytes: 30_000 }),
    await call('f_give', {
      result: {
        content: [
          {
            type: 'text',
            text: Array.from(
              { length: 900 },
              (_, n) =>
                `2026-01-01T00:00:${String(n % 60).padStart(2, '0')}Z ${n % 9 ? 'INFO' : 'ERROR'} job ${n} done`,
            ).join('\n'),
          },
        ],
      },
    }),
    await call('f_give', {
      result: {
        content: [
          {
            type: 'text',
            text: JSON.stringify(
              Object.fromEntries(
                Array.from({ length: 300 }, (_, n) => [
                  `t${n}.micro`,
                  { vcpu: n % 8, memory: { mib: n * 10 } },
                ]),
              ),
            ),
          },
        ],
      },
    }),
    await call('f_give', {
      result: {
        content: [
          {
            type: 'text',
            text: ['a,b,c', ...Array.from({ length: 2000 }, (_, n) => `${n},x${n % 5},"q, ${n}"`)].join('\n'),
          },
        ],
      },
    }),
    await call('f_give', {
      result: {
        content: [
          {
            type: 'text',
            text: Array.from({ length: 600 }, (_, n) => `# Part ${n}\n\nSome words about part ${n}.\n`).join(
              '\n',
            ),
          },
        ],
      },
    }),
  ]
  for (const result of results) {
    const suggested = [
      ...textOf(result).matchAll(/\b(proxy_(?:filter|search|explore)) (\{.*?\})(?=$|[\n·]| or )/gm),
    ]
    expect(suggested.length, textOf(result)).toBeGreaterThan(0)
    for (const [, tool = '', args = ''] of suggested) {
      const answer = await call(tool, JSON.parse(args))
      expect(answer.isError, `${tool} ${args}: ${textOf(answer)}`).toBeFalsy()
      expect(textOf(answer), `${tool} ${args}`).not.toMatch(/^0 (of|records|hits|lines)/)
    }
  }
})
