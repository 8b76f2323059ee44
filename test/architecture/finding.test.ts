/** The words of the documents and the package about finding tools. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { settingRows } from '../../src/config/options.ts'
import { ourInstructions } from '../../src/proxy/instructions.ts'
import { verifies } from '../support/verifies.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (name: string): string => readFileSync(join(root, name), 'utf8')

/** Packages that bring a model, its runtime, an index of vectors or a database. */
const HEAVY = /transformers|onnx|tensorflow|torch|faiss|hnsw|llama|^openai$|^pg$|pgvector|sqlite-vec|sharp/

describe('the base install', () => {
  verifies('S1.49', 'has no package for models, and none that has to be compiled', () => {
    const { dependencies, optionalDependencies = {} } = JSON.parse(read('package.json'))
    const { packages } = JSON.parse(read('package-lock.json')) as {
      packages: Record<string, { dev?: boolean; hasInstallScript?: boolean }>
    }
    const installed = Object.entries(packages).filter(([path, { dev }]) => path !== '' && !dev)
    const names = installed.map(([path]) => path.replace(/^.*node_modules\//, ''))
    expect(names).toEqual(expect.arrayContaining(Object.keys(dependencies)))
    expect(Object.keys(optionalDependencies)).toEqual([])
    expect(names.filter((name) => HEAVY.test(name))).toEqual([])
    expect(installed.filter(([, { hasInstallScript }]) => hasInstallScript)).toEqual([])
  })

  test('the pattern knows what it looks for', () => {
    for (const name of ['@huggingface/transformers', 'onnxruntime-node', 'faiss-node', 'pg', 'sqlite-vec'])
      expect(name).toMatch(HEAVY)
  })
})

verifies(
  'S1.70',
  'what finding saves is our own measurement, printed with the number of tools it was made with',
  () => {
    const { breakEven, replies } = JSON.parse(read('benchmarks/results/retrieval.json'))
    expect(breakEven.map(({ tools }: { tools: number }) => tools)).toEqual([45, 180, 527])
    expect(replies.median).toBeLessThanOrEqual(450)
    const performance = read('PERFORMANCE.md')
    for (const { tools, all, shown } of breakEven) {
      // Tools that find and call others, the three that ask what is kept, and the one that runs programs.
      expect(shown).toBeLessThanOrEqual(1150)
      const row = performance.split('\n').find((line) => line.startsWith(`| ${tools} |`)) ?? ''
      for (const figure of [all, shown]) expect(row).toContain(figure.toLocaleString('en'))
    }
  },
)

verifies('S1.60', 'no source makes code of texts', () => {
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  )
  expect(sources.length).toBeGreaterThan(100)
  // The one script of `vm` is the constant text 'call()': there is no other way to stop a pattern that backtracks.
  const makes =
    /\beval\(|\bnew Function\b|\bFunction\(|new (?:vm\.)?Script\((?!'call\(\)'\))|setTimeout\(\s*['"`]/
  expect(sources.filter((name) => makes.test(read(join('src', name))))).toEqual([])
})

describe('who finds tools is told how', () => {
  verifies('S1.71', 'the instructions say which tool is first and how one is run, in every mode', () => {
    const told = (routing: 'call' | 'dynamic', isSplit = false, listWithinTokens = 0): string =>
      ourInstructions({ routing, variants: isSplit ? 'readWriteDestructive' : 'single', listWithinTokens })
    expect(told('call')).toMatch(/First call retrieve_tools .* run one with call_tool/)
    expect(told('call', true)).toMatch(/First call retrieve_tools .* its call_with names/)
    expect(told('dynamic')).toMatch(/First call retrieve_tools .* adds them to your tools/)
    expect(told('dynamic')).not.toContain('call_tool')
    expect(told('call', false, 9000)).toMatch(/When one is missing call retrieve_tools/)
    for (const text of [told('call'), told('call', true, 9000), told('dynamic')])
      expect(text.length).toBeLessThan(2000)
    expect(ourInstructions('passthrough')).not.toContain('retrieve_tools')
  })

  verifies(
    'S1.71 S1.47',
    'the page on finding tools has recipes with names that exist, the prompt, and the warning about the shell',
    () => {
      const page = read('docs/finding-tools.md')
      const known = new Set(settingRows().flatMap(({ env }) => env))
      const named = [...page.matchAll(/\bMCPPROXY_[A-Z_]+\b/g)].map(([name]) => name)
      expect(named.filter((name) => !known.has(name) && name !== 'MCPPROXY_CONFIG_PATH')).toEqual([])
      expect(page).toMatch(/\*\*Cursor\*\*.*\n\s*```json\n.*MCPPROXY_ROUTING_TYPE/)
      expect(page).toMatch(/\*\*Agent Development Kit\*\*/)
      expect(page).toContain('call retrieve_tools with what you want to do')
      expect(page).toMatch(/listChangedExec`.*runs in a shell.*commands that\s+you\s+trust/s)
    },
  )

  test.each(['README.md', 'docs/finding-tools.md'])(
    'every setting that %s shows as JSON can be read',
    (name) => {
      const blocks = [...read(name).matchAll(/```json\n([\s\S]*?)```/g)].map(([, text = '']) => text)
      expect(blocks.length).toBeGreaterThan(0)
      for (const block of blocks) expect(() => JSON.parse(block)).not.toThrow()
    },
  )
})
