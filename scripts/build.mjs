/**
 * Builds `dist`: the command and the library as one bundle, because Node takes its time for each file: what start-up loads is in a few
 * files in place of some 300. `dist/main.js` starts it. Beside it stand the types, which are published, and each module by itself, for
 * tests and benchmarks alone.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { rolldown } from 'rolldown'

/** The dependencies that start-up loads. The others stay outside and are loaded when they are needed. */
const INCLUDED = [
  'commander',
  'fastest-levenshtein',
  'jsonc-parser',
  'lru-cache',
  'pino',
  'wink-porter2-stemmer',
  'zod',
]
const BUNDLE = 'dist/bundle'

/** Files of an earlier build stay for as long as a process that began with them may still ask for one. */
const STALE_MS = 3_600_000

const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8'))
const external = Object.keys(dependencies).filter((name) => !INCLUDED.includes(name))

const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc')
const [[code]] = await Promise.all([
  once(spawn(process.execPath, [tsc, '-p', 'tsconfig.json'], { stdio: 'inherit' }), 'exit'),
  bundle(),
])
writeFileSync('dist/main.js', "#!/usr/bin/env node\nimport './bundle/main.js'\n")
chmodSync('dist/main.js', 0o755)
process.exitCode = code

async function bundle() {
  const imports = new Map()
  const made = await rolldown({
    input: {
      main: 'src/main.ts',
      index: 'src/index.ts',
      worker: 'src/engine/worker.ts',
      'worker-process': 'src/engine/worker-process.ts',
      'check-process': 'src/proxy/check-process.ts',
      'code-machine': 'src/features/code/machine.ts',
      'module-host': 'src/features/external/host.ts',
    },
    plugins: [
      {
        name: 'graph',
        moduleParsed: ({ id, importedIds }) => void imports.set(id, importedIds),
      },
    ],
    platform: 'node',
    // The UMD build of jsonc-parser hides what it requires.
    resolve: { mainFields: ['module', 'main'] },
    external: (id) => external.some((name) => id === name || id.startsWith(`${name}/`)),
    checks: { ineffectiveDynamicImport: false },
  })
  const { output } = await made.write({
    dir: BUNDLE,
    format: 'esm',
    sourcemap: true,
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    codeSplitting: { groups: groups(imports) },
  })
  await made.close()
  const modules = output.flatMap((chunk) => chunk.moduleIds ?? [])
  writeFileSync(join(BUNDLE, 'LICENSES.txt'), licenses(modules))
  removeStale(output.map(({ fileName }) => fileName))
}

/**
 * What a start loads in a few files, not in the dozens of which each has what the same other files need: what every thread and command
 * needs, what the command line needs, what the threads and the proxy need, what the proxy needs alone. Each has all that its parts import, or it
 * is in one before it, so no file waits for one that waits for it.
 */
function groups(imports) {
  const of = lazily(() => {
    const reached = (...files) =>
      reachedFrom(
        files.map((file) => join(process.cwd(), file)),
        imports,
      )
    const main = reached('src/main.ts')
    const worker = reached('src/engine/worker.ts')
    const proxy = reached('src/cli/run.ts', 'src/gateway.ts')
    // The entry waits for the command that it runs: no file that the command needs may hold it.
    const entry = join(process.cwd(), 'src/main.ts')
    return (id) => {
      if (id === entry || (!proxy.has(id) && !main.has(id))) return undefined
      if (main.has(id)) return worker.has(id) ? 'base' : 'command'
      return worker.has(id) ? 'shared' : 'start'
    }
  })
  return ['base', 'command', 'shared', 'start'].map((name, at) => ({
    name,
    priority: 10 - at,
    test: (id) => of()(id) === name,
  }))
}

function reachedFrom(files, imports) {
  const reached = new Set(files)
  for (const id of reached) for (const other of imports.get(id) ?? []) reached.add(other)
  return reached
}

function lazily(make) {
  let made
  return () => (made ??= make())
}

/** The licences of the packages that are in the bundle, as they ask for. */
function licenses(modules) {
  const folders = modules.map((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0])
  return [...new Set(folders.filter((folder) => folder !== undefined))]
    .sort()
    .map((folder) => {
      const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name))
      if (file === undefined) throw new Error(`${folder} has no licence to be told`)
      return `${folder.replace(/^.*\/node_modules\//, '')}\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`
    })
    .join(`\n${'-'.repeat(80)}\n\n`)
}

function removeStale(made) {
  for (const name of readdirSync(BUNDLE)) {
    const path = join(BUNDLE, name)
    const current = made.includes(name) || name === 'LICENSES.txt'
    if (!current && Date.now() - statSync(path).mtimeMs > STALE_MS) rmSync(path)
  }
}
