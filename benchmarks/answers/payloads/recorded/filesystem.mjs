/** Directory trees, files and metadata of the project's packages, by the filesystem server. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { installedPackages, ROOT, serverScript } from './project.mjs'
import { withServer } from './server.mjs'

const TREE_LIMIT_FILES = 6000
/** The README or CHANGELOG nearest to each size: a long one and one of ordinary length. */
const DOCUMENT_BYTES = [150_000, 40_000]

export const name = 'filesystem'

/** @returns {Promise<{name: string, text: string}[]>} */
export function record() {
  const server = { command: process.execPath, args: [serverScript('server-filesystem'), ROOT] }
  return withServer(server, async (call) => {
    const packages = installedPackages()
    const [tree, ...documents] = [largestTree(packages), ...chosenDocuments(packages)]
    const recorded = [
      {
        name: 'filesystem-tree-of-project.json',
        text: await call('directory_tree', {
          path: ROOT,
          excludePatterns: ['node_modules', '.git', 'dist', '.tmp'],
        }),
      },
      {
        name: 'filesystem-tree-of-package.json',
        text: await call('directory_tree', { path: join(ROOT, tree) }),
      },
      {
        name: 'filesystem-package-lock.json',
        text: await call('read_text_file', { path: join(ROOT, 'package-lock.json') }),
      },
      {
        name: 'filesystem-package-metadata.txt',
        text: await call('read_multiple_files', {
          paths: packages.map(({ folder }) => join(ROOT, folder, 'package.json')),
        }),
      },
    ]
    for (const [n, path] of documents.entries()) {
      recorded.push({ name: `filesystem-document-${n + 1}.md`, text: await call('read_text_file', { path }) })
    }
    return recorded
  })
}

/** The folder of the package with the most files, yet not more than a server gives in a reasonable time. */
function largestTree(packages) {
  const counted = packages.map(({ folder }) => ({ folder, files: filesIn(join(ROOT, folder)) }))
  return counted.filter(({ files }) => files <= TREE_LIMIT_FILES).sort((a, b) => b.files - a.files)[0].folder
}

/** Stops a little after the limit. */
function filesIn(folder, limit = TREE_LIMIT_FILES + 1) {
  let count = 0
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    count += entry.isDirectory() ? filesIn(join(folder, entry.name), limit - count) : 1
    if (count >= limit) break
  }
  return count
}

function chosenDocuments(packages) {
  const documents = packages.flatMap(({ folder }) =>
    readdirSync(join(ROOT, folder))
      .filter((file) => /^(readme|changelog|history).*\.md$/i.test(file))
      .map((file) => join(ROOT, folder, file))
      .map((path) => ({ path, bytes: statSync(path).size })),
  )
  const chosen = DOCUMENT_BYTES.map(
    (bytes) => documents.toSorted((a, b) => Math.abs(a.bytes - bytes) - Math.abs(b.bytes - bytes))[0].path,
  )
  return [...new Set(chosen)]
}
