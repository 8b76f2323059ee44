/**
 * Twenty clicks on a large page in a real browser. Counted are the tokens of all snapshots with the proxy and without it, and whether the
 * model has the reference of its next click. The reader of the answers is a program. It looks for the name of the next control in what it
 * got, and asks `proxy_filter` if the name is not there.
 * Usage: node benchmarks/browser/run.mjs [--chromium PATH] [--cache FOLDER]
 */

import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { connect } from '../answers/client.mjs'
import { tokensOf } from '../answers/tokens.mjs'
import { machine } from '../lib/measure.mjs'
import { CLICKS, servePage } from './page.mjs'

const { values: options } = parseArgs({
  options: {
    chromium: {
      type: 'string',
      default: process.env.BENCH_CHROMIUM ?? onPath(['chromium', 'chromium-browser', 'google-chrome']),
    },
    cache: { type: 'string', default: join(tmpdir(), 'mcp-rlm-proxy-browser') },
  },
})
const MAIN = process.env.BENCH_MAIN ?? fileURLToPath(new URL('../../dist/main.js', import.meta.url))

/** One that gives a snapshot with each click, and one that gives it when it is asked for. */
const VERSIONS = [
  { version: '0.0.41', asks: false, target: 'ref' },
  { version: '0.0.83', asks: true, target: 'target' },
]

if (options.chromium === undefined) {
  console.error(
    'No Chromium was found: install one (Debian: apt install chromium), or name it with --chromium PATH.',
  )
  process.exit(1)
}
const page = await servePage()
try {
  const rows = []
  for (const each of VERSIONS) rows.push(await measure(each))
  for (const row of rows) console.log(JSON.stringify(row))
  mkdirSync('benchmarks/results', { recursive: true })
  writeFileSync(
    'benchmarks/results/browser.json',
    `${JSON.stringify({ machine: machine(), clicks: CLICKS.length, rows }, null, 1)}\n`,
  )
} finally {
  page.close()
}

async function measure({ version, asks, target }) {
  const folder = mkdtempSync(join(tmpdir(), 'browser-'))
  const server = [
    process.execPath,
    serverOf(version),
    '--headless',
    '--isolated',
    '--no-sandbox',
    '--executable-path',
    options.chromium,
    '--output-dir',
    folder,
  ]
  const client = await connect(process.execPath, [MAIN, '--', ...server], { cwd: folder })
  try {
    return await clicks({ version, asks, target }, client)
  } finally {
    await client.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function clicks({ version, asks, target }, client) {
  const tool = (name) => client.tools.find((each) => each.name.endsWith(name)).name
  const tally = { version, asks, snapshots: 0, whole: 0, sent: 0, questions: 0, asked: 0, had: 0, right: 0 }
  const known = new Map()
  let truth = ''
  let handle

  /** One snapshot, as the model gets it and as it is. */
  async function see(text) {
    // A snapshot or a preview of one stands for itself; what changed adds to what is known.
    if (!/^Since cache_id|: unchanged since/m.test(text)) known.clear()
    for (const [, name, ref] of text.matchAll(
      /"((?:[^"\\]|\\.)*)" \[(?:[^\]]*\] \[)*(?:ref=)?(f?\d*e\d+)\]/g,
    ))
      known.set(name, ref)
    handle = /^cache_id (\w+)/m.exec(text)?.[1]
    truth = handle === undefined ? text : await whole(handle)
    tally.snapshots += 1
    tally.sent += tokensOf(text)
    tally.whole += tokensOf(truth)
  }
  const whole = async (id) => (await client.read(`rlm://${id}`)).contents[0].text
  const act = async (name, args) => {
    const { text, isError } = await client.call(tool(name), args)
    if (isError) throw new Error(`${name} ${JSON.stringify(args)}: ${text}`)
    if (!asks) return see(text)
    // A result that links to a file is the same with and without the proxy.
    await see((await client.call(tool('browser_snapshot'), {})).text)
  }

  await act('browser_navigate', { url: page.url })
  for (const [role, name] of CLICKS) {
    const now = refIn(truth, role, name)
    if (now === undefined) throw new Error(`${role} "${name}" is not on the page`)
    if (known.has(name)) tally.had += 1
    else {
      const question = {
        cache_id: handle,
        where: [`role = ${role}`, `name = "${name}"`],
        fields: ['name', 'ref'],
      }
      const { text } = await client.call('proxy_filter', question)
      tally.questions += 1
      tally.asked += tokensOf(JSON.stringify(question)) + tokensOf(text)
      known.set(name, /\bf?\d*e\d+\b/.exec(text.slice(text.indexOf(name)))?.[0])
    }
    if (known.get(name) === now) tally.right += 1
    await act('browser_click', { element: name, [target]: known.get(name) })
  }
  return tally
}

function refIn(text, role, name) {
  const line = text.split('\n').find((each) => each.trim().startsWith(`- ${role} "${name}"`))
  return /\[ref=(\w+)\]/.exec(line ?? '')?.[1]
}

/** The program of the server in this version, installed where it is not yet. */
function serverOf(version) {
  const folder = join(options.cache, version)
  const program = join(folder, 'node_modules/@playwright/mcp/cli.js')
  if (existsSync(program)) return program
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
  const { status, stderr } = spawnSync(
    'npm',
    ['install', '--no-audit', '--no-fund', `@playwright/mcp@${version}`],
    { cwd: folder, encoding: 'utf8' },
  )
  if (status !== 0)
    throw new Error(`@playwright/mcp ${version} could not be installed: ${stderr.slice(-600)}`)
  return program
}

function onPath(names) {
  const folders = (process.env.PATH ?? '').split(delimiter)
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find((file) => existsSync(file))
}
