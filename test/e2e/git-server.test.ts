/** A real server that promises a schema for every one of its tools: large answers of it are shaped, and clients find them valid. */
import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect } from 'vitest'
import { verifies } from '../support/verifies.ts'
import { type AnyClient, connectClient, GENERATIONS } from './support/clients.ts'
import { bring } from './support/command.ts'
import { MAIN, temporaryDirectory, textOf, writeConfig } from './support/world.ts'

const PACKAGE = '@cyanheads/git-mcp-server@2.15.3'
/** npx brings it and keeps it for the next time. */
const SERVER = ['-y', '--prefer-offline', PACKAGE]
const COMMITS = 200

beforeAll(() => bring(['-y', '--prefer-offline', '-p', PACKAGE]))

/** A repository with a history and differences too large to read. */
function makeRepository(folder: string): void {
  const git = (args: string[], input?: string): unknown => execFileSync('git', args, { cwd: folder, input })
  mkdirSync(folder)
  git(['init', '-q', '-b', 'main'])
  const history = Array.from({ length: COMMITS }, (_, n) => {
    const message = `Commit ${n} says at some length what was changed and why`
    const text = `line ${n}\n`.repeat(50)
    return [
      'commit refs/heads/main',
      `committer Ada <ada@example.org> ${1_700_000_000 + n * 60} +0000`,
      `data ${message.length}\n${message}`,
      `M 100644 inline file-${n % 20}.txt`,
      `data ${text.length}\n${text}`,
    ].join('\n')
  })
  git(['fast-import', '--quiet'], `${history.join('\n')}\n`)
  git(['reset', '-q', '--hard'])
}

/** The tools, once the server has come: npx may have to fetch it. */
async function toolsOf(client: AnyClient): Promise<number> {
  const { tools } = await client.listTools()
  return tools.filter(({ outputSchema }) => outputSchema !== undefined).length
}

for (const generation of GENERATIONS) {
  verifies(
    'S3.10',
    `client ${generation} finds the answers of a git server valid, shaped and whole`,
    async () => {
      const directory = temporaryDirectory()
      const path = join(directory, 'repository')
      makeRepository(path)
      const env = { MCP_LOG_LEVEL: 'error', LOGS_DIR: join(directory, 'logs') }
      const servers = { git: { command: 'npx', args: SERVER, env } }
      const config = writeConfig(directory, { servers, settings: { structured: 'keep' } })
      const client = await connectClient(generation, {
        command: process.execPath,
        args: [MAIN, '--config', config],
      })
      await expect.poll(() => toolsOf(client), { timeout: 170_000, interval: 500 }).toBeGreaterThan(20)
      const call = (name: string, args: object) =>
        client.callTool({ name: `git_${name}`, arguments: { path, ...args } })

      // The clients throw when an answer breaks the schema they were told.
      const log = await call('git_log', { maxCount: COMMITS })
      const difference = await call('git_diff', { source: `HEAD~${COMMITS / 2}`, target: 'HEAD' })
      for (const large of [log, difference]) {
        expect(large.isError, textOf(large)).toBeFalsy()
        expect(large._meta).toHaveProperty('mcp-rlm-proxy/cache-id')
        expect(JSON.stringify(large.structuredContent)).toContain(large._meta?.['mcp-rlm-proxy/cache-id'])
        expect(JSON.stringify(large).length).toBeLessThanOrEqual(8000)
      }
      const status = await call('git_status', {})
      expect(status.structuredContent).toMatchObject({ success: true, currentBranch: 'main', isClean: true })
      expect(status._meta?.['mcp-rlm-proxy/cache-id']).toBeUndefined()
    },
  )
}
