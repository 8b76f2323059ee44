/** How agents write what they look for. */
import { plainName } from './read.mjs'

/** Text as a pattern that matches it and nothing else. */
export function literal(text) {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}

/** A way as a question says it: `labels.name`. */
export function dotted(way) {
  return way.filter((key) => key !== '[]').join('.')
}

/** Whether a name belongs to a field or list of the question. It may be a field alone or with the list it is in, or a part of that. */
export function isSpokenOf(ask, name) {
  const ways = [
    ask.want,
    ask.by,
    ask.of,
    ask.order?.field,
    ...(ask.where ?? []).map(({ field }) => field),
  ].filter(Boolean)
  const said = plainName(name)
  if (said === dotted(ask.collection ?? [])) return true
  return ways.some((way) => {
    const least = dotted(way)
    const most = dotted([...(ask.collection ?? []), ...way])
    return said === least || (most.endsWith(`.${said}`) && said.endsWith(`.${least}`)) || said === most
  })
}

const AGGREGATES = { sum: 'sum', average: 'avg', min: 'min', max: 'max' }

/** `avg(items[].price)`. */
export function aggregateOf(ask, name) {
  return ask.aggregate === 'count' ? 'count' : `${AGGREGATES[ask.aggregate]}(${name})`
}

/** The names a reply says it read others as: "`login` read as `user.login`". */
export function readAs(notes) {
  return [...notes.join('\n').matchAll(/`([^`]+)` (?:was )?read as `([^`]+)`/g)].map(([, written, read]) => ({
    written,
    read,
  }))
}

/** The names a refusal offers, and the places it says have the field. */
export function offers(text) {
  const places = [...text.matchAll(/(?:add )?"?path"?: ("(?:[^"\\]|\\.)*")/g)].map(([, place]) =>
    JSON.parse(place),
  )
  const names = [...text.matchAll(/`([^`]+)`/g)].map(([, name]) => name)
  return { places, names }
}
