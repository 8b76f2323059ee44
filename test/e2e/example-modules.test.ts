/** The example modules around a real server, in one list of the built proxy. */
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { EXAMPLES, guardPaths, maskEmail, NO_PYTHON } from '../support/examples.ts'
import { verifies } from '../support/verifies.ts'
import { fixture, startProxy, temporaryDirectory } from './support/world.ts'

verifies(
  'S2.10 S2.27 S2.29',
  'a file beside the configuration and a program work on the same session',
  async () => {
    const directory = temporaryDirectory()
    cpSync(join(EXAMPLES, 'mask-email/mask-email.mjs'), join(directory, 'mask-email.mjs'))
    const mask = { ...maskEmail(), path: './mask-email.mjs' }
    const guard = { ...guardPaths({ allow: ['/data'] }), name: 'guard' }
    const modules = NO_PYTHON === undefined ? [guard, mask] : [mask]
    const { client, call, text } = await startProxy({ directory, servers: { f: fixture('f') }, modules })
    const give = (result: string, path: string): Record<string, unknown> => ({
      path,
      result: { content: [{ type: 'text', text: result }] },
    })
    expect(await text('f_give', give('write to me@example.org', '/data/1'))).toBe('write to [email]')
    if (NO_PYTHON === undefined)
      await expect(call('f_give', give('never', '/etc/passwd'))).rejects.toThrow(
        /Refused by the module `guard`: \/etc\/passwd is outside/,
      )
    // Messages that neither module asked for are as they were, and the session goes on.
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toContain('f_give')
    expect(await text('f_text', { size: 3 })).toBe('aaa')
  },
)
