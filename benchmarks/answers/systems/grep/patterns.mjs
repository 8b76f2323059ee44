/** Patterns an agent would grep for, and whether counting their lines counts records. */

export function literal(text) {
  return String(text).replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}

/** A value where the kind of file has it: `"name":\s*"value"`, a cell, a word. */
export function valuePattern({ field, op, value }, { kind }) {
  if (op !== '=' && op !== 'contains') return undefined
  const name = field.filter((key) => key !== '[]').at(-1)
  if (kind === 'json' || kind === 'ndjson') {
    if (name === '_key') return literal(JSON.stringify(value))
    const written = literal(JSON.stringify(value))
    if (op === 'contains') return `${literal(JSON.stringify(name))}:\\s*"[^"]*${written.slice(1, -1)}`
    return field.at(-1) === '[]' ? written : `${literal(JSON.stringify(name))}:\\s*${written}(?=[,}\\]\\s]|$)`
  }
  if (kind === 'csv')
    return op === '=' ? `(?:^|[,;\\t|])"?${literal(value)}"?(?:[,;\\t|]|\\r?$)` : literal(value)
  return literal(value)
}

/**
 * The pattern for the lines that are the records to count. Lines are records, or a field has its own line in indented JSON and is only in
 * these records.
 */
export function countable({ where = [], words }, payload) {
  if (words !== undefined)
    return ['log', 'ndjson', 'text'].includes(payload.kind) ? literal(words) : undefined
  if (where.length !== 1 || where[0].op !== '=') return undefined
  const [condition] = where
  if (payload.kind === 'json')
    return fieldPattern(condition.field, payload) && valuePattern(condition, payload)
  if (payload.kind === 'ndjson')
    return condition.field.length === 1 ? valuePattern(condition, payload) : undefined
  // A cell or a word of a log line may be that of another field: only words tell.
  return typeof condition.value === 'string' && !/^\d*$/.test(condition.value)
    ? valuePattern(condition, payload)
    : undefined
}

/** Lines with a field, when it is on lines of its own and its name is not used elsewhere. */
export function fieldPattern(field, { kind, text, data }) {
  if (kind !== 'json' || field.includes('[]') || (!text.startsWith('{\n') && !text.startsWith('[\n')))
    return undefined
  const name = field.at(-1)
  return name !== '_key' && waysTo(data, name) === 1
    ? `^\\s*${literal(JSON.stringify(name))}: [^{[]`
    : undefined
}

/** In how many different places of a document a name is used; lists and the keys of maps do not make places differ. */
function waysTo(data, name) {
  const places = new Set()
  const visit = (value, place, depth) => {
    if (typeof value !== 'object' || value === null || depth > 12) return
    for (const [key, inner] of Object.entries(value)) {
      if (!Array.isArray(value) && key === name) places.add(place)
      visit(inner, Array.isArray(value) || depth < 2 ? place : `${place}.${key}`, depth + 1)
    }
  }
  visit(data, '', 0)
  return places.size
}
