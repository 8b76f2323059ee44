import { readdirSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { verifies } from '../../support/verifies.ts'
import { world } from './support.ts'

const file = JSON.stringify({
  mcpServers: { files: { command: 'node' }, docs: { url: 'http://127.0.0.1:1/mcp' } },
  modules: [{ use: 'redact' }, { command: 'guard', env: { TOKEN: 'sesame-street' } }],
})

describe('status', () => {
  verifies(
    'S2.9 S2.10',
    'shows the layers in order, the servers, and features that could be turned on',
    async () => {
      const w = world()
      w.write('mcp.json', file)
      expect(await w.cli('status')).toBe(0)
      expect(w.out()).toContain(
        'client\n  shape   feature  Keeps.\n  router  feature  Routes.\nservers: files, docs\n',
      )
      expect(w.out()).toMatch(/Not in use, and to be had in "modules":\n(?: {2}\w+ +[A-Z].*\.\n)+$/)
      expect(w.out()).toMatch(/^ {2}block +Hides/m)
      expect(w.out()).not.toMatch(/^ {2}redact/m)
      // Nothing of it lasts, and no server was connected.
      expect(w.configs.map(({ settings }) => settings.dataDir)).toEqual([
        expect.stringContaining('mcpproxy-look'),
      ])
      expect(w.happened).toEqual(['close'])
      expect(readdirSync(w.host.temporary)).toEqual([])
    },
  )

  test('as JSON', async () => {
    const w = world()
    w.write('mcp.json', file)
    expect(await w.cli('status', '--json')).toBe(0)
    const { layers, servers, available } = JSON.parse(w.out())
    expect([layers[0].name, servers]).toEqual(['shape', ['files', 'docs']])
    expect(available.map(({ name }: { name: string }) => name)).not.toContain('redact')
  })

  test('shows a failing module without secrets and control sequences, and exits with 1', async () => {
    const broken = { name: 'guard', what: 'command: guard', mode: 'enforce', state: 'failed' } as const
    const w = world({ modules: [{ ...broken, message: 'no \u001b[2J sesame-street' }] })
    w.write('mcp.json', file)
    expect(await w.cli('status')).toBe(1)
    expect(w.out()).toContain('The module guard does not work: no  [2J ***\n')
    expect(w.out()).not.toMatch(/sesame|[^\P{Cc}\n]/u)
  })
})
