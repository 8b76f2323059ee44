/** How long the disk store takes to open with many results, and to take the first new one. `node benchmarks/start/store.mjs [ENTRIES]` */
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDiskStore } from '../../dist/store/disk.js'
import { newHandle } from '../../dist/store/handles.js'

const entries = Number(process.argv[2] ?? 50_000)
const directory = mkdtempSync(join(tmpdir(), 'store-start-'))
const open = () =>
  createDiskStore({ directory, maxBytes: 2 ** 40, maxAge: 86_400_000, now: () => Date.now() })

function entryOf(at) {
  const content = Buffer.from(JSON.stringify({ content: [{ type: 'text', text: `result ${at}` }] }))
  const hash = createHash('sha256').update(content).digest('hex')
  const [created, size] = [Date.now(), content.length]
  const times = { created, lastAccessed: created, accessCount: 0, ttl: 300_000 }
  return { handle: newHandle(), owner: 'someone', hash, content, size, tool: 't', arguments: {}, ...times }
}

try {
  const before = await open()
  for (let at = 0; at < entries; at += 50)
    await Promise.all(Array.from({ length: 50 }, (_, n) => before.put(entryOf(at + n))))
  await before.close()
  const [begun, busy] = [performance.now(), process.cpuUsage()]
  const store = await open()
  const opened = performance.now() - begun
  await store.put(entryOf(entries))
  const { user, system } = process.cpuUsage(busy)
  console.log(
    `${entries} results: open after ${opened.toFixed(0)} ms, first result kept after ${(performance.now() - begun).toFixed(0)} ms, ${((user + system) / 1000).toFixed(0)} ms of processor`,
  )
  await store.close()
} finally {
  rmSync(directory, { recursive: true, force: true })
}
