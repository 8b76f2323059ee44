/** The tables of docs/clients.md: what was measured, from benchmarks/results/clients.json, and each client's own settings, from the table of `init`. */

import { markdownTable } from '../benchmarks/answers/report.mjs'
import { CLIENTS, proxyEntry, snippet } from '../dist/cli/clients.js'

const HEADING = [
  'client',
  'version',
  'handle seen',
  'tools listed',
  'proxy_filter is called',
  'instructions',
  'approval: reads / `proxy_filter` / declares nothing / destroys',
  'own limit',
]
const LISTED = { 'at once': 'at once', later: 'in a later turn', names: 'names, until searched', no: 'no' }
const SHORT = {
  runs: 'runs',
  refused: 'refused',
  'not listed': 'not listed',
  'no handle': 'no handle',
  'the run had ended': 'run ends',
}

/** A table of the text that the model of each client saw. The newer side is shown: `after` where it was recorded. */
export function clientsTable({ clients }) {
  const rows = Object.values(clients).map((entry) => {
    const { main, ask, settings } = entry.after ?? entry.before ?? {}
    const version = Object.values(entry.packages)[0]
    if (entry.notRun || !main || main.notRun)
      return [
        entry.title,
        version,
        `not run: ${entry.notRun ?? main?.notRun ?? 'not recorded'}`,
        '',
        '',
        '',
        '',
        '',
      ]
    return [
      entry.title,
      version,
      main.handle ? `yes, ${main.previews === 1 ? 'once' : `${main.previews} times`}` : 'no',
      LISTED[main.listed],
      main.as ? `\`${main.as}\`` : '',
      main.instructions,
      [
        approval(ask),
        ...(['', approval(ask)].includes(approval(settings))
          ? []
          : [`with the entry of \`init\`: ${approval(settings)}`]),
      ]
        .filter(Boolean)
        .join('; '),
      limit(entry.limits),
    ]
  })
  return markdownTable([HEADING, ...rows])
}

const approval = (ask) =>
  !ask || ask.notRun
    ? ''
    : [ask.reads, ask.question, ask.unmarked, ask.destroys].map((word) => SHORT[word] ?? word).join(' / ')

function limit(limits) {
  if (!limits || limits.notRun) return ''
  if (limits.cut === undefined) return `none to ${limits.tried.toLocaleString('en')}`
  const whole = limits.whole === 0 ? '' : `${limits.whole.toLocaleString('en')} whole, `
  const then = limits.ends
    ? 'ends the run'
    : `about ${(Math.round(limits.leaves / 100) * 100).toLocaleString('en')} left${limits.file ? ' and a file' : ''}`
  return `${whole}${limits.cut.toLocaleString('en')} cut: ${then}`
}

/** One section a client: the file, the entry with its settings, what to know. */
export function clientSettings() {
  const places = { cwd: '.', home: '~', platform: 'linux', env: {} }
  return CLIENTS.map((client) => {
    const entry = proxyEntry(client, '/path/to/mcp.json', places.platform)
    const file = client.files(places).at(client.target)
    const notes = client.notes.map((note) => `\n- ${note}`).join('')
    return `### ${client.title}\n\n\`${file}\`, or \`mcp-rlm-proxy init --client ${client.id}\`\n\n\`\`\`${client.format}\n${snippet(client, 'proxy', entry).trim()}\n\`\`\`${notes && `\n${notes}`}`
  }).join('\n\n')
}
