/**
 * The parts of the project that are published: the declarations that importers need, and the manifest without what the bundle holds.
 * Usage: node scripts/published.mjs manifest | restore (before and after npm packs; the manifest as it was waits in MANIFEST_KEPT)
 */
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Packages that the published one needs beside its bundle: those with a WebAssembly file, which they find beside their code. */
export const NEEDED = ['node-sqlite3-wasm', 'quickjs-wasi']

/** Packages that only programs need which import the types: modules describe their options in it. */
const NEEDED_FOR_TYPES = ['zod']

/** Keys of the manifest that are for work on the project alone. */
const FOR_WORK = ['devDependencies', 'knip', 'scripts']

/** The name in the MCP registry, for the GitHub account of the release. The manifest of npm carries it too, which proves one owner. */
export const registryName = (owner) => `io.github.${owner}/mcp-rlm-proxy`

const MANIFEST_KEPT = 'package.json.kept'

/**
 * The manifest that is published: the bundle holds all other dependencies. `owner`: the GitHub account of the release, for the name in the
 * MCP registry; undefined: no name.
 */
export function publishedManifest(manifest, owner) {
  const { dependencies } = manifest
  const kept = Object.entries(manifest).filter(([key]) => !FOR_WORK.includes(key))
  const only = (names, write) => Object.fromEntries(names.map((name) => [name, write(name)]))
  return {
    ...Object.fromEntries(kept),
    ...(owner && { mcpName: registryName(owner) }),
    dependencies: only(NEEDED, (name) => dependencies[name]),
    peerDependencies: only(NEEDED_FOR_TYPES, (name) => `^${dependencies[name]}`),
    peerDependenciesMeta: only(NEEDED_FOR_TYPES, () => ({ optional: true })),
  }
}

/**
 * Copies the declarations that `entries` (files in `from`) reach into `into`. Fails on an import of a package that an importer does not
 * have.
 */
export function copyDeclarations(from, entries, into) {
  rmSync(into, { recursive: true, force: true })
  const reached = new Set(entries.map((entry) => join(from, entry)))
  for (const file of reached) {
    const text = readFileSync(file, 'utf8')
    for (const [, name] of text.matchAll(/(?:from |import\()['"]([^'"]+)['"]/g)) {
      if (name.startsWith('.')) reached.add(join(dirname(file), name.replace(/\.[jt]s$/, '.d.ts')))
      else if (!name.startsWith('node:') && !NEEDED_FOR_TYPES.includes(name))
        throw new Error(`The public types reach ${file}, and it imports ${name}, which is not published`)
    }
    const copy = join(into, relative(from, file))
    mkdirSync(dirname(copy), { recursive: true })
    copyFileSync(file, copy)
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv[2] === 'manifest') {
    const text = readFileSync('package.json', 'utf8')
    // A copy that is kept already is the original: an earlier run did not end.
    if (!existsSync(MANIFEST_KEPT)) writeFileSync(MANIFEST_KEPT, text)
    const manifest = JSON.parse(readFileSync(MANIFEST_KEPT, 'utf8'))
    writeFileSync(
      'package.json',
      `${JSON.stringify(publishedManifest(manifest, process.env.GITHUB_REPOSITORY_OWNER), undefined, 2)}\n`,
    )
  } else if (process.argv[2] === 'restore' && existsSync(MANIFEST_KEPT))
    renameSync(MANIFEST_KEPT, 'package.json')
}
