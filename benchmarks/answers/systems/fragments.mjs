/** The facts in a piece of a text: the objects of a piece of JSON, whole or not; the records of lines. */
import { meets, valuesAt } from '../questions/evaluate.mjs'

/**
 * The objects that a piece of JSON shows, inner and outer, each with the members that are in the piece. Those the piece begins or ends
 * within are there with what is left of them; a value that is cut is left out.
 * @param {string} text
 * @param {boolean} [fromStart] the piece is the beginning of the whole
 * @returns {Record<string, unknown>[]}
 */
export function objectsIn(text, fromStart = false) {
  if (fromStart) return scan(text)
  // A piece may begin within a string: the better of both readings has more names with values.
  const outside = scan(text)
  const quote = text.search(/(?<!\\)"/)
  const inside = quote < 0 ? [] : scan(text.slice(quote + 1))
  const members = (objects) => objects.reduce((sum, object) => sum + Object.keys(object).length, 0)
  return members(inside) > members(outside) ? inside : outside
}

const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?=[\s,\]}])|true|false|null|[{}[\],:]/g

function scan(text) {
  const found = []
  // The piece may begin inside an object that ends in it: an object without its beginning.
  const opened = () => ({ value: {}, keys: [], open: true })
  let stack = [opened()]
  found.push(stack[0].value)
  let key
  let held
  const put = (value) => {
    const top = stack.at(-1)
    if (Array.isArray(top.value)) top.value.push(value)
    else if (key !== undefined)
      Object.defineProperty(top.value, key, { value, enumerable: true, configurable: true, writable: true })
    key = undefined
  }
  const flush = () => {
    if (held !== undefined) put(held.value)
    held = undefined
  }
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === ':') {
      key = typeof held?.value === 'string' ? held.value : undefined
      held = undefined
    } else if (token === ',') flush()
    else if (token === '{' || token === '[') {
      const value = token === '{' ? {} : []
      if (token === '{') {
        found.push(value)
        if (key !== undefined)
          Object.defineProperty(value, '_key', {
            value: key,
            enumerable: true,
            configurable: true,
            writable: true,
          })
      }
      put(value)
      stack.push({ value })
    } else if (token === '}' || token === ']') {
      flush()
      if (stack.length > 1) stack.pop()
      else {
        // The end of something the piece began in: it belongs to an outer object that is not seen either.
        const outer = opened()
        found.push(outer.value)
        stack = [outer]
      }
      key = undefined
    } else held = { value: parsed(token) }
  }
  return found.filter((object) => Object.keys(object).length > 0)
}

function parsed(token) {
  try {
    return JSON.parse(token)
  } catch {
    return undefined
  }
}

/**
 * Records that whole lines of a piece show.
 * @param {string} piece
 * @param {'json' | 'ndjson' | 'csv' | 'log' | 'markdown' | 'html' | 'text'} kind
 * @param {string} header   the first line of the whole
 */
export function recordsIn(piece, kind, header, fromStart = false) {
  if (kind === 'json') return objectsIn(piece, fromStart)
  const lines = piece.split('\n')
  if (kind === 'ndjson')
    return lines.map(parsed).filter((value) => typeof value === 'object' && value !== null)
  if (kind !== 'csv') return []
  const mark = [',', ';', '\t', '|'].reduce((best, sign) =>
    header.split(sign).length > header.split(best).length ? sign : best,
  )
  const names = cells(header, mark)
  return lines
    .map((line) => cells(line, mark))
    .filter((row) => row.length === names.length)
    .map((row) => Object.fromEntries(names.map((name, at) => [name, row[at]])))
}

function cells(line, mark) {
  const cell = new RegExp(`(?:^|${mark === '|' ? '\\|' : mark})(?:"((?:[^"]|"")*)"|([^${mark}"]*))`, 'g')
  return [...line.replace(/\r$/, '').matchAll(cell)].map(
    ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain,
  )
}

/**
 * The wanted values of what meets the conditions in a piece; nothing when they are not there. A record of a nested list stands for
 * itself: its way begins in it.
 * @param {import('../contract.mjs').Ask} ask
 * @param {object[]} records
 */
export function wantedIn({ where = [], want, words }, records) {
  const values = new Set()
  for (const record of records) {
    const fits =
      where.every((condition) => meets(record, condition)) &&
      (words === undefined || JSON.stringify(record).includes(JSON.stringify(words).slice(1, -1)))
    if (fits) for (const value of valuesAt(record, want)) if (typeof value !== 'object') values.add(value)
  }
  return [...values]
}

/** A value of the document itself, from its beginning. */
export function rootValue({ want }, beginning) {
  const root = scan(beginning)[0]
  const [value] = root === undefined ? [] : valuesAt(root, want)
  return value === undefined || typeof value === 'object'
    ? { unanswered: 'not in the part' }
    : { answer: value }
}
