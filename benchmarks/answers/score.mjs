/** Compares what an agent says with the gold: right, wrong or unanswered. */

/**
 * @param {import('./contract.mjs').Gold} gold
 * @param {import('./contract.mjs').Answer} answer
 * @returns {'right' | 'wrong' | 'unanswered'}
 */
export function score(gold, answer) {
  if ('unanswered' in answer) return 'unanswered'
  if ('none' in gold) return 'none' in answer ? 'right' : 'wrong'
  if ('none' in answer) return isNothing(gold) ? 'right' : 'wrong'
  return agrees(gold, answer.answer) ? 'right' : 'wrong'
}

/** An empty set is nothing as well, however it is said. */
function isNothing(gold) {
  return [gold.set, gold.list, gold.table].some((items) => items?.length === 0)
}

function agrees(gold, said) {
  if ('number' in gold) return sameNumber(gold.number, single(said))
  if ('value' in gold) return same(gold.value, said) || same(gold.value, single(said))
  if ('set' in gold) return sameSet(gold.set, list(said))
  if ('list' in gold) return sameList(gold.list, list(said))
  if ('table' in gold) return sameTable(gold.table, said)
  if ('contains' in gold) return list(said).some((passage) => holds(passage, gold.contains))
  return false
}

function list(said) {
  return Array.isArray(said) ? said : [said]
}

function single(said) {
  return Array.isArray(said) && said.length === 1 ? said[0] : said
}

/** Within a ten-thousandth; digits in text are the number. */
function sameNumber(gold, said) {
  if (said === null || said === '' || typeof said === 'boolean') return false
  const number = Number(said)
  return Math.abs(number - gold) <= Math.max(Math.abs(gold) * 1e-4, 1e-9)
}

/** Values as a reader sees them: `5` and `"5"` are the same, objects in any order of their keys. */
function same(one, other) {
  return canonical(one) === canonical(other)
}

function canonical(value) {
  if (value === undefined) return 'undefined'
  if (typeof value === 'object' && value !== null) return JSON.stringify(sorted(value))
  return String(value)
}

function sorted(value) {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  )
}

function sameSet(gold, said) {
  const wanted = new Set(gold.map(canonical))
  const given = new Set(said.map(canonical))
  return wanted.size === given.size && [...wanted].every((value) => given.has(value))
}

function sameList(gold, said) {
  return gold.length === said.length && gold.every((value, index) => same(value, said[index]))
}

function sameTable(gold, said) {
  if (!Array.isArray(said) || said.length !== gold.length) return false
  const given = new Map(said.map(([value, count]) => [canonical(value), count]))
  return gold.every(([value, count]) => sameNumber(count, given.get(canonical(value)) ?? Number.NaN))
}

/** White space and the escapes of JSON do not matter: a passage is read, not compared byte by byte. */
function holds(passage, text) {
  const read = typeof passage === 'string' ? passage : JSON.stringify(passage)
  return squeezed(read).includes(squeezed(text)) || squeezed(unescaped(read)).includes(squeezed(text))
}

function squeezed(text) {
  return text.replace(/\s+/g, ' ').trim()
}

function unescaped(text) {
  return text.replace(/\\(["\\/nrt]|u[0-9a-fA-F]{4})/g, (sequence) => JSON.parse(`"${sequence}"`))
}
