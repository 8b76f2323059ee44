/** The index of tools as the default engine has it. */
import { indexTools as indexWords, WEIGHTS } from '../../dist/discovery/lexical.js'
import { wordVectors } from '../../dist/discovery/word-vectors.js'

/** @param parts what differs from in the default (`Parts` in `src/discovery/lexical.ts`) */
export function indexTools(tools, weights = WEIGHTS, parts = {}) {
  return indexWords(tools, weights, { vectors: wordVectors(), ...parts })
}
