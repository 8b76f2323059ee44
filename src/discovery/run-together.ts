/** Names whose words are written together: `listissues`, `getuserbyid`. */
import { isAction } from './actions.ts'
import { stemOf } from './words.ts'

/** Letters. */
const shortestPart = 3
const longestName = 40
/** Words after the action. */
const mostParts = 3

/**
 * The words of a name that begins with an action and goes on with words of `others`, which are what its description is written in, as
 * written; none where it does not.
 */
export function partsOfName(name: string, others: string): string[] {
  if (name.length > longestName || !/^[A-Z]?[a-z]+$/.test(name)) return []
  const whole = name.toLowerCase()
  for (let end = shortestPart; end <= whole.length - shortestPart; end++) {
    const action = whole.slice(0, end)
    if (!isActionWord(action)) continue
    const rest = split(whole.slice(end), new Set(others.toLowerCase().match(/[a-z]{3,40}/g)))
    if (rest.length > 0) return [action, ...rest]
  }
  return []
}

function isActionWord(word: string): boolean {
  const before = known.get(word)
  if (before !== undefined) return before
  const action = isAction(stemOf(word))
  if (known.size < mostKnown) known.set(word, action)
  return action
}

/** Beginnings of names. A stem takes longer than all else here. */
const known = new Map<string, boolean>()
const mostKnown = 20_000

/** The fewest words that a text is written of, each of them or its plural in the list; none where it is not. */
function split(text: string, words: ReadonlySet<string>, most = mostParts): string[] {
  const known = (part: string): boolean =>
    words.has(part) || words.has(`${part}s`) || (part.endsWith('s') && words.has(part.slice(0, -1)))
  if (known(text)) return [text]
  if (most === 1) return []
  for (let end = text.length - shortestPart; end >= shortestPart; end--) {
    if (!known(text.slice(0, end))) continue
    const rest = split(text.slice(end), words, most - 1)
    if (rest.length > 0) return [text.slice(0, end), ...rest]
  }
  return []
}
