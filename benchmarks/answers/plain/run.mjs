/** Questions asked in one plain call without a path, over results of many kinds. `--help` says how. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { kept } from '../../engines/data.mjs'
import { machine } from '../../lib/measure.mjs'
import { tokensOf } from '../tokens.mjs'
import { plainData } from './data.mjs'
import { asSent, plainQuestions } from './questions.mjs'

const HELP = `node benchmarks/answers/plain/run.mjs [options]

Asks each question in one call without a path after the preview, of the engine without transport, and reports how many are answered, and
for how many tokens: preview, call and reply.

  --data NAME      the questions about one result
  --failures       print what was not answered, with the reply
  --previews       print the previews
`
const { values: options } = parseArgs({
  options: {
    data: { type: 'string' },
    failures: { type: 'boolean', default: false },
    previews: { type: 'boolean', default: false },
    engine: { type: 'string', default: fileURLToPath(new URL('../../../dist/engine', import.meta.url)) },
    help: { type: 'boolean', default: false },
  },
})
const LOOK = {
  maxResponseSize: 8000,
  maxErrorSize: 32_000,
  previewSize: 2000,
  always: false,
  wholeTokens: 4000,
}
const BUDGET = 8000
const HANDLE = 'a1b2c3d4e5f6'

if (options.help) console.log(HELP)
else await main()

async function main() {
  const [{ digest }, { query }, { createViews }] = await Promise.all(
    ['digest', 'query', 'views'].map((name) => import(pathToFileURL(`${options.engine}/${name}.js`).href)),
  )
  const data = plainData()
  const names = options.data ? [options.data] : Object.keys(data)
  const rows = []
  for (const name of names) {
    const views = createViews()
    const { content, hash } = kept(data[name].text)
    const { shaped } = digest(views, { content, tool: 'get' }, LOOK)
    const preview = shaped ? shaped.text.join(HANDLE) : data[name].text
    if (options.previews)
      console.log(
        `\n##### ${name} (${tokensOf(data[name].text)} tokens; preview ${tokensOf(preview)})\n${preview}`,
      )
    for (const question of plainQuestions(data).filter((one) => one.data === name)) {
      const { text, failed } = query(views, [{ content, hash, handle: HANDLE, tool: 'get' }], {
        kind: question.tool,
        params: asSent(question.call),
        budget: BUDGET,
      })
      const reply = text.join(HANDLE)
      const tokens = tokensOf(preview) + tokensOf(JSON.stringify(question.call)) + tokensOf(reply)
      const right = !failed && question.wanted.every((one) => one.test(reply))
      rows.push({ name, question, reply, tokens, right, isShaped: shaped !== undefined })
      if (options.failures && !right)
        console.log(
          `\n--- ${name}: ${question.text} ${question.tool} ${JSON.stringify(question.call)}\n    wanted ${question.wanted.join(' ')}\n${reply.slice(0, 1200)}`,
        )
    }
  }
  report(rows, names)
}

function report(rows, names) {
  const figures = (own) => {
    const right = own.filter((row) => row.right).length
    const tokens = own.reduce((total, row) => total + row.tokens, 0)
    return {
      questions: own.length,
      answered: right,
      share: Math.round((1000 * right) / own.length) / 10,
      perCorrect: Math.round(tokens / right),
    }
  }
  const table = [
    ...names.map((name) => ({ data: name, ...figures(rows.filter((row) => row.name === name)) })),
    { data: 'all that were shaped', ...figures(rows.filter(({ isShaped }) => isShaped)) },
    { data: 'all', ...figures(rows) },
  ]
  console.table(table)
  if (options.data) return
  mkdirSync('benchmarks/results', { recursive: true })
  writeFileSync(
    'benchmarks/results/plain.json',
    `${JSON.stringify({ machine: machine(), groups: table }, null, 1)}\n`,
  )
}
