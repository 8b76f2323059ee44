/** Questions about logs: how many lines of a level or status, in a time range, with a word; the first and the last; the most frequent. */
import { several } from './asking.mjs'
import { dateOf } from './dates.mjs'
import { compare, evaluate, sameWay } from './evaluate.mjs'
import { fieldsOf, sayable } from './fields.mjs'
import { isCommon, occurrences, wordsOf } from './text.mjs'
import { sayCondition, sayField } from './words.mjs'

const FIELDS = new Set([
  'time',
  'level',
  'host',
  'ip',
  'method',
  'path',
  'status',
  'bytes',
  'logger',
  'message',
])
const SEVERE = /^(err(or)?|warn(ing)?|critical|crit|fatal|severe)$/i

export function log(payload, context) {
  const [collection] = payload.collections
  if (collection === undefined || collection.at.length > 0) return []
  const fields = new Map(
    fieldsOf(collection)
      .filter(({ way, many }) => way.length === 1 && !many)
      .map((field) => [field.way[0], field]),
  )
  const isLog =
    payload.kind === 'log' ||
    (payload.kind === 'ndjson' && fields.has('time') && (fields.has('level') || fields.has('status')))
  if (!isLog) return []
  const makers = [ofLevel, inTime, edge, frequent, mentioning, ofLevelInTime, which]
  const order = context.random.shuffled(makers)
  let turn = 0
  return several(
    context.count,
    () => order[turn++ % order.length]({ payload, collection, fields, random: context.random }),
    24,
  )
}

const kindOfLine = (fields) => (fields.has('method') && !fields.has('level') ? 'requests' : 'lines')

function counted({ payload, collection, fields }, where) {
  const ask = { collection: collection.at, where, aggregate: 'count' }
  const gold = evaluate(ask, payload)
  const text = `How many ${kindOfLine(fields)} are there where ${where.map(sayCondition).join(' and ')}?`
  return gold.number > 0 && gold.number < collection.records.length ? { text, ask, gold } : undefined
}

/** A level, status, method, or a key of the key=value pairs, with a value. */
function labelled({ fields, random }) {
  const labels = [...fields.values()].filter(
    ({ way: [name], kind, plain, counts }) =>
      plain &&
      kind !== 'date' &&
      counts.size >= 2 &&
      counts.size <= 40 &&
      (!FIELDS.has(name) || ['level', 'status', 'method'].includes(name)) &&
      name !== 'program' &&
      name !== 'pid',
  )
  const known = labels.filter(({ way: [name] }) => ['level', 'status'].includes(name))
  const field = random.pick(random.often(0.6) && known.length > 0 ? known : labels)
  if (field === undefined) return undefined
  const value = random.pick([...field.counts.keys()])
  return sayable(value, 60) ? { field: field.way, op: '=', value } : undefined
}

function ofLevel(context) {
  const condition = labelled(context)
  return condition && counted(context, [condition])
}

/** A range between two moments of the log, as dates that sort. */
function range({ fields, random }) {
  const time = fields.get('time')
  if (time?.kind !== 'date') return undefined
  const moments = [0, 1].map(() => dateOf(random.pick(random.pick(time.values)))?.iso).filter(Boolean)
  if (moments.length < 2) return undefined
  const [start, end] = moments.sort().map((iso) => iso.slice(0, 16))
  if (start === end) return undefined
  return [
    { field: ['time'], op: '>=', value: start },
    { field: ['time'], op: '<', value: end },
  ]
}

function inTime(context) {
  const where = range(context)
  return where && counted(context, where)
}

function ofLevelInTime(context) {
  const where = range(context)
  const condition = labelled(context)
  return where && condition && counted(context, [condition, ...where])
}

/** The few lines of a label and a time range or a second label, by something short they hold. */
function which(context) {
  const { payload, collection, fields, random } = context
  const one = labelled(context)
  const more = random.often(0.5) ? range(context) : [labelled(context)]
  const want = fields.get(
    random.pick(['ip', 'host', 'path', 'logger', 'message'].filter((name) => fields.has(name))),
  )
  if (
    !one ||
    !more?.[0] ||
    !want ||
    sameWay(one.field, more[0].field) ||
    [one, ...more].some(({ field }) => sameWay(field, want.way))
  )
    return undefined
  const where = [one, ...more]
  const ask = { collection: collection.at, where, want: want.way }
  const gold = evaluate(ask, payload)
  if (gold.none || gold.set.length > 12 || !gold.set.every((value) => sayable(value, 160))) return undefined
  return {
    text: `Which different values of ${sayField(want.way)} have the ${kindOfLine(fields)} where ${where.map(sayCondition).join(' and ')}?`,
    ask,
    gold,
  }
}

/** The first or last line of a level: asked only where the order of the lines and of their times agree on it. */
function edge(context) {
  const { payload, collection, fields, random } = context
  const level = fields.get('level')
  const time = fields.get('time')
  if (level === undefined || time?.kind !== 'date') return undefined
  const severe = [...level.counts.keys()].filter((value) => SEVERE.test(value))
  const value = random.pick(severe.length > 0 ? severe : [...level.counts.keys()])
  const descending = random.often(0.5)
  const where = [{ field: ['level'], op: '=', value }]
  const chosen = collection.records.filter((record) => record.level === value)
  if (chosen.length < 2) return undefined
  const record = descending ? chosen.at(-1) : chosen[0]
  const clear = chosen.every(
    (other) =>
      other === record ||
      (descending ? compare(record.time, other.time) > 0 : compare(record.time, other.time) < 0),
  )
  const contains = typeof record.message === 'string' ? quotable(record.message) : undefined
  if (!clear || contains === undefined) return undefined
  const ask = {
    collection: collection.at,
    where,
    order: { field: ['time'], descending },
    k: 1,
    want: ['message'],
  }
  const gold = evaluate(ask, payload)
  if (!String(gold.list[0]).includes(contains)) return undefined
  return {
    text: `What is the message of the ${descending ? 'last' : 'first'} line where level is ${value}?`,
    ask,
    gold: { contains },
  }
}

/** The beginning of a message, as far as it reads the same in JSON. */
const quotable = (message) => /^[^"\\\p{Cc}]{8,60}(?=[\s"\\]|$)/u.exec(message)?.[0].trim()

function frequent({ payload, collection, fields, random }) {
  const names = ['host', 'ip', 'path', 'logger', 'level', 'status', 'method'].filter(
    (name) => fields.get(name)?.plain && fields.get(name).counts.size >= 2,
  )
  const field = fields.get(random.pick(names))
  if (field === undefined) return undefined
  const k = random.between(1, 3)
  const ranked = [...field.counts].sort((one, other) => other[1] - one[1])
  if (
    ranked.length <= k ||
    !ranked.slice(0, k).every(([value], at) => sayable(value, 120) && ranked[at][1] > ranked[at + 1][1])
  )
    return undefined
  const ask = { collection: collection.at, by: field.way, k }
  const most =
    k === 1
      ? `Which ${sayField(field.way)} occurs most often`
      : `Which ${k} values of ${sayField(field.way)} occur most often`
  const text = `${most}, and in how many ${kindOfLine(fields)}?`
  return { text, ask, gold: evaluate(ask, payload), fields: [['most frequent']] }
}

/** Lines with a word that means the same whether case and word borders count or not. */
function mentioning({ payload, collection, random }) {
  const lines = payload.lines ?? []
  const word = random.pick(
    wordsOf(random.pick(lines) ?? '').filter(({ word }) => word.length >= 5 && !isCommon(word)),
  )?.word
  if (word === undefined || occurrences(payload, word) < 2) return undefined
  const whole = new RegExp(`(?<![\\p{L}\\p{N}_])${word}(?![\\p{L}\\p{N}_])`, 'u')
  const small = word.toLowerCase()
  const hits = lines.filter((line) => line.toLowerCase().includes(small))
  if (hits.length > 0.4 * lines.length || !hits.every((line) => whole.test(line))) return undefined
  const ask = { collection: collection.at, words: word, aggregate: 'count' }
  return { text: `How many lines mention "${word}"?`, ask, gold: evaluate(ask, payload) }
}
