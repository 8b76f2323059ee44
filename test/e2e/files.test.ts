import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { madePdf, madePicture, madePng, madeWav, madeXlsx, madeZip } from '../support/made-files.mjs'
import {
  handleOf,
  type RunningProxy,
  startProxy,
  type ToolResult,
  temporaryDirectory,
  textOf,
} from './support/world.ts'

const SERVER = fileURLToPath(new URL('../support/servers/files.mjs', import.meta.url))

/** A proxy before a server that has these files. */
async function filesProxy(
  files: Readonly<Record<string, Buffer | string>>,
  settings: Record<string, unknown> = {},
  modules: object[] = [],
): Promise<RunningProxy> {
  const directory = join(temporaryDirectory(), 'files')
  mkdirSync(directory)
  for (const [name, content] of Object.entries(files)) writeFileSync(join(directory, name), content)
  const f = { command: process.execPath, args: [SERVER, directory] }
  return startProxy({ servers: { f }, settings, modules })
}

/** The package that scales pictures has no binary for every machine. */
const CAN_SCALE = await import('sharp').then(
  () => true,
  () => false,
)

const sizeOf = (result: unknown): number => JSON.stringify(result).length
const PAGES = Array.from(
  { length: 40 },
  (_, page) => `Chapter ${page}\nThe secret of page ${page} is ${page * 37}.`,
)
const NOISE = 1_500_000

interface Link {
  type: string
  uri: string
  mimeType: string
  size: number
  name: string
}
const linksOf = ({ content }: ToolResult): Link[] =>
  content.filter(({ type }) => type === 'resource_link') as unknown as Link[]

describe('a file in a result', () => {
  test.each(['resource', 'text'])(
    'that is a PDF of 1.5 MB as %s is a link and a preview of its text, and is asked by questions',
    async (as) => {
      const pdf = madePdf(PAGES, NOISE)
      const { call, client } = await filesProxy({ 'report.pdf': pdf })
      const reply = await call('f_read', { name: 'report.pdf', as })
      expect(sizeOf(reply)).toBeLessThan(4000)
      const handle = handleOf(reply)
      expect(textOf(reply)).toContain(`rlm://${handle}/0: `)
      expect(textOf(reply)).toContain('application/pdf, 1.5 MB, 40 pages')
      expect(linksOf(reply)).toEqual([
        expect.objectContaining({ uri: `rlm://${handle}/0`, mimeType: 'application/pdf', size: pdf.length }),
      ])
      expect(
        textOf(await call('proxy_search', { cache_id: handle, pattern: 'secret of page 17' })),
      ).toContain('629')
      const { contents } = await client.readResource({ uri: `rlm://${handle}/0` })
      expect(Buffer.from((contents[0] as { blob: string }).blob, 'base64').equals(pdf)).toBe(true)
    },
  )

  test.each(['resource', 'field'])(
    'as %s is read without secrets where redact is on, also when the result cache answers',
    async (as) => {
      const token = `ghp_${'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'}`
      const pages = PAGES.map((page) => `${page}\nThe token is ${token}.`)
      const settings = { repeats: 'preview', toolCache: { ttlMs: 60_000 } }
      const { call } = await filesProxy({ 'report.pdf': madePdf(pages, 30_000) }, settings, [
        { use: 'redact' },
      ])
      for (const _ of ['server', 'cache']) {
        const reply = await call('f_read', { name: 'report.pdf', as })
        expect(JSON.stringify(reply)).not.toContain(token)
        const cache_id = handleOf(reply)
        expect(textOf(await call('proxy_search', { cache_id, pattern: 'ghp_' }))).not.toContain(token)
        const said = await call('proxy_search', { cache_id, pattern: 'The token is .redacted:secret' })
        expect(textOf(said)).toContain('The token is [redacted:secret]')
      }
    },
  )

  test('in a field of data is described in that field', async () => {
    const pdf = madePdf(PAGES, NOISE)
    const { call } = await filesProxy({ 'report.pdf': pdf })
    const reply = await call('f_read', { name: 'report.pdf', as: 'field' })
    expect(sizeOf(reply)).toBeLessThan(6000)
    const cache_id = handleOf(reply)
    expect(textOf(await call('proxy_filter', { cache_id, fields: ['name', 'content.pages'] }))).toMatch(
      /report\.pdf.*40/s,
    )
  })

  test('that is a workbook is a table of records', async () => {
    const rows = Array.from({ length: 3000 }, (_, id) => [`item ${id}`, id % 7])
    const { call } = await filesProxy({ 'sales.xlsx': madeXlsx({ Sales: [['item', 'amount'], ...rows] }) })
    const reply = await call('f_read', { name: 'sales.xlsx' })
    expect(textOf(reply)).toMatch(/3,000 records/)
    const cache_id = handleOf(reply)
    expect(
      textOf(await call('proxy_filter', { cache_id, where: ['amount = 3'], aggregate: 'count' })),
    ).toContain('429')
    const fresh = await call('proxy_filter', {
      tool: 'f_read',
      arguments: { name: 'sales.xlsx' },
      aggregate: 'sum(amount)',
    })
    expect(textOf(fresh)).toContain(String(rows.reduce((sum, [, amount]) => sum + Number(amount), 0)))
  })

  test('that is short when read is there whole', async () => {
    const { call } = await filesProxy({
      'a.zip': madeZip({ 'one.txt': 'x', 'two.bin': madePng(1, 1, 30_000) }),
    })
    const reply = await call('f_read', { name: 'a.zip', say: 'Here it is.' })
    expect(textOf(reply)).toMatch(/^Here it is\.\n?cache_id/)
    expect(textOf(reply)).toContain('"two.bin"')
    expect(linksOf(reply)).toHaveLength(1)
  })

  test('that is a picture passes up to its limit, and is a link above it', async () => {
    const png = madePng(1200, 800, 60_000)
    const { call } = await filesProxy({ 'a.png': png, 'b.png': madePng(4000, 3000, 4_000_000) })
    const small = await call('f_read', { name: 'a.png', as: 'image' })
    expect(small.content).toEqual([{ type: 'image', data: png.toString('base64'), mimeType: 'image/png' }])
    const large = await call('f_read', { name: 'b.png', as: 'image', say: 'A picture.' })
    expect(large.content.map(({ type }) => type)).toEqual(['text', 'text', 'resource_link'])
    expect(textOf(large)).toMatch(
      /A picture\.\n?cache_id [0-9a-z]{12} keeps:\nrlm:\S+ image\/png, 4\.0 MB, 4,000 × 3,000/,
    )
  })

  test.skipIf(!CAN_SCALE)(
    'that is a large picture is shown smaller beside its link, with all its bytes behind that (skipped: npm install sharp)',
    async () => {
      const picture = madePicture(2000, 1200)
      const { call, client } = await filesProxy({
        'a.png': picture,
        'b.png': madePicture(1800, 1000, true),
        'bad.png': madePng(4000, 3000, 4_000_000),
      })
      const reply = await call('f_read', { name: 'a.png', as: 'image' })
      expect(reply.content.map(({ type }) => type)).toEqual(['text', 'image', 'resource_link'])
      expect(textOf(reply)).toMatch(/image\/png, 7\.2 MB, 2,000 × 1,200; shown here at 1,568 × 941/)
      const small = reply.content[1] as unknown as { data: string; mimeType: string }
      expect(small.mimeType).toBe('image/jpeg')
      expect(small.data.length).toBeLessThan(1_000_000)
      const [link] = linksOf(reply)
      const { contents } = await client.readResource({ uri: link?.uri ?? '' })
      expect(Buffer.from((contents[0] as { blob: string }).blob, 'base64').equals(picture)).toBe(true)
      const clear = await call('f_read', { name: 'b.png', as: 'image' })
      expect(clear.content[1]).toMatchObject({ type: 'image', mimeType: 'image/webp' })
      // A file that cannot be read is a link.
      const bad = await call('f_read', { name: 'bad.png', as: 'image' })
      expect(bad.content.map(({ type }) => type)).toEqual(['text', 'resource_link'])
    },
  )

  test.each(['link', 'pass'])('that is a large picture is treated as `images: %s` says', async (images) => {
    const { call } = await filesProxy(
      { 'a.png': madePicture(2000, 1200) },
      { results: { 'f/re*': { images } } },
    )
    const reply = await call('f_read', { name: 'a.png', as: 'image' })
    expect(reply.content.map(({ type }) => type)).toEqual(
      images === 'pass' ? ['image'] : ['text', 'resource_link'],
    )
  })

  test('that is sound is told by its length, and each tool may have limits of its own', async () => {
    const { call } = await filesProxy(
      { 'a.wav': madeWav(90) },
      { results: { 'f/read': { maxBlobSize: 10_000_000 } } },
    )
    expect((await call('f_read', { name: 'a.wav', as: 'audio' })).content[0]?.type).toBe('audio')
    const other = await filesProxy({ 'a.wav': madeWav(90) })
    expect(textOf(await other.call('f_read', { name: 'a.wav', as: 'audio' }))).toMatch(
      /audio\/wav, 720 KB, 1 min 30 s/,
    )
  })
})

describe('resources', () => {
  const lines = Array.from({ length: 5000 }, (_, at) => `line ${at} of a long text`).join('\n')

  test('that are long are shaped as results are, and passed where the operator says so', async () => {
    const { client, call } = await filesProxy({
      'a.txt': lines,
      'b.pdf': madePdf(PAGES, NOISE),
      'c.txt': 'short',
    })
    const read = await client.readResource({ uri: 'file:///a.txt' })
    expect(sizeOf(read)).toBeLessThan(4000)
    const [{ text, uri } = { text: '', uri: '' }] = read.contents as { text: string; uri: string }[]
    expect(uri).toBe('file:///a.txt')
    const handle = /cache_id ([0-9a-z]{12})/.exec(text)?.[1]
    expect(textOf(await call('proxy_search', { cache_id: handle, pattern: 'line 4321 ' }))).toContain(
      'line 4321 of',
    )
    expect(sizeOf(await client.readResource({ uri: 'file:///b.pdf' }))).toBeLessThan(5000)
    expect((await client.readResource({ uri: 'file:///c.txt' })).contents).toEqual([
      { uri: 'file:///c.txt', mimeType: 'text/plain', text: 'short' },
    ])
    const plain = await filesProxy({ 'a.txt': lines }, { shapeResources: false })
    const whole = await plain.client.readResource({ uri: 'file:///a.txt' })
    expect((whole.contents[0] as { text: string }).text).toBe(lines)
  })

  test('of what is kept are read whole, in parts and by path', async () => {
    const { client, call } = await filesProxy({ 'a.txt': lines, 'b.pdf': madePdf(PAGES, NOISE) })
    const handle = handleOf(await call('f_read', { name: 'a.txt' }))
    const [whole] = (await client.readResource({ uri: `rlm://${handle}` })).contents as { text: string }[]
    expect(whole?.text).toBe(lines)
    const part = (await client.readResource({ uri: `rlm://${handle}?from=10&to=20` })).contents as {
      text: string
    }[]
    expect(part[0]?.text).toBe(lines.slice(10, 20))
    expect(part[1]?.text).toContain(`The rest: rlm://${handle}?from=20`)
    const pdf = handleOf(await call('f_read', { name: 'b.pdf' }))
    const [bytes] = (await client.readResource({ uri: `rlm://${pdf}/0?from=1&to=5` })).contents as {
      blob: string
    }[]
    expect(Buffer.from(bytes?.blob ?? '', 'base64').toString()).toBe('PDF-')
    await expect(client.readResource({ uri: `rlm://${pdf}/7` })).rejects.toThrow(/has no part 7/)
  })

  test('that no client keeps are answered as unknown resources', async () => {
    const { client } = await filesProxy({ 'a.txt': lines })
    for (const uri of [`rlm://${'a'.repeat(25)}`, `rlm://${'a'.repeat(25)}/0?from=0`])
      await expect(client.readResource({ uri })).rejects.toThrow(/not found/i)
  })
})

test('what is kept of a file outlives the proxy', async () => {
  const directory = temporaryDirectory()
  const files = join(directory, 'files')
  mkdirSync(files)
  writeFileSync(join(files, 'report.pdf'), madePdf(PAGES, NOISE))
  const servers = { f: { command: process.execPath, args: [SERVER, files] } }
  const first = await startProxy({ servers, directory })
  const handle = handleOf(await first.call('f_read', { name: 'report.pdf' }))
  await first.close()
  const second = await startProxy({ servers, directory })
  expect(await second.text('proxy_search', { cache_id: handle, pattern: 'secret of page 17' })).toContain(
    '629',
  )
  const { contents } = await second.client.readResource({ uri: `rlm://${handle}/0` })
  const blob = Buffer.from((contents[0] as { blob: string }).blob, 'base64')
  expect(blob.equals(readFileSync(join(files, 'report.pdf')))).toBe(true)
})
