import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { browse } from '../support/oauth/caller.ts'
import { startProtected } from '../support/oauth/protected-server.ts'
import { verifies } from '../support/verifies.ts'
import { run } from './support/command.ts'
import { MAIN, startProxy, temporaryDirectory, writeConfig } from './support/world.ts'

/** A program that does what a browser does. */
function browser(directory: string): string {
  const program = join(directory, 'browser.mjs')
  writeFileSync(program, `#!${process.execPath}\nawait (await fetch(process.argv[2])).text()\n`, {
    mode: 0o700,
  })
  return program
}

verifies(
  'S1.58',
  'a server behind OAuth is used like any other; tokens go to it alone and into no log',
  async () => {
    const server = await startProtected({ scope: 'read', tools: { write: 'write' } })
    const directory = temporaryDirectory()
    const proxy = await startProxy({
      directory,
      servers: { docs: { url: server.url, oauth: true } },
      settings: { log: { level: 'debug' } },
      env: { BROWSER: browser(directory) },
    })
    expect(await proxy.text('docs_read')).toBe('did read')
    expect(await proxy.text('docs_write')).toBe('did write')
    const told = JSON.stringify([await proxy.client.listTools(), await proxy.call('docs_read')])
    await proxy.close()
    expect(server.authorization.faults).toEqual([])
    expect(server.authorization.at('/authorize').map(({ params }) => params.scope)).toEqual([
      'read',
      'read write',
    ])
    const secrets = [...server.authorization.access.keys(), ...server.authorization.refresh.keys()]
    for (const secret of secrets) expect(proxy.stderr() + told).not.toContain(secret)
    expect(proxy.stderr()).toContain('the server needs you to sign in')
    const kept = readdirSync(join(directory, 'data', 'oauth')).map((name) =>
      readFileSync(join(directory, 'data', 'oauth', name), 'utf8'),
    )
    expect(kept.join()).toContain(secrets[0]?.slice(0, 7))
  },
)

test('without a browser it gets the sign-in address, and the tools appear after the sign-in', async () => {
  const server = await startProtected()
  const proxy = await startProxy({
    servers: { docs: { url: server.url } },
    settings: { connect: { timeoutMs: 5_000 }, oauth: { open: 'never' } },
  })
  const told = (): string | undefined =>
    /needs you to sign in: open (\S+) and call again/.exec(proxy.stderr())?.[1]
  await expect.poll(told, { timeout: 120_000 }).toBeDefined()
  await browse(told() ?? '')
  await expect.poll(() => proxy.text('docs_read').catch(() => ''), { timeout: 120_000 }).toBe('did read')
})

test('login keeps tokens for doctor and for run, logout takes them away', async () => {
  const server = await startProtected()
  const directory = temporaryDirectory()
  const file = writeConfig(directory, { servers: { docs: { url: server.url } } })
  const cli = (...words: string[]) =>
    run(process.execPath, [MAIN, '--config', file, ...words], { env: { BROWSER: browser(directory) } })
  const before = await cli('doctor')
  expect([before.code, before.stdout]).toEqual([1, expect.stringContaining('Run: mcp-rlm-proxy login docs')])
  const login = await cli('login', 'docs')
  expect(login).toMatchObject({ code: 0, stdout: 'Signed in to docs. It offers 2 tools.\n' })
  expect(await cli('doctor')).toMatchObject({ code: 0 })
  const again = await cli('login', 'docs')
  expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('no sign-in was asked for') })
  expect(await cli('logout', 'docs')).toMatchObject({ code: 0, stdout: 'Signed out of docs.\n' })
  expect(server.authorization.revoked).toHaveLength(1)
  expect(server.authorization.at('/authorize')).toHaveLength(1)
  expect((await cli('doctor')).code).toBe(1)
})
