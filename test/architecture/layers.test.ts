import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
mkdirSync(join(root, '.tmp'), { recursive: true })
const copy = mkdtempSync(join(root, '.tmp', 'layers-'))
afterAll(() => rmSync(copy, { recursive: true, force: true }))

test('the check sees every module, and only the planted imports go against the direction', () => {
  cpSync(join(root, 'src'), join(copy, 'src'), { recursive: true })
  const planted: Record<string, [file: string, told: string]> = {
    "export { compose } from '../proxy/layers.ts'": [
      'src/text/planted.ts',
      'layer-text: src/text/planted.ts -> src/proxy/layers.ts',
    ],
    "export { openFinder } from '../discovery/open-finder.ts'": [
      'src/gateway/planted.ts',
      'finding-on-use: src/gateway/planted.ts -> src/discovery/open-finder.ts',
    ],
    "export { BUILT_IN } from '../features/modules.ts'": [
      'src/cli/planted.ts',
      'modules-on-use: src/cli/planted.ts -> src/features/modules.ts',
    ],
    "export { createRetrieve } from '../features/retrieve/index.ts'": [
      'src/gateway/eager.ts',
      'features-on-use: src/gateway/eager.ts -> src/features/retrieve/index.ts',
    ],
    "export { listKept } from '../features/query-tools/kept.ts'": [
      'src/gateway/deep.ts',
      'features-by-index: src/gateway/deep.ts -> src/features/query-tools/kept.ts',
    ],
    "export { block } from '../block/index.ts'": [
      'src/features/pin/planted.ts',
      'features-apart: src/features/pin/planted.ts -> src/features/block/index.ts',
    ],
    "export { block } from '../features/block/index.ts'": [
      'src/config/planted.ts',
      'options-are-configuration: src/config/planted.ts -> src/features/block/index.ts',
    ],
  }
  for (const [source, [file]] of Object.entries(planted)) writeFileSync(join(copy, file), `${source}\n`)
  const sdk = "import { Client } from '@modelcontextprotocol/client'\nexport const planted = Client\n"
  writeFileSync(join(copy, 'src/store/planted.ts'), sdk)
  const script = join(root, 'scripts/layers.mjs')
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, copy], { encoding: 'utf8' })
  expect(status).toBe(1)
  const told = stderr.split('\n').filter((line) => line !== '')
  for (const [, line] of Object.values(planted)) expect(told).toContain(line)
  expect(told.find((line) => line.startsWith('mcp-sdk-at-the-edges: src/store/planted.ts'))).toBeDefined()
  expect(told.filter((line) => !/planted|eager|deep/.test(line))).toEqual([])
  const [, seen, all] = /layers: (\d+) of (\d+) modules/.exec(stdout) ?? []
  expect(Number(seen)).toBe(Number(all))
  expect(Number(seen)).toBeGreaterThan(80)
}, 180_000)
