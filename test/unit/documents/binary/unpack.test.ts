import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bytesOfPart, jsonWithoutParts, partsIn } from '../../../../src/documents/binary/parts.ts'
import { unpack } from '../../../../src/documents/binary/unpack.ts'
import { openDocument } from '../../../../src/documents/opening/open.ts'
import type { JsonObject } from '../../../../src/protocol/json.ts'
import {
  madeDocx,
  madePdf,
  madePdfCircle,
  madePng,
  madeWav,
  madeXlsx,
  madeZip,
} from '../../../support/made-files.mjs'
import { runs } from '../../../support/runs.ts'

const LIMITS = { maxBlobSize: 4096, maxImageSize: 50_000 }

const unpacked = async (result: JsonObject, reads = true): Promise<Uint8Array | undefined> =>
  (await unpack(Buffer.from(JSON.stringify(result)), { limits: LIMITS, reads }))?.content

async function partsOf(result: JsonObject, reads = true) {
  const content = (await unpacked(result, reads)) ?? Buffer.from('{}')
  const parts = partsIn(content)
  return { content, parts, part: parts[0], blobs: parts.map((part) => bytesOfPart(content, part)) }
}

const resource = (file: Buffer, more: JsonObject = {}): JsonObject => ({
  type: 'resource',
  resource: { uri: 'file:///data/report.bin', blob: file.toString('base64'), ...more },
})
const text = (words: string): JsonObject => ({ type: 'text', text: words })

describe('a blob over the limit', () => {
  test('of a resource is a part with its type, size and name, and its bytes are what they were', async () => {
    const png = madePng(1200, 800, 9000)
    const { part, blobs } = await partsOf({ content: [text('here'), resource(png)] })
    expect(part).toMatchObject({
      type: 'image/png',
      width: 1200,
      height: 800,
      bytes: 9000,
      block: 1,
      name: 'report.bin',
    })
    expect(blobs[0]).toEqual(png)
  })

  test('is told by its bytes, not by what it is called', async () => {
    const { part } = await partsOf({ content: [resource(madeWav(2), { mimeType: 'image/png' })] })
    expect(part).toMatchObject({ type: 'audio/wav', seconds: 2 })
    const { part: unknown } = await partsOf({
      content: [resource(Buffer.alloc(9000, 200), { mimeType: 'model/stl' })],
    })
    expect(unknown).toMatchObject({ type: 'model/stl', bytes: 9000 })
  })

  test('that is small, of a picture under its own limit, and of an error stays where it is', async () => {
    expect(await unpacked({ content: [resource(madePng(1, 1, 3000))] })).toBeUndefined()
    const image = { type: 'image', data: madePng(1, 1, 40_000).toString('base64'), mimeType: 'image/png' }
    expect(await unpacked({ content: [image] })).toBeUndefined()
    expect(await unpacked({ content: [resource(madeWav(2))], isError: true })).toBeUndefined()
    // Structured content repeats what the model is shown.
    expect(await unpacked({ content: [image], structuredContent: { content: [image] } })).toBeUndefined()
    const other = { ...image, data: madePng(2, 1, 40_000).toString('base64') }
    expect(await unpacked({ content: [image], structuredContent: { content: [other] } })).toBeDefined()
    const larger = { ...image, data: madePng(1, 1, 60_000).toString('base64') }
    expect((await partsOf({ content: [larger] })).part).toMatchObject({ type: 'image/png', block: 0 })
  })

  test('with line breaks in its base64 is the same blob', async () => {
    const wav = madeWav(2)
    const blob = wav.toString('base64').replaceAll(/.{76}/g, '$&\n')
    const { blobs, content } = await partsOf({
      content: [{ type: 'resource', resource: { uri: 'x:y', blob } }],
    })
    expect(blobs[0]).toEqual(wav)
    expect(JSON.parse(Buffer.from(content).toString()).content[0].resource.blob).toBe(wav.toString('base64'))
  })

  test('leaves all else of the result to the byte', async () => {
    const json = `{"content": [{"type":"text","text":"é \\u00e9"}, {"type":"resource","resource":{"uri":"a:b","blob":"${madeWav(1).toString('base64')}"}}], "_meta":{"id":12345678901234567890}}`
    const { content = Buffer.alloc(0) } =
      (await unpack(Buffer.from(json), { limits: LIMITS, reads: true })) ?? {}
    expect(Buffer.from(content).toString().startsWith(json.slice(0, -1))).toBe(true)
  })
})

describe('base64 in a text', () => {
  test.each([
    ['alone', (base64: string) => base64],
    ['in lines', (base64: string) => base64.replaceAll(/.{60}/g, '$&\n')],
    ['as a data URI', (base64: string) => `data:application/pdf;base64,${base64}`],
  ])('%s is a part, and what is inside is the document', async (_, written) => {
    const csv = Buffer.from(
      `id,name\n${Array.from({ length: 800 }, (_, id) => `${id},name ${id}`).join('\n')}`,
    )
    const { content, blobs, part } = await partsOf({ content: [text(written(csv.toString('base64')))] })
    expect(blobs[0]).toEqual(csv)
    expect(part).toMatchObject({ type: 'text/plain', isRead: true })
    const document = openDocument(content)
    expect(document.format).toBe('csv')
    expect(document.rows().count).toBe(800)
  })

  test.each([0, 1, 2])('in a field is data, in a text that is quoted %i times more', async (levels) => {
    const zip = madeZip({ 'a.txt': 'x', 'noise.bin': madePng(1, 1, 9000) })
    let json = JSON.stringify({
      name: 'a.zip',
      size: 9_007_199_254_740_993n.toString(),
      content: zip.toString('base64'),
    })
    for (let level = 0; level < levels; level++) json = JSON.stringify({ inner: json })
    const { content, blobs } = await partsOf({ content: [text(json)] })
    expect(blobs).toEqual([zip])
    let read = JSON.parse(openDocument(content).text) as Record<string, unknown>
    for (let level = 0; level < levels; level++) read = JSON.parse(String(read.inner))
    expect(read).toMatchObject({
      name: 'a.zip',
      size: '9007199254740993',
      content: {
        part: 0,
        type: 'application/zip',
        bytes: zip.length,
        entries: 2,
        data: [{ name: 'a.txt', size: 1 }, {}],
      },
    })
  })

  test('in structured content and in the text that repeats it is one part', async () => {
    const value = { file: madeWav(2).toString('base64') }
    const { content, parts } = await partsOf({
      content: [text(JSON.stringify(value))],
      structuredContent: value,
    })
    expect(parts).toHaveLength(1)
    const { structuredContent, content: blocks } = JSON.parse(jsonWithoutParts(content))
    expect(structuredContent).toEqual({ file: { part: 0, type: 'audio/wav', bytes: 16_044, seconds: 2 } })
    expect(JSON.parse(blocks[0].text)).toEqual(structuredContent)
  })

  test('in structured content that repeats a block is the part of that block', async () => {
    const block = resource(madePdf(['Hello'], 9000))
    for (const result of [
      { content: [block], structuredContent: { content: [block] } },
      { structuredContent: { content: [block] }, content: [block] },
    ]) {
      const { content, parts } = await partsOf(result)
      expect(parts).toHaveLength(1)
      const { structuredContent } = JSON.parse(jsonWithoutParts(content))
      expect(structuredContent.content[0].resource.blob).toMatchObject({ part: 0, text: '# Page 1\n\nHello' })
      expect(openDocument(content).text).toContain('Hello')
    }
  })

  test('of a picture in a page is described in its place', async () => {
    const png = madePng(640, 480, 8000)
    const page = `<p>Before</p><img src="data:image/png;base64,${png.toString('base64')}"><p>After</p>`
    const { content, blobs } = await partsOf({ content: [text(page)] })
    expect(openDocument(content).text).toBe(
      '<p>Before</p><img src="[part 0: image/png, 8.0 KB, 640 × 480]"><p>After</p>',
    )
    expect(blobs[0]).toEqual(png)
  })

  test.each(['The picture: ', 'The picture\n', 'picture:\r\n'])(
    'is a part behind words: %j',
    async (words) => {
      const png = madePng(640, 480, 8000)
      const { content, blobs } = await partsOf({
        content: [text(`${words}${png.toString('base64')}\nand more`)],
      })
      expect(openDocument(content).text).toBe(`${words}[part 0: image/png, 8.0 KB, 640 × 480]\nand more`)
      expect(blobs[0]).toEqual(png)
    },
  )

  test('stays where neither its bytes nor a name make it a file', async () => {
    for (const words of [
      'x'.repeat(20_000),
      'ACGT'.repeat(5000),
      'deadbeef'.repeat(4000),
      '1234567890'.repeat(2000),
    ])
      expect(await unpacked({ content: [text(words), text(JSON.stringify({ words }))] })).toBeUndefined()
  })

  test('any text and any numbers around it come through', async () => {
    const base64 = madeWav(1).toString('base64')
    await fc.assert(
      fc.asyncProperty(fc.jsonValue(), fc.string(), fc.string(), async (value, before, after) => {
        const given = { before, value, file: base64, after }
        const { content, blobs } = await partsOf({ content: [text(JSON.stringify(given))] })
        const { file, ...rest } = JSON.parse(JSON.parse(jsonWithoutParts(content)).content[0].text)
        expect(rest).toEqual(JSON.parse(JSON.stringify({ before, value, after })))
        expect(file).toMatchObject({ part: 0, type: 'audio/wav' })
        expect(blobs[0]?.toString('base64')).toBe(base64)
      }),
      { numRuns: runs(100) },
    )
  })
})

describe('what is inside', () => {
  test('of a document are its paragraphs, headings and tables', async () => {
    const run = (words: string): string => `<w:r><w:t xml:space="preserve">${words}</w:t></w:r>`
    const cell = (words: string): string => `<w:tc><w:p>${run(words)}</w:p></w:tc>`
    const body = `<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr>${run('Report')}</w:p><w:p>${run('All is ')}${run('well &amp; good.')}</w:p>
      <w:tbl><w:tr>${cell('name')}${cell('sum')}</w:tr><w:tr>${cell('a|b')}${cell('12')}</w:tr></w:tbl>`
    const { content, part } = await partsOf({ content: [resource(madeDocx(body, 9000))] })
    expect(part).toMatchObject({ isRead: true, type: expect.stringContaining('wordprocessingml') })
    expect(openDocument(content).text).toBe(
      '# Report\n\nAll is well & good.\n\n| name | sum |\n| --- | --- |\n| a\\|b | 12 |',
    )
  })

  test('of a workbook are the records of its sheets, with numbers and dates as what they are', async () => {
    const rows = Array.from({ length: 900 }, (_, id) => [
      `name ${id}`,
      id / 4,
      new Date(Date.UTC(2024, 4, 1)),
    ])
    const { content, part } = await partsOf({
      content: [resource(madeXlsx({ Sales: [['name', 'sum', 'day'], ...rows] }))],
    })
    expect(part).toMatchObject({ count: 1, counted: 'sheet', isRead: true })
    const document = openDocument(content)
    expect(document.rows().count).toBe(900)
    expect(document.rows().items[5]).toEqual({ name: 'name 5', sum: 1.25, day: '2024-05-01' })
    const two = await partsOf({
      content: [resource(madeXlsx({ A: [['x'], ...rows], B: [[1, undefined, 3]] }))],
    })
    expect(JSON.parse(openDocument(two.content).text)).toMatchObject({
      A: expect.any(Array),
      B: [{ A: 1, B: null, C: 3 }],
    })
  })

  test('of a PDF are its pages', async () => {
    const { content, part } = await partsOf({
      content: [resource(madePdf(['Hello of page one\nand a line', 'The total is 42'], 9000))],
    })
    expect(part).toMatchObject({ type: 'application/pdf', count: 2, counted: 'page', isRead: true })
    expect(openDocument(content).text).toBe(
      '# Page 1\n\nHello of page one\nand a line\n\n# Page 2\n\nThe total is 42',
    )
  })

  test('is not looked at where it took too long before', async () => {
    const { part } = await partsOf({ content: [resource(madePdf(['Hello'], 9000))] }, false)
    expect(part).toMatchObject({ type: 'application/pdf', unread: expect.stringMatching(/time or memory/) })
    expect(part).not.toHaveProperty('isRead')
  })
})

describe('hostile files', () => {
  const unreadOf = async (file: Buffer): Promise<string | undefined> =>
    (await partsOf({ content: [resource(file)] })).part?.unread

  test('a zip bomb is not inflated beyond the limit, whatever size it says', async () => {
    const bomb = Buffer.alloc(80 * 1024 * 1024, ' ')
    for (const told of [undefined, 10])
      expect(await unreadOf(madeZip({ 'word/document.xml': bomb }, told))).toMatch(/larger than what is read/)
  }, 30_000)

  test('a list of entries is read as far as it goes, and a damaged one is told', async () => {
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`file-${at}`, 'x']))
    const zip = madeZip(many)
    const cut = Buffer.from(zip)
    cut.writeUInt32LE(0xfffffff0, zip.length - 6)
    const { content } = await partsOf({ content: [resource(cut)] })
    expect(openDocument(content).text).toBe('[]')
    expect(await unreadOf(zip.subarray(0, zip.length - 30))).toMatch(/list of entries is damaged/)
  })

  test('a sheet with cells that are far apart allocates no room between them', async () => {
    const rows = Array.from({ length: 200 }, (_, at) => `<row><c r="XFD${at}"><v>1</v></c></row>`).join('')
    const sheet = madeZip({
      'xl/workbook.xml': '<workbook><sheets><sheet name="A" r:id="r1"/></sheets></workbook>',
      'xl/_rels/workbook.xml.rels':
        '<Relationships><Relationship Id="r1" Target="worksheets/s.xml"/></Relationships>',
      'xl/worksheets/s.xml': `<worksheet>${rows}</worksheet>`,
      noise: madePng(1, 1, 9000),
    })
    expect(await unreadOf(sheet)).toMatch(/more cells/)
  })

  test('a PDF with its pages in a circle has one page, which is empty', async () => {
    const { content } = await partsOf({ content: [resource(madePdfCircle(9000))] })
    expect(openDocument(content).text).toBe('# Page 1')
  })

  test('a damaged PDF is told', async () => {
    expect(await unreadOf(Buffer.concat([Buffer.from('%PDF-1.4\n'), madePng(1, 1, 9000)]))).toMatch(/damaged/)
  })

  test('names of a workbook that are those of prototypes are names', async () => {
    const file = madeXlsx({
      __proto__x: [['__proto__', 'constructor'], ...Array.from({ length: 900 }, (_, id) => [id, `c ${id}`])],
    })
    const { content } = await partsOf({ content: [resource(file)] })
    const [row] = JSON.parse(openDocument(content).text) as object[]
    expect(Object.keys(row ?? {})).toEqual(['__proto__', 'constructor'])
  })

  test('a table of parts that a server wrote itself tells of its own bytes, or of none', async () => {
    const forged = (parts: unknown): Buffer =>
      Buffer.from(`{"content":[],"mcp-rlm-proxy/parts":${JSON.stringify(parts)}}`)
    const part = { from: 2, to: 9, type: 'a/b', bytes: 5 }
    expect(partsIn(forged([part]))).toHaveLength(1)
    for (const wrong of [
      { from: -1 },
      { to: 4000 },
      { from: 9, to: 2 },
      { from: 1.5 },
      { type: 7 },
      { bytes: 'x' },
      { name: {} },
    ])
      expect(partsIn(forged([{ ...part, ...wrong }]))).toEqual([])
    expect(partsIn(forged([null]))).toEqual([])
    expect(partsIn(forged(Array.from({ length: 300 }, () => part)))).toEqual([])
  })

  test('any bytes are read without a failure', async () => {
    const heads = [
      '%PDF-1.4\n',
      'PK\x03\x04',
      '\x1f\x8b\x08',
      'RIFF....WAVE',
      '\xff\xd8\xff\xe0',
      'RIFF....WEBPVP8X',
      'II*\0',
      '\xff\xfb',
    ]
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...heads), fc.uint8Array({ maxLength: 64 }), async (head, tail) => {
        const file = Buffer.concat([
          Buffer.from(head, 'latin1'),
          tail,
          Buffer.alloc(6000, tail[0] ?? 1),
          tail,
        ])
        expect((await partsOf({ content: [resource(file)] })).part).toMatchObject({ bytes: file.length })
      }),
      { numRuns: runs(100) },
    )
  })
})
