/** The installed packages and what they depend on as a knowledge graph, by the memory server. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { installedPackages, serverScript } from './project.mjs'
import { withServer } from './server.mjs'

export const name = 'memory'

/** @returns {Promise<{name: string, text: string}[]>} */
export async function record() {
  const directory = mkdtempSync(join(tmpdir(), 'benchmark-memory-'))
  try {
    const server = {
      command: process.execPath,
      args: [serverScript('server-memory')],
      env: { MEMORY_FILE_PATH: join(directory, 'memory.jsonl') },
    }
    return await withServer(server, async (call) => {
      const { entities, relations } = graph()
      await call('create_entities', { entities })
      await call('create_relations', { relations })
      return [{ name: 'memory-graph-of-packages.json', text: await call('read_graph', {}) }]
    })
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

function graph() {
  const packages = installedPackages()
  const entities = new Map()
  const relations = new Map()
  for (const { name, entry } of packages) {
    entities.set(name, {
      name,
      entityType: entry.dev ? 'development package' : 'package',
      observations: [
        `has version ${entry.version}`,
        ...(entry.license ? [`is licensed under ${entry.license}`] : []),
        ...(entry.engines?.node ? [`needs Node ${entry.engines.node}`] : []),
        ...(entry.bin ? [`has the commands ${Object.keys(entry.bin).join(', ')}`] : []),
      ],
    })
  }
  for (const { name, entry } of packages) {
    for (const to of Object.keys(entry.dependencies ?? {})) {
      if (entities.has(to)) relations.set(`${name} ${to}`, { from: name, to, relationType: 'depends on' })
    }
  }
  return { entities: [...entities.values()], relations: [...relations.values()] }
}
