/**
 * Files through the file server that clients use most, with the proxy and without it: what a model is sent, and a question that is answered.
 * Prints a table, below it the pages of a browser that `npm run bench -- browser` recorded. Usage: node benchmarks/files/run.mjs
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { browserSection } from '../../scripts/performance-browser.mjs'
import { filesSection } from '../../scripts/performance-files.mjs'
import { madeDocx, madePdf, madePicture, madeXlsx, madeZip } from '../../test/support/made-files.mjs'
import { connect } from '../answers/client.mjs'
import { tokensOf } from '../answers/tokens.mjs'
import { machine } from '../lib/measure.mjs'

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url))
const MAIN = process.env.BENCH_MAIN ?? path('../../dist/main.js')
const FILE_SERVER = path('../../node_modules/@modelcontextprotocol/server-filesystem/dist/index.js')
/** Of the picture that is shown, as one provider counts it: pixels / 750, after scaling to 1,568 on the longer side. */
const [PIXELS, LONGEST] = [750, 1568]

const paragraph = (at) =>
  `<w:p><w:r><w:t>Paragraph ${at}: the contract of customer ${at * 7} ends in ${2025 + (at % 9)}.</w:t></w:r></w:p>`
const page = (at) =>
  [
    `Chapter ${at}`,
    ...Array.from({ length: 30 }, (_, line) => `Line ${line} of chapter ${at} says ${at * 37 + line}.`),
  ].join('\n')
const rows = Array.from({ length: 3000 }, (_, at) => [`item ${at}`, at % 7, `shop ${at % 11}`])

/** Each file, and a question about it with what its answer holds. */
const FILES = {
  'report.pdf': {
    bytes: () =>
      madePdf(
        Array.from({ length: 40 }, (_, at) => page(at)),
        1_500_000,
      ),
    ask: ['proxy_search', { pattern: 'Line 12 of chapter 17' }, 'says 641'],
  },
  'contracts.docx': {
    bytes: () => madeDocx(Array.from({ length: 400 }, (_, at) => paragraph(at)).join(''), 300_000),
    ask: ['proxy_search', { pattern: 'customer 2345 ' }, 'Paragraph 335'],
  },
  'sales.xlsx': {
    bytes: () => madeXlsx({ Sales: [['item', 'amount', 'shop'], ...rows] }),
    ask: [
      'proxy_filter',
      { where: ['shop = "shop 3"'], aggregate: 'sum(amount)' },
      String(rows.reduce((sum, [, amount, shop]) => (shop === 'shop 3' ? sum + amount : sum), 0)),
    ],
  },
  'archive.zip': {
    bytes: () =>
      madeZip(
        Object.fromEntries(
          Array.from({ length: 500 }, (_, at) => [`logs/day-${at}.log`, `day ${at}\n`.repeat(at)]),
        ),
      ),
    ask: ['proxy_filter', { sort: '-size', limit: 1 }, 'day-499.log'],
  },
  'small.png': { bytes: () => madePicture(700, 500) },
  'large.png': { bytes: () => madePicture(2000, 1500) },
}

const folder = mkdtempSync(join(tmpdir(), 'files-'))
const direct = await connect(process.execPath, [FILE_SERVER, folder])
const proxy = await connect(process.execPath, [MAIN, '--', process.execPath, FILE_SERVER, folder])
const tool = proxy.tools.find(({ name }) => name.endsWith('read_media_file')).name
try {
  const measured = []
  for (const [name, { bytes, ask }] of Object.entries(FILES)) {
    const file = join(folder, name)
    writeFileSync(file, bytes())
    const without = weightOf(await direct.result('read_media_file', { path: file }))
    const reply = await proxy.result(tool, { path: file })
    const question = ask && (await answered(reply, ask))
    measured.push({
      name,
      file: readFileSync(file).length,
      without,
      with: weightOf(reply),
      ...(question && { question }),
    })
  }
  const report = { machine: machine(), rows: measured }
  mkdirSync('benchmarks/results', { recursive: true })
  writeFileSync('benchmarks/results/files.json', `${JSON.stringify(report, null, 1)}\n`)
  console.log(filesSection(report))
  const browser = 'benchmarks/results/browser.json'
  if (existsSync(browser)) console.log(browserSection(JSON.parse(readFileSync(browser, 'utf8'))))
} finally {
  await direct.close()
  await proxy.close()
  rmSync(folder, { recursive: true })
}

/** Bytes of the answer; tokens of its texts, of files as JSON, and of pictures as one provider counts them. Links are sent by few clients. */
function weightOf({ content }) {
  let tokens = 0
  for (const block of content)
    if (block.type === 'image') tokens += pictureTokens(Buffer.from(block.data, 'base64'))
    else tokens += tokensOf(block.type === 'text' ? block.text : JSON.stringify(block))
  return { bytes: Buffer.byteLength(JSON.stringify(content)), tokens }
}

function pictureTokens(bytes) {
  const [width, height] = sizeOf(bytes)
  const scale = Math.min(1, LONGEST / Math.max(width, height))
  return Math.ceil((width * scale * height * scale) / PIXELS)
}

/** Of a PNG, or of a JPEG by the first of its frames. */
function sizeOf(bytes) {
  if (bytes[0] === 0x89) return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)]
  for (let at = 2; at < bytes.length; at += 2 + bytes.readUInt16BE(at + 2))
    if (bytes[at + 1] >= 0xc0 && bytes[at + 1] <= 0xc3)
      return [bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5)]
  throw new Error('no picture that is known here')
}

async function answered({ content }, [name, question, expected]) {
  const cache_id = /cache_id ([0-9a-z]{12,25})/.exec(content[0].text)?.[1]
  const { text } = await proxy.call(name, { cache_id, ...question })
  return { tokens: tokensOf(text), right: text.includes(expected) }
}
