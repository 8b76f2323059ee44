/**
 * An agent that has read no documentation. Its rules know no payload; change them only for all, and then judge by payloads and seeds that
 * were not looked at:
 * - it glances at the preview, and takes from it the handle, the number of records and the names of fields;
 * - it names fields as the question's words end (`login` for `user.login`), never says `path` or `fields` at first, and quotes no values;
 * - it counts by `where` and reads the total of the reply. It groups, sums and sorts by the plain word. It searches text for the exact
 * words, and answers questions in words by bm25;
 * - it thinks once more on an error, on no hits, on a wrong field, and where the preview is about another list than the question. It
 * takes a name that the reply offers, or the `path` of the list in question. Otherwise it writes names and list as the question says them;
 * - where there is more it goes on as the reply says; a value that was shortened it asks for by the name the question gives it;
 * - a passage that is cut it looks at once more, round the words;
 * - it takes a reply's word for it: what is found nowhere is not there. It does not answer from a value that was read as another field.
 */
import { CUT, conclude } from './conclude.mjs'
import { joinByTwo } from './join.mjs'
import { exploredFields, fieldNames, isOneOf } from './preview.mjs'
import { plainName, valueIn } from './read.mjs'
import { search } from './search.mjs'
import { dotted, isSpokenOf, offers, readAs } from './words.mjs'

/** How often it asks again. */
const THOUGHTS = 2

const AGGREGATES = { sum: 'sum', average: 'average', min: 'min', max: 'max' }

/** @returns {Promise<import('../../contract.mjs').Answer>} */
export async function answerAsNaive(question, talk, preview) {
  const { ask } = question
  if (ask.collection === undefined && ask.want) return part(ask, talk, preview)
  if (ask.words !== undefined) return byWords(question, talk, preview)
  if (isAbout(ask.collection, preview)) {
    if (ask.structure && /\blines\b/.test(question.text) && preview.lines) return { answer: preview.lines }
    if (ask.structure === 'records' && preview.records !== undefined) return { answer: preview.records }
    if (ask.structure === 'fields' && fieldNames(preview)) return { answer: fieldNames(preview) }
  }
  if (ask.structure === 'fields') return explore(ask, talk, preview)
  if (ask.join) return joinByTwo(query, ask, talk, preview)
  return query(ask, talk, preview)
}

/** The preview is about the list the question names. */
function isAbout(way, { main }) {
  if (isOneOf(main)) return false
  const elements = main?.match(/\[\*?\]|\.\*/g)?.length ?? 0
  return plainName(main ?? '$') === dotted(way) && way.filter((key) => key === '[]').length === elements
}

/** `login` for `user.login`; the name of the list for its elements. */
function lastWord(way) {
  return way.filter((key) => key !== '[]').at(-1) ?? ''
}

/** A value of the document itself: from the preview, else by its name. */
async function part(ask, talk, { handle, beside }) {
  const known = beside.get(dotted(ask.want))
  if (known !== undefined) return { answer: known }
  const { text, rows } = await talk.ask('proxy_filter', { cache_id: handle, path: dotted(ask.want) })
  const value = valueIn(text) ?? (rows.length === 1 ? rows[0] : undefined)
  return value === undefined ? { unanswered: 'no single value in the reply' } : { answer: value }
}

async function query(ask, talk, preview) {
  const args = { cache_id: preview.handle, ...parts(ask, lastWord) }
  const { reading, asked, doubt } = await settled(ask, talk, args, preview)
  if (doubt || (!reading.isError && misread(ask, reading)))
    return { unanswered: 'about another field or list' }
  const partial = reading.more && !reading.isError && needsAll(ask, reading)
  const whole = partial ? await talk.rest('proxy_filter', asked, reading) : reading
  const answer = conclude(ask, whole)
  if (answer.unanswered !== CUT || talk.left <= 0) return answer
  const again = await talk.ask('proxy_filter', { ...asked, fields: [dotted(ask.want)] })
  return misread(ask, again) ? { unanswered: 'about another field or list' } : conclude(ask, again)
}

function needsAll(ask, { rows }) {
  return ask.aggregate === undefined && ask.structure === undefined && !(ask.k <= rows.length)
}

function parts(ask, name) {
  const where = (ask.where ?? []).map(({ field, op, value }) => `${name(field)} ${op} ${list(value)}`)
  const common = where.length > 0 ? { where } : {}
  if (ask.by) return { ...common, group_by: name(ask.by), ...(ask.k && { limit: ask.k }) }
  if (ask.aggregate === 'count' || ask.structure === 'records') {
    return where.length > 0 ? common : { aggregate: 'count' }
  }
  if (ask.aggregate) return { ...common, aggregate: `${AGGREGATES[ask.aggregate]}(${name(ask.of)})` }
  if (ask.order) {
    return { ...common, sort: `${ask.order.descending ? '-' : ''}${name(ask.order.field)}`, limit: ask.k }
  }
  return common
}

function list(value) {
  return Array.isArray(value) ? `(${value.join(', ')})` : value
}

/** The reply that leaves no doubt, or the last of a few. */
async function settled(ask, talk, first, preview) {
  let asked = first
  const names = new Map()
  for (let again = 0; ; again++) {
    const reading = await talk.ask('proxy_filter', asked)
    const better = suggested(ask, asked, reading, preview, names)
    if (better === undefined || again === THOUGHTS || talk.left <= 0)
      return { reading, asked, doubt: better !== undefined }
    asked = better
  }
}

/**
 * The call to make instead, when the reply leaves a doubt; none when it does not, or when nothing would change. `known`: names that
 * were found already.
 */
function suggested(ask, args, reading, preview, known) {
  const said = reading.isError ? reading.text : reading.notes.join('\n')
  const [heading = ''] = reading.notes
  const [, list] = /Only the records of `([^`]+)`/.exec(said) ?? []
  const other = list !== undefined && plainName(list) !== dotted(ask.collection)
  const elsewhere =
    other ||
    (!isAbout(ask.collection, preview) &&
      args.path === undefined &&
      !heading.includes(dotted(ask.collection)))
  const trouble = reading.isError || reading.nothing || misread(ask, reading) || elsewhere
  const { places, names } = offers(said)
  const read = readAs(reading.notes).map((one) => one.read)
  const offered = names.filter((name) => !read.includes(name))
  const name = (way) => {
    const full = dotted(way)
    const found =
      offered.find((one) => plainName(one) === full) ?? known.get(full) ?? (trouble ? full : undefined)
    if (found !== undefined) known.set(full, found)
    return found ?? lastWord(way)
  }
  const elements = args.path && /write `\[\*\]` after it/.test(said) ? `${args.path}[*]` : undefined
  const named = isAbout(ask.collection, preview) ? undefined : dotted(ask.collection)
  const same = places.find((place) => plainName(place) === dotted(ask.collection))
  const told = same ?? (named || (reading.isError ? places[0] : undefined))
  const path = elements ?? args.path ?? (trouble ? told : undefined)
  const better = { cache_id: args.cache_id, ...(path && { path }), ...parts(ask, name) }
  return JSON.stringify(better) === JSON.stringify(args) ? undefined : better
}

/** A name was read as a field the question does not mean. */
function misread(ask, { notes }) {
  return readAs(notes).some(({ read }) => !isSpokenOf(ask, read))
}

async function explore(ask, talk, preview) {
  const path = isAbout(ask.collection, preview) ? {} : { path: dotted(ask.collection) }
  const { text } = await talk.ask('proxy_explore', { cache_id: preview.handle, ...path })
  const names = exploredFields(text)
  return names ? { answer: names } : { unanswered: 'not all fields are named' }
}

function byWords({ ask, type }, talk, preview) {
  const relevance = type === 'relevance'
  return search({
    ask,
    relevance,
    talk,
    preview,
    args: { cache_id: preview.handle, pattern: ask.words, ...(relevance && { mode: 'bm25' }) },
    recordCall: (field) => ({
      cache_id: preview.handle,
      ...(isAbout(ask.collection, preview) ? {} : { path: dotted(ask.collection) }),
      where: [`${field} contains ${ask.words}`],
    }),
  })
}
