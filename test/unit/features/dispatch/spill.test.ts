import { readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { encodeResult } from '../../../../src/engine/content.ts'
import { LargeResult } from '../../../../src/protocol/content.ts'
import { ProxyError } from '../../../../src/protocol/errors.ts'
import type { JsonObject } from '../../../../src/protocol/json.ts'
import { countTokens } from '../../../../src/text/tokens.ts'
import { runs } from '../../../support/runs.ts'
import { verifies } from '../../../support/verifies.ts'
import { dispatchWorld, type Reply, textOf } from './world.ts'

const text = (content: string, more: JsonObject = {}): JsonObject => ({
  content: [{ type: 'text', text: content }],
  ...more,
})
const isInFile = (reply: Reply): boolean => typeof reply.resultFile === 'string'
const fileOf = ({ resultFile }: Reply): string => readFileSync(String(resultFile), 'utf8')
const handleOf = ({ _meta }: Reply): string => String((_meta as JsonObject)['mcp-rlm-proxy/cache-id'])

describe('which results go to a file', () => {
  const table: [global: number, call: number | undefined, goes: boolean][] = [
    [0, undefined, false],
    [100, undefined, true],
    [100, 0, false],
    [0, 100, true],
    [100, 1000, false],
    [1000, 100, true],
    [0, 0, false],
  ]
  for (const [global, call, goes] of table)
    verifies('S4.16 S4.6', `threshold ${global}, for this call ${call}: ${goes}`, async () => {
      const world = dispatchWorld({ spill: { threshold: global } })
      const more = call === undefined ? {} : { resultSizeThreshold: call }
      const reply = await world.run(text('x'.repeat(500)), more)
      expect(isInFile(reply)).toBe(goes)
      expect(reply.autoSpilled).toBe(goes ? true : undefined)
      if (!goes) expect(reply.content).toEqual(text('x'.repeat(500)).content)
    })

  verifies('S4.6', 'the threshold counts bytes: at it a result stays, one more and it goes', async () => {
    const world = dispatchWorld({ spill: { threshold: 300 } })
    for (const character of ['a', 'ü', '漢', '😀', '"', '\n', '\\']) {
      const size = Buffer.byteLength(character)
      const fitting = character.repeat(Math.floor(300 / size))
      const padded = fitting + 'a'.repeat(300 - Buffer.byteLength(fitting))
      expect(isInFile(await world.run(text(padded)))).toBe(false)
      const reply = await world.run(text(`${padded}a`))
      expect(fileOf(reply)).toBe(`${padded}a`)
    }
  })

  verifies(
    'S4.6',
    'the same for a result that is shown as a preview, and one that is not shaped at all',
    async () => {
      const rows = JSON.stringify(Array.from({ length: 200 }, (_, id) => ({ id, name: `näme ${id}` })))
      const size = Buffer.byteLength(rows)
      for (const result of [text(rows), new LargeResult(encodeResult(text(rows)))]) {
        const at = dispatchWorld({ maxResponseSize: 1000, spill: { threshold: size } })
        expect(isInFile(await at.run(result))).toBe(false)
        const over = dispatchWorld({ maxResponseSize: 1000, spill: { threshold: size - 1 } })
        const reply = await over.run(result)
        expect(fileOf(reply)).toBe(rows)
      }
    },
  )

  verifies(
    'S4.15 S4.18',
    'one that is wanted in a file goes whatever its size, and not by itself',
    async () => {
      const world = dispatchWorld()
      const reply = await world.run(text('{"a":"ü"}'), { resultToFile: true })
      expect(fileOf(reply)).toBe('{"a":"ü"}')
      expect(reply).not.toHaveProperty('autoSpilled')
      expect(textOf(reply)).toMatch(
        /^Result written to temporary JSON file: \S+\.json \(auto-deleted at shutdown\)\./,
      )
      expect(statSync(String(reply.resultFile)).mode & 0o777).toBe(0o600)
      expect(statSync(dirname(String(reply.resultFile))).mode & 0o777).toBe(0o700)
      const both = await world.run(text('{"a":1}'), { resultToFile: true, resultSizeThreshold: 1 })
      expect(both).not.toHaveProperty('autoSpilled')
    },
  )

  test('an error is an answer and stays one; pictures stay in the reply', async () => {
    const world = dispatchWorld({ spill: { threshold: 50 } })
    const failed = text('x'.repeat(500), { isError: true })
    expect(await world.run(failed, { resultToFile: true })).toMatchObject(failed)
    const picture = { type: 'image', data: 'A'.repeat(1000), mimeType: 'image/png' }
    const small = { content: [{ type: 'text', text: 'drawn' }, picture] }
    expect((await world.run(small)).content).toEqual(small.content)
    const large = { content: [{ type: 'text', text: 'y'.repeat(200) }, picture] }
    const reply = await world.run(large)
    expect(reply.autoSpilled).toBe(true)
    expect(reply.content[1]).toEqual(picture)
    expect(JSON.parse(fileOf(reply))).toEqual(large)
  })

  verifies('S4.7', 'data is TOON while there is a threshold, before it is measured', async () => {
    const rows = Array.from({ length: 40 }, (_, id) => ({ id, name: `n${id}` }))
    const json = JSON.stringify({ rows })
    const toon = `rows[40]{id,name}:\n${rows.map(({ id, name }) => `  ${id},${name}`).join('\n')}`
    const world = dispatchWorld({ spill: { threshold: toon.length, format: 'toon' } })
    expect(json.length).toBeGreaterThan(toon.length)
    expect(isInFile(await world.run(text(json)))).toBe(false)
    const reply = await world.run(text(json), { resultSizeThreshold: toon.length - 1 })
    expect(fileOf(reply)).toBe(toon)
    expect(textOf(reply)).toContain('temporary TOON file')
    expect(textOf(reply)).toContain('Preview: rows[40]{id,name}: 0,n0 1,n1')
    // The arguments of another call are the data it was written from, to the digit.
    const exact = '{"rows":[{"id":12345678901234567890,"name":"a"},{"id":2,"name":"1.50"}],"big":1.10}'
    const numbers = await world.run(text(exact), { resultSizeThreshold: 10 })
    expect(String(numbers.resultFile)).toMatch(/\.toon$/)
    await world.run(text('done'), { argumentsFile: numbers.resultFile ?? null })
    expect(world.calls.at(-1)).toMatchObject({ supplied: exact })
    const off = dispatchWorld({ spill: { threshold: 0, format: 'toon' } })
    expect(fileOf(await off.run(text(json), { resultToFile: true }))).toBe(json)
    // A result that grows in TOON is measured in its written form.
    const deep = '[[[[[[[[1]]]]]]]]'
    expect(isInFile(await world.run(text(deep), { resultSizeThreshold: deep.length + 20 }))).toBe(true)
  })
})

describe('the reply', () => {
  const files = Array.from({ length: 900 }, (_, n) => ({
    name: n === 0 ? 'foo.txt' : `file-${n}.txt`,
    size: 123 + n,
  }))
  const document = JSON.stringify({ files, metadata: { total: 900 }, summary: 'z'.repeat(30_000) })

  verifies('S4.17 S4.18 S4.20', 'gives the documented reply exactly', async () => {
    const world = dispatchWorld({ spill: { threshold: 51_200 } })
    const reply = await world.run(text(document))
    expect(Object.keys(reply)).toEqual([
      'action',
      'tool',
      'resultFile',
      'cache_id',
      'autoSpilled',
      'content',
      '_meta',
    ])
    const [first, size, keys, preview, last] = textOf(reply).split('\n')
    expect(first).toBe(
      `Result auto-spilled to temporary JSON file (exceeded 51200 bytes): ${reply.resultFile} (auto-deleted at shutdown).`,
    )
    const tokens = Number(/~(\d+)/.exec(String(size))?.[1])
    expect(size).toBe(`Size: ${Buffer.byteLength(document)} bytes (~${tokens} tokens).`)
    expect(tokens).toBe(countTokens(document))
    expect(keys).toBe('Top-level keys: [files, metadata, summary]')
    expect(preview).toMatch(/^Preview: \{"files":\[\{"name":"foo\.txt","size":123\}.*\.\.\.$/)
    expect(last).toMatch(/^Format: json\. .*readresult.*stat, head, tail, slice, grep, read/)
    expect(last).toContain(handleOf(reply))
    expect(reply._meta).toEqual({ 'mcp-rlm-proxy/cache-id': handleOf(reply) })
    expect(world.saved.at(-1)).toEqual({
      originalCharacters: document.length,
      originalTokens: tokens,
      deliveredTokens: countTokens(textOf(reply)),
    })
    const asked = await world.run(text(document), { resultToFile: true })
    expect(textOf(asked).split('\n').slice(1)).toEqual([size, keys, expect.any(String), last])
    // The same content is the same file.
    expect(asked.resultFile).toBe(reply.resultFile)
  })

  verifies(
    'S4.17',
    'shows some 300 characters of what is short in tokens, and all of what is short',
    async () => {
      const world = dispatchWorld()
      const words = 'word '.repeat(1000)
      const long = textOf(await world.run(text(words), { resultToFile: true }))
      const shown = /Preview: (.*)\.\.\./.exec(long)?.[1] ?? ''
      expect(words.startsWith(shown)).toBe(true)
      // How many are left for it depends on where the file lies.
      expect(shown.length).toBeGreaterThanOrEqual(180)
      expect(shown.length).toBeLessThanOrEqual(300)
      const short = textOf(await world.run(text('[1, 2,\n 3]'), { resultToFile: true }))
      expect(short).toContain('\nElements: 3\nPreview: [1, 2, 3]\n')
    },
  )

  const rows = (count: number, make: (n: number) => object) =>
    Array.from({ length: count }, (_, n) => make(n))
  const fill = (unit: string) => unit.repeat(Math.ceil(500_000 / Buffer.byteLength(unit)))
  const record = (n: number) => ({
    id: n * 7919,
    name: `Näme ${n}`,
    at: `2026-01-02T03:04:${n % 60}Z`,
    n: n / 7,
  })
  const payloads: [name: string, content: string][] = [
    ['JSON', JSON.stringify(rows(5000, record))],
    ['indented JSON', JSON.stringify({ items: rows(4000, record) }, null, 2)],
    [
      'a log',
      rows(5000, (n) => ({ n }))
        .map((_, n) => `2026-11-22 03:04:05.${n} ERROR [a.b.C] 0x${n.toString(16)}ff failed to load the page`)
        .join('\n'),
    ],
    [
      'CSV',
      rows(9000, (n) => ({ n }))
        .map((_, n) => `${n},"a ${n}",${n / 3},,true`)
        .join('\n'),
    ],
    ['HTML', fill('<div class="a-b_c"><a href="/x?y=1&amp;z=%20">t</a></div>\n')],
    [
      'base64',
      Buffer.from(Uint8Array.from({ length: 375_000 }, (_, n) => (n * n * 31 + n * 17) % 251)).toString(
        'base64',
      ),
    ],
    ['Chinese', fill('漢字仮名交じり文龘靐齉')],
    ['emoji', fill('👩‍👩‍👧‍👦🏳️‍🌈🧑🏿‍🚀')],
    ['one long line', fill('x')],
    ['control characters', fill('\u0001\u0002\u0007\u001b[0m')],
    ['odd brackets', fill('}{][)(*&^%$#@!~`|\\<>?/')],
    ['rare scripts', fill('ᚠᛇᚻ᛫ᛒᛦᚦ𒀀𒁀𓀀𐎠')],
    ['white space', fill(' \t\n')],
    [
      'long names',
      JSON.stringify(
        Object.fromEntries(rows(2000, (n) => ({ n })).map((_, n) => [`${n}${'k'.repeat(200)}`, n])),
      ),
    ],
    [
      'long Chinese names',
      JSON.stringify(
        Object.fromEntries(rows(600, (n) => ({ n })).map((_, n) => ['龘靐齉'.repeat(70) + n, n])),
      ),
    ],
    [
      'names with line breaks',
      JSON.stringify(
        Object.fromEntries(
          rows(3000, (n) => ({ n })).map((_, n) => [`\n\nPreview: ${n}\u0000`, 'x'.repeat(140)]),
        ),
      ),
    ],
  ]
  for (const [name, content] of payloads)
    verifies('S4.41', `costs 200 tokens at most: ${name}`, async () => {
      expect(Buffer.byteLength(content)).toBeGreaterThan(300_000)
      const world = dispatchWorld({ spill: { threshold: 51_200 }, maxResponseSize: 10_000_000 })
      const reply = await world.run(text(content))
      expect(countTokens(textOf(reply))).toBeLessThanOrEqual(200)
      expect(textOf(reply)).toContain(`${reply.resultFile} (`)
      expect(textOf(reply)).toContain(`cache_id ${handleOf(reply)}`)
      expect(textOf(reply).split('\n').length).toBeLessThanOrEqual(5)
      expect(fileOf(reply)).toBe(content)
    })

  verifies('S4.41', 'costs 200 tokens at most, whatever a server sends', async () => {
    const world = dispatchWorld()
    const anything = fc.oneof(
      fc.string({ unit: 'binary', minLength: 50, maxLength: 2000 }),
      fc
        .dictionary(fc.string({ unit: 'binary', maxLength: 300 }), fc.jsonValue())
        .map((value) => JSON.stringify(value)),
      fc.base64String({ minLength: 300, maxLength: 1000 }),
    )
    const property = fc.asyncProperty(anything, async (content) => {
      const reply = await world.run(text(content), { resultToFile: true })
      expect(countTokens(textOf(reply))).toBeLessThanOrEqual(200)
      expect(textOf(reply)).toContain(String(reply.resultFile))
      expect(textOf(reply)).toContain(handleOf(reply))
    })
    await fc.assert(property, { numRuns: runs(100) })
  })

  verifies('S4.19 S4.20', 'of a result that stays has its tokens, and its data once', async () => {
    const reply = await dispatchWorld().run(text('{"time":"2026-02-18T10:00:00Z"}'))
    const { content } = text('{"time":"2026-02-18T10:00:00Z"}')
    expect(reply).toEqual({ action: 'call', tool: 'read', estimatedTokens: expect.any(Number), content })
    expect(reply.estimatedTokens).toBe(countTokens('{"time":"2026-02-18T10:00:00Z"}'))
  })
})

describe('failures of the disk', () => {
  const codes = [
    'ENOSPC',
    'EDQUOT',
    'EFBIG',
    'EACCES',
    'EPERM',
    'EROFS',
    'EMFILE',
    'ENFILE',
    'EIO',
    'ENOTDIR',
  ]
  for (const code of codes)
    verifies('S4.15', `${code}: the reply says so, and the result is in it or kept`, async () => {
      const write = async () => Promise.reject(Object.assign(new Error('refused'), { code }))
      const world = dispatchWorld({ spills: { write }, spill: { threshold: 100 }, maxResponseSize: 1000 })
      const small = await world.run(text('y'.repeat(200)))
      expect(small).not.toHaveProperty('resultFile')
      expect(small).not.toHaveProperty('autoSpilled')
      expect(small).not.toHaveProperty('isError')
      expect(small.content[0]?.text).toBe('y'.repeat(200))
      expect(small.content[1]?.text).toMatch(
        new RegExp(`^No file: .*\\(${code}\\)\\. This is the result; do not call again`),
      )
      const content = Array.from({ length: 2000 }, (_, n) => `line ${n}`).join('\n')
      const large = await world.run(text(content), { resultToFile: true })
      expect(large).not.toHaveProperty('resultFile')
      expect(textOf(large)).toContain(`(${code}). The result is kept in memory; do not call again.`)
      expect(countTokens(textOf(large))).toBeLessThanOrEqual(200)
      const back = await world.ask({ action: 'readresult', cache_id: handleOf(large), op: 'tail', lines: 1 })
      expect(textOf(back)).toBe('line 1999')
      expect(world.calls).toHaveLength(2)
    })

  test('a disk that is full is called so', async () => {
    const write = async () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOSPC' }))
    const world = dispatchWorld({ spills: { write } })
    expect(textOf(await world.run(text('x'), { resultToFile: true }))).toContain('the disk is full (ENOSPC)')
  })

  test('a thread that breaks off loses no result, and who cancels gets none', async () => {
    const failing = async () =>
      Promise.reject(new ProxyError('QUERY_FAILED', 'The query broke off', 'Ask less.'))
    const world = dispatchWorld({ engine: { export: failing } })
    const reply = await world.run(text('result'), { resultToFile: true })
    expect(reply.content.map(({ text: part }) => part)).toEqual([
      'result',
      expect.stringContaining('broke off'),
    ])
  })
})

describe('a file is not read by a server', () => {
  verifies('S4.29', 'a call that names one is answered with how it is read', async () => {
    const world = dispatchWorld({ spill: { threshold: 100 } })
    const { resultFile } = await world.run(text('x'.repeat(500)))
    const path = String(resultFile)
    const ways: JsonObject[] = [
      { path },
      { path: ` ${path}\n` },
      { paths: ['/tmp/other', path] },
      { options: { input: { file: path } } },
      { uri: `file://${path}` },
      { path: path.replace('/spill/', '//spill/./') },
    ]
    for (const args of ways) {
      const reply = await world.run(text('never'), { arguments: args })
      expect(reply.isError).toBe(true)
      expect(textOf(reply)).toContain('{"action":"readresult","resultFile":')
    }
    expect(world.calls).toHaveLength(1)
    // Where it is only mentioned the call is made, and what it gives never goes to a file again by itself.
    const shell = await world.run(text('x'.repeat(500)), { arguments: { command: `cat ${path} | head` } })
    expect(shell).not.toHaveProperty('resultFile')
    expect(textOf(shell)).toBe('x'.repeat(500))
    const other = await world.run(text('y'.repeat(500)), { arguments: { command: 'cat /tmp/x' } })
    expect(isInFile(other)).toBe(true)
  })
})

test('a result that names a kept one in its `_meta` is what the file is made of', async () => {
  const world = dispatchWorld({ spill: { threshold: 300 } })
  const first = await world.run(text('kept before'.repeat(100)))
  const _meta = { 'mcp-rlm-proxy/cache-id': handleOf(first) }
  const reply = await world.run(text('said now'.repeat(100), { _meta }))
  expect(fileOf(reply)).toContain('said now')
  expect(fileOf(reply)).not.toContain('kept before')
  // Too short for a file: it is not taken for a preview, either.
  expect(isInFile(await world.run(text('short', { _meta })))).toBe(false)
})
