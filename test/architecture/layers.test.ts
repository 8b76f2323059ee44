import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
mkdirSync(join(root, '.tmp'), { recursive: true })
const copy = mkdtempSync(join(root, '.tmp', 'layers-'))
afterAll(() => rmSync(copy, { recursive: true, force: true }))

const check = (directory: string) =>
  spawnSync(process.execPath, [join(root, 'scripts/layers.mjs'), directory], { encoding: 'utf8' })

test('the layers hold, and the check saw every module', () => {
  const output = execFileSync(process.execPath, ['scripts/layers.mjs'], { cwd: root, encoding: 'utf8' })
  const [, seen, all] = /layers: (\d+) of (\d+) modules/.exec(output) ?? []
  expect(Number(seen)).toBe(Number(all))
  expect(Number(seen)).toBeGreaterThan(80)
}, 60_000)

test('a planted import against the direction fails, by name', () => {
  cpSync(join(root, 'src'), join(copy, 'src'), { recursive: true })
  writeFileSync(join(copy, 'src/text/planted.ts'), "export { compose } from '../pipeline/onion.ts'\n")
  const sdk = "import { Client } from '@modelcontextprotocol/client'\nexport const planted = Client\n"
  writeFileSync(join(copy, 'src/store/planted.ts'), sdk)
  const { status, stderr } = check(copy)
  expect(status).toBe(1)
  expect(stderr).toContain('layer-text: src/text/planted.ts -> src/pipeline/onion.ts')
  expect(stderr).toContain('mcp-sdk-at-the-edges: src/store/planted.ts')
}, 60_000)
