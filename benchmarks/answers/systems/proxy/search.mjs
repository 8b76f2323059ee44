/** Looking for words: what both agents do with the hits of a search. */
import { best } from '../best.mjs'
import { conclude } from './conclude.mjs'
import { isShortened, valuesIn } from './read.mjs'

/**
 * The answer to a question by words.
 * @param {object} options
 * @param {import('../../contract.mjs').Ask} options.ask
 * @param {boolean} options.relevance   words in no order, a passage is wanted
 * @param {import('./talk.mjs').Talk} options.talk
 * @param {object} options.args   of the search
 * @param {import('./preview.mjs').Preview} options.preview
 * @param {(field: string) => object} options.recordCall   arguments of a filter for the record with the words in this field
 * @returns {Promise<import('../../contract.mjs').Answer>}
 */
export async function search({ ask, relevance, talk, args, preview, recordCall }) {
  const reading = await talk.ask('proxy_search', args)
  if (reading.isError || ask.aggregate) return conclude(ask, reading)
  if (relevance) return quote(ask, reading, talk, args)
  if (ask.want === undefined) return conclude(ask, reading)
  return wantedOf(ask, reading, { talk, preview, recordCall })
}

/** The field that is wanted of the record that has the words: from the hit itself, or by one call more. */
async function wantedOf(ask, reading, { talk, preview, recordCall }) {
  const { rows, passages, nothing, matched } = reading
  if (nothing) return { none: true }
  if (rows.length === 0 && passages.length > 0) {
    const records = passages.map((line) => recordOfLine(line, preview)).filter(Boolean)
    return records.length === 1
      ? conclude(ask, { ...reading, rows: records, more: false })
      : { unanswered: 'no record in the hits' }
  }
  if (rows.length !== 1 || matched > 1) return { unanswered: 'several records have the words' }
  const [hit] = rows
  const seen = 'value' in hit ? { ...hit.record, ...placed(hit, ask) } : { ...hit.record, ...hit.match }
  const shown = valuesIn(seen, ask.want)
  if (shown?.length > 0 && !shown.some((value) => isShortened(value) || /^…|…$/.test(String(value)))) {
    return conclude(ask, { ...reading, rows: [seen] })
  }
  const field = 'value' in hit ? Object.keys(seen).at(-1) : Object.keys(hit.match ?? {})[0]
  if (field === undefined || talk.left <= 0) return { unanswered: 'the hit does not show it' }
  return conclude(ask, await talk.ask('proxy_filter', recordCall(field.replace(/\[\d+\]/g, '[]'))))
}

/**
 * A hit that is a place and a value. In the collection asked about, the step after it is the key of the record, and the rest is its
 * field.
 */
function placed({ at, value }, { collection = [] }) {
  const steps = [...at.matchAll(/\["((?:[^"\\]|\\.)*)"\]|\[(\d+)\]|\.([^.[\]]+)/g)].map(
    ([, quoted, index, plain]) => quoted ?? index ?? plain,
  )
  const [key, ...field] = steps.slice(collection.length)
  return { _key: key, [field.join('.')]: value }
}

/** A line of a table with commas: its cells by the names the preview gives the columns. */
function recordOfLine(line, { type }) {
  const cells = [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain,
  )
  const names = type?.fields && type.whole ? [...type.fields.keys()] : []
  return names.length === cells.length
    ? Object.fromEntries(names.map((name, at) => [name, cells[at]]))
    : undefined
}

/** The one passage among those shown that has most of the words; one that is cut is looked at once more, round the words. */
async function quote({ words }, { rows, passages, nothing }, talk, { cache_id }) {
  if (nothing) return { none: true }
  const texts = rows.map((row) => Object.values(row.match ?? row).join('\n'))
  if (passages.length + texts.length === 0) return { unanswered: 'no hits in the reply' }
  const chosen = best([...passages, ...texts], words)
  const cut = /^…|…$|\[…|…\[[\d,]+ characters/m.test(chosen)
  const { at } = rows[texts.indexOf(chosen)] ?? {}
  if (!cut || at === undefined || talk.left <= 0) return { answer: chosen }
  const rare = [...new Set(words.match(/\p{L}{5,}/gu))].join('|')
  const more = await talk.ask('proxy_search', {
    cache_id,
    path: at,
    pattern: rare,
    mode: 'context',
    case_insensitive: true,
  })
  const round = [...more.passages, ...more.rows.map((row) => Object.values(row.match ?? row).join('\n'))]
  return { answer: best([...round, chosen], words) }
}
