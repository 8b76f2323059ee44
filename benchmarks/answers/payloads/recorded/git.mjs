/** History of the project, or where it is not a repository, of one made on the spot, by a git server that npx brings. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { seeded } from '../../../lib/measure.mjs'
import { ROOT } from './project.mjs'
import { withServer } from './server.mjs'

const SERVER = ['-y', '--prefer-offline', '@cyanheads/git-mcp-server@2.15.3']
const COMMITS = 400

export const name = 'git'

/** @returns {Promise<{name: string, text: string}[]>} */
export async function record() {
  const directory = mkdtempSync(join(tmpdir(), 'benchmark-git-'))
  try {
    const made = join(directory, 'made')
    makeRepository(made)
    const server = {
      command: 'npx',
      args: SERVER,
      env: { MCP_LOG_LEVEL: 'error', LOGS_DIR: join(directory, 'logs') },
    }
    return await withServer(server, async (call) => {
      const recorded = [
        { name: 'git-log-of-team.json', text: await call('git_log', { path: made, maxCount: COMMITS }) },
        {
          name: 'git-diff-of-team.json',
          text: await call('git_diff', { path: made, source: 'HEAD~40', target: 'HEAD' }),
        },
      ]
      if (isRepository(ROOT)) {
        const text = await call('git_log', { path: ROOT, maxCount: COMMITS })
        recorded.push({ name: 'git-log-of-project.json', text })
      }
      return recorded
    })
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

function isRepository(folder) {
  try {
    execFileSync('git', ['rev-parse', '--verify', 'HEAD'], { cwd: folder, stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

const PEOPLE = ['Ada Byron', 'Grace Murray', 'Alan Mathison', 'Edsger Wybe', 'Barbara Huberman', 'Ken Lane']
const KINDS = ['fix', 'fix', 'feat', 'docs', 'test', 'refactor', 'chore']
const AREAS = ['parser', 'router', 'cache', 'billing', 'search', 'login', 'export', 'mailer']
const DEEDS = [
  'stop when the peer has gone',
  'count what is left over',
  'say which field is missing',
  'keep the order of rows',
  'accept an empty list',
  'remove what nobody calls',
  'read the time zone of the account',
  'retry once after a timeout',
]

/** A repository of several authors over months, the same one every time. */
function makeRepository(folder) {
  const random = seeded(4)
  const one = (list) => list[Math.floor(random() * random() * list.length)]
  let time = 1_700_000_000
  const history = Array.from({ length: COMMITS }, (_, n) => {
    const person = one(PEOPLE)
    time += Math.floor(random() * 40_000)
    const area = one(AREAS)
    const message = `${one(KINDS)}(${area}): ${one(DEEDS)}${n === 237 ? ' (see ticket KX-4471)' : ''}\n\nStep ${n} of the work on ${area}.`
    const body = Array.from({ length: 30 }, (_, line) => `${area} ${line} ${Math.floor(random() * 1e6)}\n`)
    const text = body.join('')
    return [
      'commit refs/heads/main',
      `committer ${person} <${person.split(' ')[0].toLowerCase()}@example.org> ${time} +0000`,
      `data ${Buffer.byteLength(message)}\n${message}`,
      `M 100644 inline ${area}/file-${n % 12}.txt`,
      `data ${Buffer.byteLength(text)}\n${text}`,
    ].join('\n')
  })
  execFileSync('git', ['init', '-q', '-b', 'main', folder])
  execFileSync('git', ['fast-import', '--quiet'], { cwd: folder, input: `${history.join('\n')}\n` })
  execFileSync('git', ['reset', '-q', '--hard'], { cwd: folder })
}
