/** JSON files: two payloads each, as servers that minify and servers that indent would send them. */
import { collectionsOf } from './collections.mjs'

/** A number without what only writing it adds, as `[digits, exponent]`: `1.50e3` and `1500` are the same. */
function exact(literal) {
  const [, sign, whole, fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(
    literal,
  )
  const digits = (whole + fraction).replace(/^0+/, '')
  const short = digits.replace(/0+$/, '')
  if (short === '') return '0'
  return `${sign}${short}e${Number(exponent) - fraction.length + digits.length - short.length}`
}

/** Whether JSON.parse keeps every number of a valid JSON text exactly. */
export function keepsNumbers(text) {
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g)) {
    if (token[0] === '"' || /^-?[\d.]{1,15}$/.test(token)) continue
    const value = Number(token)
    if (!Number.isFinite(value) || exact(String(value)) !== exact(token)) return false
  }
  return true
}

/**
 * @param {string} name file name
 * @param {string} text valid JSON; throws on what is not
 * @returns {import('../contract.mjs').Payload[]}
 */
export function readJson(name, text) {
  const data = JSON.parse(text)
  const whole = { kind: 'json', source: name, data, collections: collectionsOf(data) }
  if (!keepsNumbers(text)) return [{ name, ...whole, text }]
  return [
    { name: `${name} minified`, ...whole, text: JSON.stringify(data) },
    { name: `${name} pretty`, ...whole, text: JSON.stringify(data, null, 2) },
  ]
}
