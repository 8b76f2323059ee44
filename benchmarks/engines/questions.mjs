/**
 * A question for each processor, and the obvious alternative: a program written by hand, with the data parsed and in memory.
 * `prepare` makes what the alternative keeps between questions; `answer` gives what stands on the first page, and the count.
 */
import { createRequire } from 'node:module'
import { distance } from 'fastest-levenshtein'

const PAGE = 50
const HITS = 20

/** Packages that are not installed everywhere; undefined where they are not. */
const [MiniSearch, Fuse] = await Promise.all(
  [import('minisearch'), import('fuse.js')].map((loading) =>
    loading.then(
      (loaded) => loaded.default ?? loaded,
      () => undefined,
    ),
  ),
)
const wink = createRequire(import.meta.url)('wink-bm25-text-search')

export const missing = [!MiniSearch && 'minisearch', !Fuse && 'fuse.js'].filter(Boolean)

const filter = (question, params, answer) => ({
  question,
  kind: 'filter',
  params,
  alternatives: { 'hand-written loop': { prepare: (data) => data.records, answer } },
})
const page = (rows) => ({ count: rows.length, rows: JSON.stringify(rows.slice(0, PAGE)) })
const by = (key) => (a, b) => (a[key] < b[key] ? 1 : a[key] > b[key] ? -1 : 0)

function counted(records, key) {
  const groups = new Map()
  for (const record of records) groups.set(record[key], (groups.get(record[key]) ?? 0) + 1)
  return page([...groups].sort((a, b) => b[1] - a[1]))
}

function averaged(records, key, value) {
  const groups = new Map()
  for (const record of records) {
    const name = key(record)
    const group = groups.get(name)
    if (group) {
      group.sum += record[value]
      group.count++
    } else groups.set(name, { sum: record[value], count: 1 })
  }
  const rows = [...groups].map(([name, { sum, count }]) => [name, sum / count])
  return page(rows.sort((a, b) => b[1] - a[1]))
}

/** A regular expression over what one keeps of a text: its lines, or the strings of the records. */
function regex(question, pattern, caseInsensitive = false) {
  const expression = new RegExp(pattern, caseInsensitive ? 'i' : '')
  const answer = (texts) => {
    const found = []
    let count = 0
    for (let at = 0; at < texts.length; at++) {
      if (!expression.test(texts[at])) continue
      if (count++ < HITS) found.push(`${at + 1}: ${texts[at]}`)
    }
    return { count, rows: found.join('\n') }
  }
  return {
    question: `regex: ${question}`,
    kind: 'search',
    params: { pattern, ...(caseInsensitive && { case_insensitive: true }) },
    alternatives: { "V8's RegExp": { prepare: (data) => data.texts, answer } },
  }
}

const bm25 = {
  question: 'bm25',
  kind: 'search',
  params: { pattern: 'checksum deadlock timeout', mode: 'bm25' },
  alternatives: MiniSearch
    ? {
        MiniSearch: {
          largest: 10_000_000,
          prepare({ passages }) {
            const index = new MiniSearch({ fields: ['text'] })
            index.addAll(passages.map((text, id) => ({ id, text })))
            return index
          },
          answer: (index) => ({
            rows: JSON.stringify(index.search('checksum deadlock timeout').slice(0, 5)),
          }),
        },
      }
    : {
        wink: {
          largest: 10_000_000,
          prepare({ passages }) {
            const engine = wink()
            engine.defineConfig({ fldWeights: { text: 1 } })
            engine.definePrepTasks([(text) => text.toLowerCase().match(/\w+/g) ?? []])
            for (const [id, text] of passages.entries()) engine.addDoc({ text }, id)
            engine.consolidate()
            return engine
          },
          answer: (engine) => ({ rows: JSON.stringify(engine.search('checksum deadlock timeout', 5)) }),
        },
      },
}

const fuzzy = {
  question: 'fuzzy',
  kind: 'search',
  params: { pattern: 'conection', mode: 'fuzzy' },
  alternatives: {
    'Levenshtein, word by word': {
      prepare: (data) => data.texts,
      answer(texts) {
        let count = 0
        const found = []
        for (const text of texts) {
          const like = (text.toLowerCase().match(/\w+/g) ?? []).some((word) => {
            const longer = Math.max(word.length, 9)
            return (
              Math.abs(word.length - 9) <= longer * 0.3 && 1 - distance(word, 'conection') / longer >= 0.7
            )
          })
          if (like && count++ < HITS) found.push(text)
        }
        return { count, rows: found.join('\n') }
      },
    },
    ...(Fuse && {
      'Fuse.js': {
        largest: 1_000_000,
        prepare: (data) => new Fuse(data.texts, { threshold: 0.3, ignoreLocation: true }),
        answer: (fuse) => ({ rows: JSON.stringify(fuse.search('conection', { limit: HITS })) }),
      },
    }),
  },
}

const json = [
  filter('projection', { fields: ['id', 'owner.login'] }, (records) =>
    page(records.map((record) => ({ id: record.id, login: record.owner.login }))),
  ),
  filter('filter', { where: ['state = open', 'score > 900'] }, (records) =>
    page(records.filter((record) => record.state === 'open' && record.score > 900)),
  ),
  filter('sort by number', { sort: ['-score'] }, (records) =>
    page([...records].sort((a, b) => b.score - a.score)),
  ),
  filter('sort by time', { sort: ['-created_at'] }, (records) => page([...records].sort(by('created_at')))),
  filter('group and count', { group_by: ['state'] }, (records) => counted(records, 'state')),
  filter('group and average', { group_by: ['owner.login'], aggregate: ['avg(score)'] }, (records) =>
    averaged(records, (record) => record.owner.login, 'score'),
  ),
]

const log = [
  filter('projection', { fields: ['time', 'level'] }, (records) =>
    page(records.map(({ time, level }) => ({ time, level }))),
  ),
  filter('filter', { where: ['level = ERROR', 'duration > 4000'] }, (records) =>
    page(records.filter((record) => record.level === 'ERROR' && record.duration > 4000)),
  ),
  filter('sort by number', { sort: ['-duration'] }, (records) =>
    page([...records].sort((a, b) => b.duration - a.duration)),
  ),
  filter('sort by time', { sort: ['-time'] }, (records) => page([...records].sort(by('time')))),
  filter('group and count', { group_by: ['level'] }, (records) => counted(records, 'level')),
  filter('group and average', { group_by: ['user'], aggregate: ['avg(duration)'] }, (records) =>
    averaged(records, (record) => record.user, 'duration'),
  ),
]

const searches = [
  regex('literal', 'checksum'),
  regex('A.*B', 'lookup.*broker'),
  regex('ignore case', 'DEADLOCK', true),
  regex('alternation', 'timeout|deadlock|checksum'),
  bm25,
  fuzzy,
]

export const questions = { json: [...json, ...searches], log: [...log, ...searches] }

/** Patterns that take V8's RegExp for ever: for these there is no alternative. */
export const hostile = ['(a+)+$', '(x+x+)+y', '^(\\w+\\s?)*$', '(.*)*b$', '(a|a)*b', '(?=(\\w+))(\\1\\w*)*!$']
