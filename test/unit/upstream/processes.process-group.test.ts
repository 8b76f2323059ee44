import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import typescript from 'typescript'
import { expect } from 'vitest'
import {
  exchange,
  limit,
  lives,
  startedIn,
  stdioServer,
  temporaryFolder,
  textOf,
  toolCall,
  upstreams,
  wrappedServer,
} from '../../support/upstream.ts'
import { verifies } from '../../support/verifies.ts'

/** A process that was killed still has to be given the time to end. */
async function gone(...pids: number[]): Promise<void> {
  await expect.poll(() => pids.filter(lives)).toEqual([])
}

const servers = [
  ['a plain server', stdioServer],
  ['a server behind a shell', wrappedServer],
] as const

for (const [name, make] of servers) {
  verifies('S3.35', `close leaves nothing of ${name}, its own children included`, async () => {
    const started = join(temporaryFolder(), 'started')
    const pool = upstreams({ servers: { s: make({ started }) } })
    const child = Number(textOf(await pool.request('s', toolCall('child'), exchange())))
    const [server = 0] = startedIn(started)
    expect([server, child].map(lives)).toEqual([true, true])
    await pool.close()
    await gone(server, child)
  })

  verifies('S3.35', `close ends ${name} that ignores closed input and SIGTERM`, async () => {
    const started = join(temporaryFolder(), 'started')
    const pool = upstreams({
      servers: { s: make({ started, stubborn: true }) },
      defaults: { closeGraceMs: 50 },
    })
    await pool.open()
    const [server = 0] = startedIn(started)
    expect(lives(server)).toBe(true)
    await pool.close()
    await gone(server)
  })
}

verifies('S3.35', 'a server that does not finish its handshake leaves no process', async () => {
  const started = join(temporaryFolder(), 'started')
  const time = limit()
  const server = { ...wrappedServer({ started, slowStart: 3_600_000 }), connectTimeoutMs: time.ms }
  const pool = upstreams({ servers: { s: server }, later: time.later })
  const opening = pool.open()
  await expect.poll(() => existsSync(started) && startedIn(started).length).toBe(1)
  const [pid = 0] = startedIn(started)
  expect(lives(pid)).toBe(true)
  time.isOver()
  await opening
  await pool.close()
  await gone(pid)
})

verifies('S3.35', 'what a wrapper left behind goes when the wrapper dies', async () => {
  const started = join(temporaryFolder(), 'started')
  const pool = upstreams({ servers: { s: { ...wrappedServer({ started }), lazy: true } } })
  const mine = exchange()
  const child = Number(textOf(await pool.request('s', toolCall('child'), mine)))
  const [server = 0] = startedIn(started)
  const wrapper = Number(readFileSync(`/proc/${server}/stat`, 'utf8').split(') ')[1]?.split(' ')[1])
  process.kill(wrapper, 'SIGKILL')
  await gone(server, child)
})

verifies('S3.35', 'servers do not outlive a proxy that exits without closing', async () => {
  const folder = temporaryFolder()
  const started = join(folder, 'started')
  const { command, args = [] } = wrappedServer({ started, stubborn: true })
  const source = readFileSync(new URL('../../../src/upstream/processes.ts', import.meta.url), 'utf8')
  const { outputText } = typescript.transpileModule(source, {
    compilerOptions: { module: typescript.ModuleKind.ESNext, target: typescript.ScriptTarget.ES2023 },
  })
  writeFileSync(join(folder, 'processes.mjs'), outputText)
  const script = join(folder, 'proxy.mjs')
  writeFileSync(
    script,
    `import { existsSync } from 'node:fs'
     import { ProcessGroup } from './processes.mjs'
     const [, , started, command, ...args] = process.argv
     new ProcessGroup({ command, args, env: process.env, cwd: undefined, graceMs: 100 })
     setInterval(() => { if (existsSync(started)) process.exit(0) }, 10)`,
  )
  spawnSync(process.execPath, [script, started, command, ...args])
  const [server = 0] = startedIn(started)
  await gone(server)
})
