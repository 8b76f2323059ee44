/**
 * An agent that knows the tools well. Its rules know no payload; change them only for all, and then judge by payloads and seeds that were
 * not looked at:
 * - it reads the preview first, and answers at once if the preview has the exact and complete answer. That is the number of records, all
 * values of a field with their counts, or the names of all fields. Ranges and means there may be rounded, so it never takes figures
 *   from them;
 * - else it writes the exact query. It has names as in the type line, strings in quotes, and `path` where the question is not about the
 * main collection. `fields` has what is wanted and what identifies it. An aggregate asks for one number, and a `limit` above the default
 * for a whole list;
 * - what two lists have in common it joins in one query, and asks one list after the other where the reply joined something else;
 * - it goes to the next page as long as the reply names one, and answers from nothing less than all;
 * - of passages it takes the one with most of the words, and looks at one that is cut once more, round the words;
 * - when a name was read as another field than the one asked for, or refused, it looks once at what the reply offers instead.
 */
import { conclude } from './conclude.mjs'
import { joinAtOnce, joinByTwo } from './join.mjs'
import { exploredFields, fieldNames, isOneOf, nameOf } from './preview.mjs'
import { plainName, valueIn } from './read.mjs'
import { search } from './search.mjs'
import { aggregateOf, dotted, isSpokenOf, literal, offers, readAs } from './words.mjs'

/** A list that is wanted whole is asked for in pages of this size. */
const WHOLE = 500

/** @returns {Promise<import('../../contract.mjs').Answer>} */
export async function answerAsExpert(question, talk, preview) {
  const { ask } = question
  const known = fromPreview(question, preview)
  if (known !== undefined) return { answer: known }
  if (ask.collection === undefined && ask.want) return part(ask, talk, preview)
  if (ask.words !== undefined) return byWords(ask, question.type, talk, preview)
  if (ask.structure === 'fields') return fields(ask, talk, preview)
  if (ask.join) return join(ask, talk, preview)
  return query(ask, talk, preview)
}

/** The answer that the preview gives exactly and completely. */
function fromPreview({ ask, text }, preview) {
  if (ask.collection === undefined && ask.want) return preview.beside.get(dotted(ask.want))
  if (ask.collection === undefined || !isMain(ask.collection, preview)) return undefined
  const { where = [], words } = ask
  if (words !== undefined) return undefined
  if (ask.structure === 'fields') return fieldNames(preview)
  if (ask.structure && /\blines\b/.test(text) && preview.lines) return preview.lines
  if (ask.structure === 'records' || (ask.aggregate === 'count' && where.length === 0)) return preview.records
  if (ask.aggregate === 'count' && where.length === 1 && where[0].op === '=') {
    const counts = listed(where[0].field, preview)
    const found = counts?.find(([value]) => value === String(where[0].value))
    return counts && (found?.[1] ?? 0)
  }
  if (ask.by && where.length === 0) return listed(ask.by, preview)?.slice(0, ask.k)
  return undefined
}

function listed(way, { values }) {
  const name = plainName(dotted(way))
  return [...values].find(([key]) => plainName(key) === name)?.[1]
}

/** True when a way leads to the collection the preview is about, which is not one of several. A list at the root needs no path. */
function isMain(way, { main }) {
  return plainName(main ?? '$') === dotted(way) && !way.slice(1).includes('[]') && !isOneOf(main)
}

function place(way, preview) {
  if (isMain(way, preview)) return {}
  return { path: pathTo(way) }
}

/** `$.definitions`, `$.items[*].labels[*]`. */
function pathTo(way) {
  const steps = way.map((key) =>
    key === '[]' ? '[*]' : /^[\w$-]+$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`,
  )
  return `$${steps.join('')}${way.includes('[]') ? '[*]' : ''}`
}

/** A value of the document itself, by its path. */
async function part(ask, talk, { handle }) {
  const { text, isError, rows } = await talk.ask('proxy_filter', { cache_id: handle, path: pathTo(ask.want) })
  const value = isError ? undefined : (valueIn(text) ?? (rows.length === 1 ? rows[0] : undefined))
  return value === undefined ? { unanswered: 'no single value in the reply' } : { answer: value }
}

/** One query where `join_on` reaches both lists and leaves no doubt, else two. A second payload is looked at first: it may be small enough to read. */
async function join(ask, talk, preview) {
  const { join: other, collection } = ask
  const fetched = other.payload === talk.name ? undefined : await talk.fetch(other.payload)
  // A list inside the records of another result has to be asked by its own path.
  const reached = fetched
    ? fetched.preview && isMain(other.collection, fetched.preview)
    : !other.collection.includes('[]')
  if (reached) {
    const type = isMain(collection, preview) ? preview.type : undefined
    const name = (way) => nameOf(way, type)
    const path = collection.length > 0 ? { path: pathTo(collection) } : {}
    const call = { cache_id: preview.handle, ...path, where: conditions(ask, name) }
    const answer = await joinAtOnce(call, other, { talk, name, elsewhere: fetched?.preview.handle })
    if (answer !== undefined) return answer
  }
  return joinByTwo(query, ask, talk, preview, fetched)
}

async function query(ask, talk, preview) {
  const type = isMain(ask.collection, preview) ? preview.type : undefined
  const args = { cache_id: preview.handle, ...place(ask.collection, preview), ...parts(ask, type) }
  const reading = await settled(ask, talk, args)
  if (!reading.isError && misread(ask, reading)) return { unanswered: 'read as another field' }
  if (reading.isError || ask.k <= reading.rows.length) return conclude(ask, reading)
  return conclude(ask, await talk.rest('proxy_filter', reading.args, reading))
}

/** The parameters of the question itself. */
function parts(ask, type) {
  const name = (way) => nameOf(way, type)
  const where = conditions(ask, name)
  const common = where.length > 0 ? { where } : {}
  if (ask.by) return { ...common, group_by: name(ask.by), aggregate: 'count', limit: ask.k ?? WHOLE }
  if (ask.aggregate || ask.structure === 'records') {
    return {
      ...common,
      aggregate: aggregateOf(ask.aggregate ? ask : { aggregate: 'count' }, ask.of && name(ask.of)),
    }
  }
  const first = (ask.where ?? []).slice(0, 1).map(({ field }) => field)
  // A list does not identify a record.
  const key = ask.order ? [ask.order.field] : first.filter((way) => !way.includes('[]'))
  const fieldsWanted = [...new Set([...key, ask.want].map(name))]
  if (ask.order) {
    const sort = `${ask.order.descending ? '-' : ''}${name(ask.order.field)}`
    return { ...common, sort, fields: fieldsWanted, limit: ask.k }
  }
  return { ...common, fields: fieldsWanted, limit: WHOLE }
}

function conditions(ask, name) {
  return (ask.where ?? []).map(({ field, op, value }) => `${name(field)} ${op} ${quoted(value)}`)
}

/** A string in quotes, a list in parentheses. */
function quoted(value) {
  if (Array.isArray(value)) return `(${value.map(quoted).join(', ')})`
  return typeof value === 'string' ? JSON.stringify(value) : value
}

/** The reply, or that to the corrected query when a name was refused or read as something else than was asked for. */
async function settled(ask, talk, args) {
  const reading = await talk.ask('proxy_filter', args)
  const better = corrected(ask, args, reading)
  if (better === undefined || talk.left <= 0) return { ...reading, args }
  return { ...(await talk.ask('proxy_filter', better)), args: better }
}

function corrected(ask, args, reading) {
  if (!reading.isError && !misread(ask, reading)) return undefined
  const { places } = offers(reading.text)
  if (places.length > 0 && args.path === undefined) return { ...args, path: places[0] }
  return undefined
}

/** A name was read as a field the question does not mean. */
function misread(ask, { notes }) {
  return readAs(notes).some(({ read }) => !isSpokenOf(ask, read))
}

async function fields(ask, talk, preview) {
  const { text } = await talk.ask('proxy_explore', {
    cache_id: preview.handle,
    ...place(ask.collection, preview),
    max_depth: 1,
  })
  const names = exploredFields(text)
  return names ? { answer: names } : { unanswered: 'not all fields are named' }
}

/** The words verbatim, or as a question to rank by. */
function byWords(ask, type, talk, preview) {
  const there = ask.collection ? place(ask.collection, preview) : {}
  const relevance = type === 'relevance'
  const how = relevance
    ? { pattern: ask.words, mode: 'bm25', top_k: 3 }
    : { pattern: literal(ask.words), max_results: ask.aggregate === 'count' ? 1 : 3 }
  return search({
    ask,
    relevance,
    talk,
    preview,
    args: { cache_id: preview.handle, ...there, ...how },
    recordCall: (field) => ({
      cache_id: preview.handle,
      ...there,
      where: [`${field} contains ${JSON.stringify(ask.words)}`],
      fields: [nameOf(ask.want, preview.type)],
    }),
  })
}
