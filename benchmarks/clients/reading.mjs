/** The findings about a client in the notes of the scripted model, as they are recorded and printed. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { textOf } from './model.mjs'
import { SIZES, scenarios } from './scenarios.mjs'

const OWN = ['proxy_code', 'proxy_explore', 'proxy_filter', 'proxy_search']
const isOwn = (name, own) => name.replaceAll('-', '_').endsWith(own)
const tokensOf = (text) => (text === '' ? 0 : countTokens(text))
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0)
/** Where a text stands in JSON, perhaps in JSON inside JSON, its quotes are escaped. */
const unescaped = (text) => text.replaceAll('\\n', '\n').replaceAll('\\', '')
const times = (text, part) => unescaped(text).split(part).length - 1
const squeezed = (text) => unescaped(text).replaceAll('…', '...').replaceAll(/\s+/g, ' ').trim()

/**
 * The words of the proxy itself, read without any client. The proxy may remember the list of tools from it.
 * @returns `instructions`; `definitionTokens` of its own tools; `handleTimes`: how often one preview names its handle
 */
export async function askDirectly(server, env) {
  const client = new Client({ name: 'clients-benchmark', version: '1.0.0' })
  await client.connect(new StdioClientTransport({ ...server, env, stderr: 'ignore' }))
  try {
    const { tools } = await client.listTools()
    const own = tools.filter(({ name }) => OWN.includes(name))
    const { content } = await client.callTool({ name: 'orders_list_orders', arguments: {} })
    const preview = textOf(content)
    const handle = /cache_id\W{1,8}([0-9a-z]{12,25})/.exec(preview)?.[1]
    return {
      instructions: client.getInstructions() ?? '',
      definitionTokens: sum(
        own.map(({ name, description, inputSchema }) =>
          tokensOf(JSON.stringify({ name, description, inputSchema })),
        ),
      ),
      previewTokens: tokensOf(preview),
      handleTimes: handle === undefined ? 0 : times(preview, handle),
    }
  } finally {
    await client.close()
  }
}

/** The findings of one run. `undefined`: the client asked the model nothing. */
export function readScenario(name, scenario, notes, direct) {
  if (notes.first === undefined) return undefined
  const steps = scenario.steps.map((step, index) => {
    const result = notes.results.find((one) => one.step === index)
    const missing = notes.missing.find((one) => one.step === index)
    return {
      ...step,
      text: result?.text,
      handle: result?.handle,
      missing: missing?.why ?? 'the run had ended',
    }
  })
  return READERS[name](steps, notes, direct)
}

const READERS = {
  main(steps, notes, direct) {
    const of = (kind) => steps.filter((step) => step.kind === kind)
    const tokens = (kind) => sum(of(kind).map(({ text }) => tokensOf(text ?? '')))
    const own = [...notes.known.values()].filter(({ name }) => OWN.some((tool) => isOwn(name, tool)))
    const [large] = of('large')
    return {
      ...listing(notes),
      instructions: instructionsSeen(notes.last.body, direct.instructions),
      handle: large.handle !== undefined,
      previews:
        large.handle === undefined
          ? 0
          : Math.max(1, Math.round(times(large.text, large.handle) / direct.handleTimes)),
      total: large.answer.test(unescaped(large.text ?? '')),
      answered: of('question').filter(isAnswered).length,
      small: of('small').filter(isAnswered).length,
      tokens: {
        definitions:
          sum(
            own.map(({ name, description, schema }) =>
              tokensOf(JSON.stringify({ name, description, schema })),
            ),
          ) + sum(notes.found.map(tokensOf)),
        large: tokens('large'),
        questions: tokens('question'),
        small: tokens('small'),
      },
      ...(notes.waited > 0 && { waited: notes.waited }),
    }
  },
  ask: outcomes,
  settings: outcomes,
  listed(steps, notes) {
    return {
      ...listing(notes),
      tools: notes.last.tools.length,
      answered: steps.filter(isAnswered).length === steps.length,
    }
  },
  limits(steps) {
    const sizes = steps.map(({ text, characters }) => ({
      characters,
      got: text?.length,
      whole: (text?.match(/line \d{6}/g)?.length ?? 0) >= characters / 100,
      text,
    }))
    const cut = sizes.find(({ whole }) => !whole)
    return {
      whole: sizes.filter(({ whole }) => whole).at(-1)?.characters ?? 0,
      ...(cut && {
        cut: cut.characters,
        ...(cut.got === undefined
          ? { ends: true }
          : {
              leaves: sizes.at(-1).got ?? cut.got,
              file: /\b(?:saved|stored|written|output file|full output)\b/i.test(cut.text),
            }),
      }),
      tried: SIZES.at(-1) * 1000,
    }
  },
}

/** The steps that a right result came back for. */
const isAnswered = ({ text, answer }) => text !== undefined && answer.test(unescaped(text))

function outcomes(steps) {
  const [reads, large, question, unmarked, destroys] = steps.map(outcome)
  return { reads, large, question, unmarked, destroys }
}

function outcome(step) {
  if (step.text === undefined) return step.missing
  return isAnswered(step) ? 'runs' : 'refused'
}

/** How the proxy's own tools stand in the first request: with their definitions, by name alone, or not at all; `as`: proxy_filter's name. */
function listing({ first, known, waited }) {
  const at = [...known.values()].find(({ name }) => isOwn(name, 'proxy_filter'))
  const listed = first.tools.filter(
    ({ name, deferred }) => !deferred && OWN.some((own) => isOwn(name, own)),
  ).length
  const named = /proxy_filter/.test(JSON.stringify(first.body))
  return {
    listed: listed === OWN.length ? 'at once' : waited > 0 && at ? 'later' : named ? 'names' : 'no',
    ...(at && { as: at.namespace ? `${at.namespace}/${at.name}` : at.name }),
  }
}

/** Whether a request has the proxy's instructions: `whole`, `part` or `no`. The descriptions of its own tools do not count. */
function instructionsSeen(body, instructions) {
  const texts = []
  const collect = (value, isTool) => {
    if (typeof value === 'string') texts.push(value)
    else if (Array.isArray(value)) for (const one of value) collect(one, isTool)
    else if (value !== null && typeof value === 'object') {
      if (OWN.some((own) => isOwn(String((value.function ?? value).name ?? ''), own))) return
      for (const one of Object.values(value)) collect(one)
    }
  }
  collect(body)
  const all = squeezed(texts.join('\n'))
  const wanted = squeezed(instructions)
  if (wanted === '') return 'no'
  if (all.includes(wanted)) return 'whole'
  return all.includes(wanted.slice(0, 50)) ? 'part' : 'no'
}

/** A table of what was recorded for one side, for the terminal. */
export function summary(recorded, side) {
  const rows = Object.values(recorded.clients).map((entry) => {
    const { main, ask } = entry[side] ?? {}
    if (entry.notRun || main === undefined || main.notRun)
      return [entry.title, `not run: ${entry.notRun ?? main?.notRun ?? 'not asked for'}`]
    const { definitions, large, questions, small } = main.tokens
    return [
      entry.title,
      main.handle ? `seen, ${main.previews} preview(s)` : 'NOT SEEN',
      main.total ? 'yes' : 'NO',
      `${main.answered}/3`,
      `${main.small}/5`,
      main.listed,
      main.instructions,
      ask && !ask.notRun ? `${ask.reads}/${ask.question}/${ask.unmarked}` : '',
      `${definitions}+${large}+${questions}+${small}`,
    ]
  })
  const heading = [
    'client',
    'handle',
    'total',
    'answers',
    'small',
    'listed',
    'instructions',
    'asked: reads/proxy_filter/unmarked',
    'tokens: definitions+large+questions+small',
  ]
  const all = [heading, ...rows]
  const widths = heading.map((_, column) =>
    Math.max(...all.filter((row) => row.length > 2).map((row) => String(row[column]).length)),
  )
  const failing = Object.values(recorded.clients).filter(
    (entry) => !entry[side]?.main?.handle || entry[side].main.answered < 3,
  )
  return `${all
    .map((row) =>
      row
        .map((cell, column) => String(cell).padEnd(row.length > 2 ? widths[column] : 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')}

${Object.keys(recorded.clients).length - failing.length} of ${Object.keys(recorded.clients).length} clients see the handle and get all ${scenarios.main.steps.filter(({ kind }) => kind === 'question').length} questions answered (${side}).`
}
