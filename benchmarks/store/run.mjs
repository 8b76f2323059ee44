/**
 * The time of keeping and reading a result, on disk and in a shared store, by size: medians and 99th percentiles, the stores in turn.
 * `node benchmarks/store/run.mjs [ROUNDS]`, after a build; starts redis-server or valkey-server on loopback.
 */
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDiskStore } from '../../dist/store/disk.js'
import { newHandle } from '../../dist/store/handles.js'
import { createValkeyStore } from '../../dist/store/valkey/store.js'

const rounds = Number(process.argv[2] ?? 200)
const SIZES = { '1 KB': 1e3, '100 KB': 1e5, '1 MB': 1e6 }
const OWNER = 'someone'

/** Records with some that is alike and some that is not, as results are. */
function entryOf(bytes, nth) {
  const records = []
  for (let length = 0, at = 0; length < bytes; at++) {
    const id = createHash('sha256').update(`${nth} ${at}`).digest('hex')
    const record = JSON.stringify({ id, state: at % 3 ? 'open' : 'closed', title: `Record ${at}`, price: at })
    length += record.length + 1
    records.push(record)
  }
  const text = `[${records.join()}]`.slice(0, bytes)
  const content = Buffer.from(JSON.stringify({ content: [{ type: 'text', text }] }))
  const hash = createHash('sha256').update(content).digest('hex')
  const times = { created: Date.now(), lastAccessed: Date.now(), accessCount: 0, ttl: 300_000 }
  const rest = { size: content.length, tool: 't', arguments: {}, ...times }
  return { handle: newHandle(), owner: OWNER, hash, content, ...rest }
}

function quantile(times, part) {
  const sorted = [...times].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))].toFixed(2)
}

const command = ['valkey-server', 'redis-server'].find((name) => spawnSync(name, ['--version']).status === 0)
if (command === undefined) throw new Error('Install a server: apt-get install -y redis-server')
const directory = mkdtempSync(join(tmpdir(), 'store-cost-'))
const listening = createServer().listen(0, '127.0.0.1')
await once(listening, 'listening')
const { port } = listening.address()
listening.close()
await once(listening, 'close')
const own = ['--port', String(port), '--bind', '127.0.0.1', '--dir', directory, '--save', '']
const server = spawn(command, own, { stdio: 'ignore' })
const common = { maxAge: 86_400_000, now: Date.now }
const shared = (key) =>
  new Promise((resolve) => {
    const store = createValkeyStore({
      ...common,
      url: `valkey://127.0.0.1:${port}`,
      key,
      scope: '',
      maxBytesPerOwner: 2 ** 40,
      onUp: () => resolve(store),
      onAway() {},
    })
  })

try {
  const stores = {
    disk: await createDiskStore({ ...common, directory: join(directory, 'disk'), maxBytes: 2 ** 40 }),
    shared: await shared(),
    'shared, sealed': await shared('a key for this benchmark'),
  }
  console.log('size    store            keep p50 / p99 ms      read p50 / p99 ms     use p50 / p99 ms')
  for (const [label, bytes] of Object.entries(SIZES)) {
    const times = Object.fromEntries(
      Object.keys(stores).map((name) => [name, { put: [], read: [], info: [] }]),
    )
    for (let nth = -5; nth < rounds; nth++)
      for (const [name, store] of Object.entries(stores)) {
        const entry = entryOf(bytes, nth)
        const timed = async (what, action) => {
          const begun = performance.now()
          const found = await action()
          // The first rounds warm up.
          if (nth >= 0) times[name][what].push(performance.now() - begun)
          return found
        }
        await timed('put', () => store.put(entry))
        const found = await timed('read', () => store.getEntry(entry.handle, OWNER))
        if (found?.hash !== entry.hash) throw new Error(`${name} lost a result`)
        await timed('info', () => store.info(entry.handle, OWNER))
        await store.remove(entry.handle, OWNER)
      }
    for (const [name, { put, read, info }] of Object.entries(times)) {
      const figures = [put, read, info].map((all) => `${quantile(all, 0.5)} / ${quantile(all, 0.99)}`)
      console.log(label.padEnd(8) + name.padEnd(17) + figures.map((text) => text.padEnd(22)).join(''))
    }
  }
  for (const store of Object.values(stores)) await store.close()
} finally {
  server.kill('SIGKILL')
  rmSync(directory, { recursive: true, force: true })
}
