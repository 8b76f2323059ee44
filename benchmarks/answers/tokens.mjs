/** Tokens of o200k. Long texts are counted in pieces that end at white space or punctuation, and once only. */
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'

const PIECE = 8000
const NOTHING_SPECIAL = { disallowedSpecial: new Set() }
const known = new Map()

/** How many tokens the text has; of long texts up to a ten-thousandth more, from the seams of the pieces. */
export function tokensOf(text) {
  if (text.length <= PIECE) return countTokens(text, NOTHING_SPECIAL)
  const before = known.get(text)
  if (before !== undefined) return before
  let count = 0
  for (let at = 0; at < text.length; ) {
    const end = seam(text, at + PIECE)
    count += countTokens(text.slice(at, end), NOTHING_SPECIAL)
    at = end
  }
  known.set(text, count)
  return count
}

/** Tokens of definitions of tools as models read them: clients keep annotations, `_meta`, titles and output schemas to themselves. */
export function definitionTokens(tools) {
  return tokensOf(
    JSON.stringify(tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }))),
  )
}

function seam(text, wanted) {
  if (wanted >= text.length) return text.length
  for (let at = wanted; at > wanted - 500; at--) if (/[\s",]/.test(text[at])) return at
  return wanted
}
