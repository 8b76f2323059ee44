import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import typescript from 'typescript'
import { expect } from 'vitest'
import {
  exchange,
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
    expect([server, child].map(lives)).toEqual([false, false])
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
    expect(lives(server)).toBe(false)
  })
}

verifies('S3.35', 'a server that does not finish its handshake leaves no process', async () => {
  const started = join(temporaryFolder(), 'started')
  const server = { ...wrappedServer({ started, slowStart: 60_000 }), connectTimeoutMs: 1500 }
  const pool = upstreams({ servers: { s: server } })
  await pool.open()
  const [pid = 0] = startedIn(started)
  await pool.close()
  expect(lives(pid)).toBe(false)
})

verifies('S3.35', 'what a wrapper left behind goes when the wrapper dies', async () => {
  const started = join(temporaryFolder(), 'started')
  const pool = upstreams({ servers: { s: { ...wrappedServer({ started }), lazy: true } } })
  const mine = exchange()
  const child = Number(textOf(await pool.request('s', toolCall('child'), mine)))
  const [server = 0] = startedIn(started)
  const wrapper = Number(readFileSync(`/proc/${server}/stat`, 'utf8').split(') ')[1]?.split(' ')[1])
  process.kill(wrapper, 'SIGKILL')
  await expect.poll(() => [server, child].map(lives)).toEqual([false, false])
})

verifies('S3.35', 'servers do not outlive a proxy that exits without closing', async () => {
  const folder = temporaryFolder()
  const started = join(folder, 'started')
  const { command, args = [] } = wrappedServer({ started, stubborn: true })
  const source = readFileSync(new URL('../../../src/upstream/process-group.ts', import.meta.url), 'utf8')
  const compiled = typescript.transpileModule(source, {
    compilerOptions: { module: typescript.ModuleKind.ESNext, target: typescript.ScriptTarget.ES2023 },
  })
  writeFileSync(join(folder, 'process-group.mjs'), compiled.outputText)
  const script = join(folder, 'proxy.mjs')
  writeFileSync(
    script,
    `import { existsSync } from 'node:fs'
     import { ProcessGroup } from './process-group.mjs'
     const [, , started, command, ...args] = process.argv
     new ProcessGroup({ command, args, env: process.env, cwd: undefined, graceMs: 100 })
     setInterval(() => { if (existsSync(started)) process.exit(0) }, 10)`,
  )
  spawnSync(process.execPath, [script, started, command, ...args])
  const [server = 0] = startedIn(started)
  await expect.poll(() => lives(server)).toBe(false)
})
