/**
 * Builds `dist`: the command and the library as one bundle, because Node takes its time for each file. The code that start-up loads is in
 * a few files in place of some 300. `dist/main.js` starts it. Beside it stand the types, which are published, and each module by itself,
 * for tests and benchmarks alone.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, copyFileSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, join } from 'node:path'
import { rolldown } from 'rolldown'
import { copyDeclarations, NEEDED } from './published.mjs'

/**
 * CommonJS packages that the code requires when it first needs them. Each is bundled as a file of its own, and the `require` names that file.
 */
const REQUIRED = {
  'ajv/dist/2020.js': 'ajv.cjs',
  'cross-spawn': 'cross-spawn.cjs',
  htmlparser2: 'htmlparser2.cjs',
  jmespath: 'jmespath.cjs',
  pino: 'pino.cjs',
  re2js: 're2js.cjs',
  'smol-toml': 'smol-toml.cjs',
  'wink-bm25-text-search': 'wink-bm25-text-search.cjs',
  yaml: 'yaml.cjs',
}
/** Files of packages that the code reads, copied beside the bundle under the same last name. */
const READ = ['gpt-tokenizer/data/o200k_base.tiktoken']

const BUNDLE = 'dist/bundle'
/** Node reads what a start loads from end to end. Names stay, so that errors can be read. */
const BLANKS = { compress: false, mangle: false, codegen: { removeWhitespace: true } }
const LICENSES = 'THIRD-PARTY-LICENSES.txt'
/** The folder of the page. */
const PAGE = 'console'

/** Files of an earlier build stay for as long as a process that began with them may still ask for one. */
const STALE_MS = 3_600_000

const require = createRequire(import.meta.url)
const tsc = require.resolve('typescript/bin/tsc')
const [[code]] = await Promise.all([
  once(spawn(process.execPath, [tsc, '-p', 'tsconfig.json'], { stdio: 'inherit' }), 'exit'),
  bundle(),
])
copyDeclarations('dist', ['index.d.ts', 'explore.d.ts'], 'dist/types')
writeFileSync('dist/main.js', "#!/usr/bin/env node\nimport './bundle/main.js'\n")
chmodSync('dist/main.js', 0o755)
process.exitCode = code

async function bundle() {
  const [required, page] = await Promise.all([bundleRequired(), bundlePage()])
  const imports = new Map()
  const made = await rolldown({
    input: {
      main: 'src/main.ts',
      index: 'src/index.ts',
      explore: 'src/explore.ts',
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
      requireBundled(),
    ],
    platform: 'node',
    // The UMD build of jsonc-parser hides what it requires.
    resolve: { mainFields: ['module', 'main'] },
    external: NEEDED,
    checks: { ineffectiveDynamicImport: false },
  })
  const { output } = await made.write({
    dir: BUNDLE,
    format: 'esm',
    comments: { legal: true, annotation: false, jsdoc: false },
    minify: BLANKS,
    // For a profiler. The package has no maps, so no file names one.
    sourcemap: 'hidden',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    codeSplitting: { groups: groups(imports) },
  })
  await made.close()
  for (const file of READ) copyFileSync(require.resolve(file), join(BUNDLE, basename(file)))
  const modules = [
    ...output.flatMap((chunk) => chunk.moduleIds ?? []),
    ...required,
    ...page,
    ...READ.map(require.resolve),
  ]
  writeFileSync(join(BUNDLE, LICENSES), licenses(modules))
  removeStale([
    ...output.map(({ fileName }) => fileName),
    ...Object.values(REQUIRED),
    ...READ.map((file) => basename(file)),
    LICENSES,
    PAGE,
  ])
}

/** Writes the page of the console, which runs in a browser, and tells which modules are in it. */
async function bundlePage() {
  const from = 'src/features/console/page'
  const made = await rolldown({
    input: join(from, 'main.tsx'),
    platform: 'browser',
    tsconfig: join(from, 'tsconfig.json'),
  })
  const { output } = await made.write({ file: join(BUNDLE, PAGE, 'page.js'), format: 'esm', minify: true })
  await made.close()
  copyFileSync(join(from, 'index.html'), join(BUNDLE, PAGE, 'index.html'))
  const styles = ['node_modules/uplot/dist/uPlot.min.css', join(from, 'page.css')]
  writeFileSync(join(BUNDLE, PAGE, 'page.css'), styles.map((file) => readFileSync(file, 'utf8')).join('\n'))
  return output.flatMap((chunk) => chunk.moduleIds ?? [])
}

/** Writes the files of `REQUIRED`, and tells which modules are in them. */
async function bundleRequired() {
  const modules = await Promise.all(
    Object.entries(REQUIRED).map(async ([name, file]) => {
      const made = await rolldown({ input: name, platform: 'node', checks: { mixedExports: false } })
      const { output } = await made.write({ file: join(BUNDLE, file), format: 'cjs', minify: BLANKS })
      await made.close()
      return output.flatMap((chunk) => chunk.moduleIds ?? [])
    }),
  )
  return modules.flat()
}

/** Has each `require` of a package by its name name the file of the bundle. A build fails where nothing requires it any more. */
function requireBundled() {
  const files = { ...REQUIRED, ...Object.fromEntries(READ.map((file) => [file, basename(file)])) }
  const unused = new Set(Object.keys(files))
  return {
    name: 'require-bundled',
    transform(code, id) {
      if (!code.includes('createRequire') || id.includes('node_modules')) return null
      // Calls alone: not `import('yaml')`, which is a type.
      const changed = code.replace(/(?<!import)\(\s*'([^']+)'/g, (call, name) => {
        if (!(name in files)) return call
        unused.delete(name)
        return `('./${files[name]}'`
      })
      // The lines stay as they are.
      return { code: changed, map: null }
    },
    buildEnd() {
      if (unused.size > 0) throw new Error(`nothing requires ${[...unused].join(', ')}`)
    },
  }
}

/**
 * Puts what a start loads into a few files, in place of dozens that each hold what the same other files need. One has what every thread
 * and command needs, one what the command line needs. One has what the threads and the proxy need, one what only the proxy needs.
 * Each has all that its parts import, or it
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

/** The packages that are in the bundle, each with its version and its licence, as most licences ask for. */
function licenses(modules) {
  const folders = modules.map((id) => /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(id)?.[0])
  return [...new Set(folders.filter((folder) => folder !== undefined))]
    .sort()
    .map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
      const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry))
      if (file === undefined) throw new Error(`${folder} has no licence to be told`)
      return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`
    })
    .join(`\n${'-'.repeat(80)}\n\n`)
}

function removeStale(made) {
  for (const name of readdirSync(BUNDLE)) {
    const path = join(BUNDLE, name)
    if (!made.includes(name.replace(/\.map$/, '')) && Date.now() - statSync(path).mtimeMs > STALE_MS)
      rmSync(path)
  }
}
