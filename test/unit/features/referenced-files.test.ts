import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { createFiles } from '../../../src/features/references/files.ts'
import type { Client, Exchange } from '../../../src/protocol/exchange.ts'
import { Refused } from '../../../src/spill/confined.ts'
import { client, exchange } from '../../support/upstream.ts'

function directories(): { root: string; dataDir: string } {
  const root = mkdtempSync(join(tmpdir(), 'mcp-rlm-proxy-test-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const dataDir = join(root, 'data')
  mkdirSync(dataDir)
  writeFileSync(join(root, 'note.txt'), 'a note')
  writeFileSync(join(dataDir, 'tokens.json'), '{}')
  return { root, dataDir }
}

/** A client that names this directory as its root. */
function rooted(root: string, changes: Partial<Client> = {}): Exchange {
  const asker: Client = {
    ...client(),
    agent: { id: 'local', kind: 'local' },
    era: 'legacy',
    capabilities: { roots: {} },
    ask: async () => ({ roots: [{ uri: pathToFileURL(root).href }, { uri: 'https://example.com' }, 7] }),
    ...changes,
  }
  return exchange(asker, { method: 'tools/call', params: {} })
}

const spillOf = (allowDirs: string[] = []) => ({ threshold: 0, format: 'json', allowDirs }) as const

test('the directory of the proxy itself is not read, though it lies in a root', async () => {
  const { root, dataDir } = directories()
  const files = createFiles({ spill: spillOf([root]), dataDir })
  const asked = rooted(root)
  expect(Buffer.from(await files.read(join(root, 'note.txt'), asked, 100)).toString()).toBe('a note')
  await expect(files.read(join(dataDir, 'tokens.json'), asked, 100)).rejects.toThrow(Refused)
  await expect(files.read(join(root, 'note.txt'), asked, 5)).rejects.toThrow(/6 bytes; 5 are the most/)
})

test('roots count where the client is on this machine, and can be asked for them', async () => {
  const { root, dataDir } = directories()
  const files = createFiles({ spill: spillOf(), dataDir })
  const path = join(root, 'note.txt')
  expect(files.mayRead(rooted(root))).toBe(true)
  const others: Partial<Client>[] = [
    { agent: { id: 'a', kind: 'session' } },
    { agent: { id: 'a', kind: 'principal' } },
    { agent: { id: 'a', kind: 'anonymous' } },
    { era: 'modern' },
    { capabilities: {} },
  ]
  for (const other of others) {
    expect(files.mayRead(rooted(root, other))).toBe(false)
    await expect(files.read(path, rooted(root, other), 100)).rejects.toThrow(Refused)
  }
  const silent = rooted(root, { ask: () => Promise.reject(new Error('no')) })
  await expect(files.read(path, silent, 100)).rejects.toThrow(Refused)
})
