import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
mkdirSync(join(root, '.tmp'), { recursive: true })
const copy = mkdtempSync(join(root, '.tmp', 'layers-'))
afterAll(() => rmSync(copy, { recursive: true, force: true }))

test('the check sees every module, and of all imports only those that were planted go against the direction', () => {
  cpSync(join(root, 'src'), join(copy, 'src'), { recursive: true })
  writeFileSync(join(copy, 'src/text/planted.ts'), "export { compose } from '../pipeline/onion.ts'\n")
  const sdk = "import { Client } from '@modelcontextprotocol/client'\nexport const planted = Client\n"
  writeFileSync(join(copy, 'src/store/planted.ts'), sdk)
  writeFileSync(
    join(copy, 'src/gateway/planted.ts'),
    "export { openFinder } from '../discovery/open-finder.ts'\n",
  )
  writeFileSync(
    join(copy, 'src/cli/planted.ts'),
    "export { BUILT_IN_MODULES } from '../config/modules/index.ts'\n",
  )
  const script = join(root, 'scripts/layers.mjs')
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, copy], { encoding: 'utf8' })
  expect(status).toBe(1)
  const told = stderr.split('\n').filter((line) => line !== '')
  expect(told).toHaveLength(4)
  expect(told).toContain('found-on-use: src/gateway/planted.ts -> src/discovery/open-finder.ts')
  expect(told).toContain('modules-on-use: src/cli/planted.ts -> src/config/modules/index.ts')
  expect(told).toContain('layer-text: src/text/planted.ts -> src/pipeline/onion.ts')
  expect(told.find((line) => line.startsWith('mcp-sdk-at-the-edges: src/store/planted.ts'))).toBeDefined()
  const [, seen, all] = /layers: (\d+) of (\d+) modules/.exec(stdout) ?? []
  expect(Number(seen)).toBe(Number(all))
  expect(Number(seen)).toBeGreaterThan(80)
}, 180_000)
