/**
 * Builds `dist`: the modules with their types, for embedding, and the command as a bundle, because Node takes its time for each file:
 * what start-up loads is in a few files in place of some 300. `dist/main.js` starts the bundle.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { rolldown } from 'rolldown'

/** The dependencies that start-up loads. The others stay outside and are loaded when they are needed. */
const INCLUDED = ['commander', 'fastest-levenshtein', 'jsonc-parser', 'lru-cache', 'pino', 'zod']
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
  const made = await rolldown({
    input: {
      main: 'src/main.ts',
      worker: 'src/engine/worker.ts',
      'module-host': 'src/upstream/module-host.ts',
    },
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
  })
  await made.close()
  const modules = output.flatMap((chunk) => chunk.moduleIds ?? [])
  writeFileSync(join(BUNDLE, 'LICENSES.txt'), licenses(modules))
  removeStale(output.map(({ fileName }) => fileName))
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
