import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { parseConfig } from '../../../src/config/load-program.ts'
import { prepareDataDirectory, resetCaches } from '../../../src/data/directory.ts'
import { verifies } from '../../support/verifies.ts'

function world(): { cwd: string; home: string; temporary: string } {
  const root = mkdtempSync(join(tmpdir(), 'data-test-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  for (const name of ['home', 'temporary']) mkdirSync(join(root, name))
  return { cwd: root, home: join(root, 'home'), temporary: join(root, 'temporary') }
}

describe('data directory', () => {
  verifies('S1.42', 'the default is made in the home directory, private', () => {
    const places = world()
    const { config, warning } = prepareDataDirectory(parseConfig({}), places)
    expect(warning).toBeUndefined()
    expect(config.settings.dataDir).toBe(join(places.home, '.mcpproxy'))
    expect(statSync(config.settings.dataDir).mode & 0o777).toBe(0o700)
  })

  verifies('S1.42', 'a chosen one that cannot be written is an error', () => {
    const places = world()
    writeFileSync(join(places.cwd, 'file'), '')
    const config = parseConfig({ proxySettings: { dataDir: 'file/data' } })
    expect(() => prepareDataDirectory(config, places)).toThrow(
      expect.objectContaining({
        code: 'CONFIG_INVALID',
        message: expect.stringContaining('proxySettings.dataDir is'),
      }),
    )
  })

  verifies(
    'S1.42',
    'in place of a default that cannot be written a temporary one is used, with a warning',
    () => {
      const places = world()
      writeFileSync(join(places.home, '.mcpproxy'), '')
      const { config, warning } = prepareDataDirectory(parseConfig({}), places)
      expect(config.settings.dataDir.startsWith(places.temporary)).toBe(true)
      expect(warning).toContain(join(places.home, '.mcpproxy'))
    },
  )

  test('tokens in a default that cannot be used are asked for all the same', () => {
    const places = world()
    const directory = join(places.home, '.mcpproxy')
    // No mode keeps the superuser out: whatever lies there may be a file of tokens.
    symlinkSync(directory, directory)
    const { config } = prepareDataDirectory(parseConfig({}), places)
    expect(config.settings.dataDir.startsWith(places.temporary)).toBe(true)
    expect(config.settings.auth.tokens).toBe(join(directory, 'tokens.json'))
  })

  test('a reset removes remembered data only', () => {
    const places = world()
    const directory = join(places.cwd, 'data')
    const config = (resetData: boolean) => parseConfig({ proxySettings: { dataDir: directory, resetData } })
    for (const name of ['results', 'servers', 'mine']) mkdirSync(join(directory, name), { recursive: true })
    writeFileSync(join(directory, 'ledger.json'), '{}')
    resetCaches(config(false))
    expect(readdirSync(directory)).toHaveLength(4)
    resetCaches(config(true))
    expect(readdirSync(directory).sort()).toEqual(['ledger.json', 'mine'])
    expect(existsSync(directory)).toBe(true)
  })
})
