/**
 * Payloads that come with the project: results of real MCP servers on real data, recorded at the time of the run. Nothing is
 * committed; two of the servers are brought by npx.
 */
import * as filesystem from './recorded/filesystem.mjs'
import * as git from './recorded/git.mjs'
import * as memory from './recorded/memory.mjs'
import * as sqlite from './recorded/sqlite.mjs'

const SOURCES = [filesystem, sqlite, git, memory]

/**
 * @param {{sources?: {name: string, record: () => Promise<{name: string, text: string}[]>}[]}} [options]
 * @returns {Promise<{name: string, text: string}[]>} the text of each result under a name with the extension of its kind. A server that
 * cannot be installed is left out, and a line on standard error says so.
 */
export async function recordPayloads({ sources = SOURCES } = {}) {
  const settled = await Promise.allSettled(sources.map((source) => source.record()))
  return settled.flatMap((result, n) => {
    if (result.status === 'fulfilled') return result.value
    console.error(`payloads of ${sources[n].name} are left out: ${result.reason?.message ?? result.reason}`)
    return []
  })
}
