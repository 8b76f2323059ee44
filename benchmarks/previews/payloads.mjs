/** Results of eight kinds and of a given size by seed, with a place in each where a number makes it another result. */
import { log, records } from '../engines/data.mjs'
import { seeded } from '../lib/measure.mjs'

/** Stands in a payload where its number goes. */
const NUMBER = '7777777'

const WORDS =
  'request handler cache index token retry queue stream worker socket buffer schema record session window cursor filter lookup broker replica shard metric tracing payload gateway upstream downstream latency deadlock'.split(
    ' ',
  )
const STATES = ['open', 'closed', 'merged', 'draft']

/** By kind: makes about `bytes` bytes, and the questions that are asked about it, each as the tool and its parameters. */
export const KINDS = {
  json: { make: (bytes) => numbered(records(bytes), '"score":'), ask: whereScore },
  ndjson: { make: (bytes) => numbered(lines(JSON.parse(records(bytes))), '"score":'), ask: whereScore },
  csv: { make: csv, ask: whereScore },
  log: {
    make: (bytes) => numbered(log(bytes), 'duration='),
    ask: (most) => ['filter', { where: [`duration > ${most * 5}`], limit: 5 }],
  },
  text: { make: prose, ask: searchFor },
  markdown: { make: markdown, ask: searchFor },
  html: { make: html, ask: searchFor },
  xml: { make: xml, ask: whereScore },
}

/** A payload as a function of its number. */
export function payloadOf(kind, bytes) {
  const [before, after] = KINDS[kind].make(bytes).split(NUMBER)
  return (number) => before + String(1_000_000 + number) + after
}

function whereScore(most) {
  return ['filter', { where: [`score > ${most}`], limit: 5 }]
}

function searchFor(most) {
  return ['search', { pattern: `deadlock ${WORDS[most % 7]}`, max_results: 5 }]
}

function lines(all) {
  return all.map((one) => JSON.stringify(one)).join('\n')
}

/** The number in place of the digits behind the first such name in the middle. */
function numbered(text, name) {
  const at = text.indexOf(name, Math.floor(text.length / 2)) + name.length
  return text.slice(0, at) + NUMBER + text.slice(at).replace(/^\d+/, '')
}

/** Pieces until there are enough bytes; `piece` has the index, a function that picks of a list, and one for numbers. */
function pieces(bytes, seed, piece) {
  const random = seeded(seed)
  const pick = (list) => list[Math.floor(random() * list.length)]
  const below = (limit) => Math.floor(random() * limit)
  const all = []
  for (let length = 0; length < bytes; ) {
    const made = piece(all.length, pick, below)
    all.push(made)
    length += made.length
  }
  all[all.length >> 1] = all[all.length >> 1].replace('NUMBER', NUMBER)
  return all.join('').replaceAll('NUMBER', '1000000')
}

function csv(bytes) {
  const rows = pieces(
    bytes,
    3,
    (id, pick, below) =>
      `${id},${pick(WORDS)} ${pick(WORDS)},${pick(STATES)},${below(1000)},${new Date(1_700_000_000_000 + id * 60_000).toISOString()},user${below(97)},"${sentence(pick, 9)}, ${pick(WORDS)}",NUMBER\n`,
  )
  return `id,title,state,score,created_at,owner,note,reference\n${rows}`
}

function prose(bytes) {
  return pieces(bytes, 4, (_, pick, below) => {
    const sentences = Array.from({ length: 3 + below(4) }, () => `The ${sentence(pick, 9)}.`)
    return `${sentences.join(' ')} It was seen in case NUMBER.\n\n`
  })
}

function markdown(bytes) {
  return pieces(bytes, 5, (id, pick) => {
    const level = id % 10 === 0 ? '#' : id % 3 === 0 ? '##' : '###'
    const table =
      id % 7 === 0 ? `| name | state |\n| --- | --- |\n| ${pick(WORDS)} | ${pick(STATES)} |\n\n` : ''
    const code = id % 11 === 0 ? `\`\`\`js\nconst ${pick(WORDS)} = NUMBER\n\`\`\`\n\n` : ''
    return `${level} ${pick(WORDS)} ${id}\n\nThe ${sentence(pick, 30)} [${pick(WORDS)}](https://example.org/${id}).\n\n- ${sentence(pick, 8)}\n- case NUMBER\n\n${table}${code}`
  })
}

function html(bytes) {
  const body = pieces(bytes, 6, (id, pick) =>
    id % 9 === 0
      ? `<h2 id="part${id}">${pick(WORDS)} ${id}</h2>\n<table><tr><th>name</th><th>state</th></tr><tr><td>${pick(WORDS)}</td><td>${pick(STATES)}</td></tr></table>\n`
      : `<div class="entry"><p>The ${sentence(pick, 30)} <a href="https://example.org/${id}">${pick(WORDS)}</a> &amp; case NUMBER.</p></div>\n`,
  )
  return `<!DOCTYPE html>\n<html lang="en"><head><title>Cases</title><style>p { margin: 0 }</style></head>\n<body>\n${body}</body></html>\n`
}

function xml(bytes) {
  const items = pieces(
    bytes,
    7,
    (id, pick, below) =>
      `  <item id="${id}"><title>${pick(WORDS)} ${pick(WORDS)}</title><state>${pick(STATES)}</state><score>${below(1000)}</score><note>${sentence(pick, 9)}</note><reference>NUMBER</reference></item>\n`,
  )
  return `<?xml version="1.0" encoding="UTF-8"?>\n<items>\n${items}</items>\n`
}

function sentence(pick, words) {
  return Array.from({ length: words }, () => pick(WORDS)).join(' ')
}
