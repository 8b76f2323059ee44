/**
 * A server on standard input and output. The first argument is JSON: options of `fixture.mjs` and
 * `started`: a file that gets a line with the process id at every start;
 * `order`: "result-first" writes members as some SDKs do; `stubborn`: ignores closed input and SIGTERM. `noise`: lines written to stdout
 * before anything else. `crash`: exits at once with this code.
 * Tools of its own: `garbage`, `die`, `half`, `answer` (raw text in place of an answer), `children`.
 */
import { spawn } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { connect } from './fixture.mjs'

const options = JSON.parse(process.argv[2] ?? '{}')
if (options.started) appendFileSync(options.started, `${process.pid}\n`)
if (options.stderr) process.stderr.write(options.stderr)
if (options.crash !== undefined) process.exit(options.crash)
if (options.stubborn) {
  process.on('SIGTERM', () => {})
  setInterval(() => {}, 1000)
}
for (const line of options.noise ?? []) process.stdout.write(`${line}\n`)

const raw = (text) => process.stdout.write(text)

const send = (message) => {
  const { jsonrpc, id, ...rest } = message
  const ordered = options.order === 'result-first' ? { ...rest, jsonrpc, id } : { jsonrpc, id, ...rest }
  raw(`${JSON.stringify(ordered)}\n`)
}

const call = async (id, name, args) => {
  switch (name) {
    case 'garbage':
      raw('Listening on port 3000\n{"not": "json rpc"}\n[1, 2]\n42\n{broken\n\n')
      return { content: [{ type: 'text', text: 'after the garbage' }] }
    case 'die':
      process.stderr.write('first words\nlast words\n')
      process.exit(args.code)
      break
    case 'half':
      raw('{"jsonrpc":"2.0","id":')
      setTimeout(() => process.exit(3), 20)
      return undefined
    case 'answer':
      raw(`${args.text.replace('$ID', JSON.stringify(id))}\n`)
      return undefined
    case 'child': {
      const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' })
      return { content: [{ type: 'text', text: String(child.pid) }] }
    }
    default:
      return { content: [{ type: 'text', text: `no tool ${name}` }], isError: true }
  }
  return undefined
}

const receive = connect({ send, raw }, { ...options, call })
const input = createInterface({ input: process.stdin })
input.on('line', (line) => void receive(JSON.parse(line)))
input.on('close', () => {
  if (!options.stubborn) process.exit(0)
})
