/**
 * Results that attack: files that unpack to more than the machine has, pages without end, more bytes than any limit. While one agent asks
 * for them, another is answered. The proxy and its workers hold no more memory than they may. An agent cannot read the results of another
 * agent.
 */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../src/protocol/json.ts'
import { descendantsOf } from '../e2e/support/processes.ts'
import { startProxy, textOf } from '../support/hostile.ts'
import { madePdfBomb, madePdfCircle, madePicture, madeZip } from '../support/made-files.mjs'
import { temporaryFolder } from '../support/upstream.ts'

const MB = 1024 * 1024
const MEMORY_MB = 768
const server = (name: string): string => fileURLToPath(new URL(`../support/servers/${name}`, import.meta.url))

/** Files by their names; few bytes that become many. */
const FILES: Readonly<Record<string, () => Buffer>> = {
  'bomb.docx': () => madeZip({ 'word/document.xml': Buffer.alloc(256 * MB, ' ') }),
  'liar.docx': () => madeZip({ 'word/document.xml': Buffer.alloc(256 * MB, ' ') }, 10),
  'bomb.gz': () => gzipSync(Buffer.alloc(512 * MB, 'x')),
  'bomb.pdf': () => madePdfBomb(1024 * MB),
  'circle.pdf': () => madePdfCircle(30_000),
  'wide.png': () => {
    const picture = madePicture(2000, 700)
    picture.writeUInt32BE(100_000, 16)
    picture.writeUInt32BE(100_000, 20)
    return picture
  },
}

const read = (name: string, as = 'resource'): [string, JsonObject] => ['files_read', { name, as }]
const all = (tool: string): [string, JsonObject] => [
  'proxy_filter',
  { tool: `paged_${tool}`, all: true, aggregate: 'count' },
]

/** The call, and the reply that the agent reads. */
const ATTACKS: Readonly<Record<string, readonly [call: [string, JsonObject], reply: RegExp]>> = {
  'a zip bomb': [read('bomb.docx'), /keeps.*rlm:.*not read: unpacked it is larger than what is read/s],
  'a zip bomb that lies about its size': [read('liar.docx'), /keeps.*rlm:.*not read: unpacked it is larger/s],
  'a gzip bomb': [read('bomb.gz'), /keeps.*rlm:.*not read: unpacked it is larger/s],
  'a PDF that is unpacked to a gigabyte': [read('bomb.pdf'), /keeps.*rlm:.*application\/pdf/s],
  'a PDF with its pages in a circle': [read('circle.pdf'), /keeps.*rlm:.*application\/pdf/s],
  'a picture of 10,000 million pixels': [read('wide.png', 'image'), /keeps.*rlm:.*100,000 × 100,000/s],
  'a blob of 500 MB': [['files_give', { bytes: 500 * MB }], /a message of \d+ bytes; the limit is \d+ bytes/],
  'pages that never end': [all('endless'), /PARTIAL: 1,000 records from 200 pages; 200 pages are the most/],
  'cursors that go round': [all('looping'), /PARTIAL: 60 records from 2 pages; the server goes round/],
  'a link out of the roots': [
    ['files_echo', { content: { $file: '@/link' } }],
    /was not called\. No such file/,
  ],
  'a path out of the roots': [
    ['files_echo', { content: { $file: '@/../secret' } }],
    /was not called\. No such file/,
  ],
}

test('results that attack are bounded, and harm no other client', async () => {
  const folder = temporaryFolder()
  const roots = join(folder, 'roots')
  mkdirSync(roots)
  for (const [name, make] of Object.entries(FILES)) writeFileSync(join(roots, name), make())
  writeFileSync(join(folder, 'secret'), 'a secret')
  symlinkSync(join(folder, 'secret'), join(roots, 'link'))
  const run = (name: string, ...args: string[]): JsonObject => ({
    command: process.execPath,
    args: [server(name), ...args],
  })
  const servers = { files: run('files.mjs', roots), paged: run('paged.mjs') }
  const settings = { memoryMb: MEMORY_MB, spill: { allowDirs: [roots] } }
  const proxy = await startProxy(servers, 'legacy', { settings, node: [] })
  const [mallory, alice] = [await proxy.connect(), await proxy.connect()]
  const ask = async (of: typeof alice, name: string, args: JsonObject): Promise<string> => {
    const answer = await of.call('tools/call', { name, arguments: args })
    return `${textOf(answer)}${JSON.stringify(answer.error ?? '')}`
  }
  let most = 0
  const watch = setInterval(() => {
    most = Math.max(most, residentMb([proxy.pid, ...descendantsOf(proxy.pid).filter(isWorker)]))
  }, 50)
  const handles: string[] = []
  try {
    for (const [attack, [[tool, args], expected]] of Object.entries(ATTACKS)) {
      let isOver = false
      const began = performance.now()
      const placed = JSON.parse(JSON.stringify(args).replaceAll('@/', `${roots}/`)) as JsonObject
      const attacked = ask(mallory, tool, placed).finally(() => {
        isOver = true
      })
      let answered = 0
      do {
        expect(await ask(alice, 'paged_list_issues', { perPage: 1 })).toContain('Issue 1')
        answered += 1
      } while (!isOver)
      const said = await attacked
      expect(said, attack).toMatch(expected)
      expect(said.length, attack).toBeLessThan(12_000)
      expect(said).not.toContain('a secret')
      const seconds = ((performance.now() - began) / 1000).toFixed(1)
      process.stderr.write(
        `${attack}: ${seconds} s, ${answered} answers to another, ${Math.round(most)} MB at most so far\n`,
      )
      handles.push(...(/cache_id ([0-9a-z]{12})/.exec(said)?.slice(1) ?? []))
    }
  } finally {
    clearInterval(watch)
  }
  expect(most).toBeLessThan(MEMORY_MB)
  // The results of one agent are for another as if they did not exist.
  const unknown = '0'.repeat(25)
  expect(handles.length).toBeGreaterThan(5)
  for (const handle of handles) {
    const gone = await ask(alice, 'proxy_explore', { cache_id: handle })
    expect(gone.replaceAll(handle, unknown)).toBe(await ask(alice, 'proxy_explore', { cache_id: unknown }))
    const resource = await alice.call('resources/read', { uri: `rlm://${handle}/0` })
    expect(resource.error).toBeDefined()
    expect(await ask(mallory, 'proxy_explore', { cache_id: handle })).not.toContain('No kept result')
  }
}, 600_000)

function about(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}

const isWorker = (pid: number): boolean => about(pid, 'cmdline').includes('worker-process.js')

/** Of all these processes together. */
function residentMb(pids: readonly number[]): number {
  const kilobytes = pids.map((pid) => Number(/^VmRSS:\s+(\d+)/m.exec(about(pid, 'status'))?.[1] ?? 0))
  return kilobytes.reduce((sum, each) => sum + each, 0) / 1024
}
