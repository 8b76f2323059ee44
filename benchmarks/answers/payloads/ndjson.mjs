/** One JSON object a line. */
import { isObject } from './collections.mjs'

/** Whether a text is lines of JSON objects: the first twenty that are not blank, and at least two. */
export function looksLikeNdjson(text) {
  const lines = text
    .slice(0, 200_000)
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(0, 20)
  return (
    lines.length >= 2 &&
    lines.every((line, index) => line.trimStart().startsWith('{') && (index === 19 || parses(line)))
  )
}

function parses(line) {
  try {
    return isObject(JSON.parse(line))
  } catch {
    return false
  }
}

/**
 * @param {string} name
 * @param {string} text throws when a line is not a JSON object
 * @returns {import('../contract.mjs').Payload[]}
 */
export function readNdjson(name, text) {
  const lines = text.split(/\r?\n/)
  const records = lines.filter((line) => line.trim() !== '').map((line) => JSON.parse(line))
  if (!records.every(isObject)) throw new Error('a line that is not an object')
  return [{ name, kind: 'ndjson', text, source: name, collections: [{ at: [], keyed: false, records }] }]
}
