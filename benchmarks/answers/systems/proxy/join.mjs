/** A question over two lists. */
import { isShortened, plainName, valuesIn } from './read.mjs'
import { dotted, readAs } from './words.mjs'

/**
 * One query with `join_on`. Undefined when the reply leaves a doubt: fields or lists other than the question's, or a field of an unclear
 * list.
 * @param {object} call   arguments that choose the records of the first list
 * @param {object} other   `join` of the question
 * @param {{ talk: import('./talk.mjs').Talk, name: (way: string[]) => string, elsewhere?: string }} options
 *   `name`: how a field is written; `elsewhere`: the handle of the other payload, where it is another
 */
export async function joinAtOnce(call, other, { talk, name, elsewhere }) {
  const list = dotted(other.collection)
  // Where both lists have a field, that of the second is called by its list.
  const called = (way) => `${list === '' ? 'joined' : list}.${name(way)}`
  const equals = elsewhere === undefined && list !== '' ? called(other.equals) : name(other.equals)
  const args = {
    ...call,
    ...(elsewhere !== undefined && { cache_id: [call.cache_id, elsewhere] }),
    join_on: `${name(other.on)} = ${equals}`,
    limit: 100,
  }
  const reading = await talk.ask('proxy_filter', { ...args, fields: [name(other.want), called(other.want)] })
  if (reading.isError || reading.more || !asMeant(reading, other, list, called(other.want))) return undefined
  const column = columnOf(reading, other.want)
  if (column === undefined) return undefined
  const shown = valuesOf(reading, column, other.want)
  if (shown.length > 0 || column === dotted(other.want) || talk.left <= 0) return concluded(shown)
  // Now its name is known.
  const again = await talk.ask('proxy_filter', { ...args, fields: [column] })
  return again.isError || again.more ? undefined : concluded(valuesOf(again, column, other.want))
}

function valuesOf({ rows }, column, want) {
  const values = rows.flatMap((row) => {
    if (column === dotted(want)) return valuesIn(row, want) ?? []
    const key = Object.keys(row ?? {}).find((one) => plainName(one) === plainName(column))
    return key === undefined ? [] : [row[key]].flat()
  })
  return [...new Set(values.filter((value) => value !== null && value !== undefined))]
}

function concluded(values) {
  return values.length === 0 || values.some(isShortened) ? undefined : { answer: values }
}

/** The reply says what it joined on; it must be what was meant. */
function asMeant({ notes }, { on, equals, want }, list, guess) {
  const said = notes.join('\n')
  const [, place, left, right] = /joined with (.+?) on `(.+?) = (.+?)`/.exec(said) ?? []
  if (left === undefined) return false
  const same = (written, way) => {
    const [one, whole] = [plainName(written), dotted(way)]
    return one === whole || one.endsWith(`.${whole}`) || whole.endsWith(`.${one}`)
  }
  const there = list === '' || plainName(place.split(' ')[0]).endsWith(list)
  const read = readAs(notes).every(
    ({ written, read }) =>
      plainName(written) === plainName(read) || (written === guess && plainName(read) === dotted(want)),
  )
  return there && read && same(left, on) && same(right, equals)
}

/** The column of the second list's field: by its own name, or by the name in the reply where both lists have one. */
function columnOf({ notes }, want) {
  const [, both, renamed] = /Both have (.+?): those of .+? are (.+)\.$/m.exec(notes.join('\n')) ?? []
  if (both === undefined) return dotted(want)
  const names = (text) => [...text.matchAll(/`([^`]+)`/g)].map(([, name]) => name)
  const at = names(both).findIndex((name) => plainName(name) === dotted(want))
  if (at >= 0) return names(renamed)[at]
  // A list of names that is cut may have left it out.
  return /…|\bmore\b/.test(both) ? undefined : dotted(want)
}

/**
 * Two queries: the keys, then the records that have them. `query` asks one list, as its policy does; `fetched` is the other payload,
 * where it was looked at already.
 */
export async function joinByTwo(query, ask, talk, preview, fetched) {
  const { join: other, ...first } = ask
  const keys = await query({ ...first, want: other.on }, talk, preview)
  if (!('answer' in keys)) return keys
  const [value, ...more] = keys.answer
  const where = [
    { field: other.equals, ...(more.length > 0 ? { op: 'in', value: keys.answer } : { op: '=', value }) },
  ]
  const second = { collection: other.collection, where, want: other.want }
  const there = other.payload === talk.name ? { preview } : (fetched ?? (await talk.fetch(other.payload)))
  return there.preview
    ? query(second, talk, there.preview)
    : talk.readSmall(second, other.payload, there.text)
}
