/** Any other text: its lines. */

/** @returns {import('../contract.mjs').Payload[]} */
export function readText(name, text) {
  return [{ name, kind: 'text', text, source: name, collections: [], lines: text.split(/\r?\n/) }]
}
