/** The longest plain text that every match of a regular expression holds, for finding places worth a closer look. */

/** Undefined when there is none or the pattern is not understood: then every place is worth a look. */
export function requiredLiteral(regex: string): string | undefined {
  const runs: string[] = []
  let run: string[] = []
  const close = (): void => {
    runs.push(run.join(''))
    run = []
  }
  for (let at = 0; at < regex.length; ) {
    const part = nextPart(regex, at)
    if (part === undefined) return undefined
    at += part.length
    const repeat = /^(?:[*+?]|\{\d*,?\d*\})/.exec(regex.slice(at, at + 16))?.[0] ?? ''
    const optional = repeat !== '' && repeat !== '+'
    if (part.literal === undefined) close()
    else if (!optional) run.push(part.literal)
    if (repeat !== '') close()
    at += repeat.length
    while (/[*+?]/.test(regex.charAt(at))) at++
  }
  close()
  const longest = runs.reduce((best, next) => (next.length > best.length ? next : best), '')
  return longest === '' ? undefined : longest
}

/** One atom of a sequence; `literal` when it matches just that. */
interface RegexPart {
  length: number
  literal?: string
}

function nextPart(regex: string, at: number): RegexPart | undefined {
  const character = String.fromCodePoint(regex.codePointAt(at) ?? 0)
  if (character === '|' || character === ')') return undefined
  if (character === '(') return sized(groupLength(regex, at))
  if (character === '[') return sized(classLength(regex, at))
  if (character === '.' || character === '^' || character === '$') return { length: 1 }
  if (character !== '\\') return { length: character.length, literal: character }
  const name = regex.charAt(at + 1)
  if (/[dDwWsSbBtnr]/.test(name)) return { length: 2 }
  return /[!-/:-@[-`{-~]/.test(name) ? { length: 2, literal: name } : undefined
}

const sized = (length: number | undefined): RegexPart | undefined =>
  length === undefined ? undefined : { length }

/** Flags inside a group could change what follows: such patterns are left alone. */
function groupLength(regex: string, start: number): number | undefined {
  let depth = 0
  for (let at = start; at < regex.length; ) {
    const character = regex.charAt(at)
    if (character === '(' && regex.charAt(at + 1) === '?' && regex.charAt(at + 2) !== ':') return undefined
    if (character === '\\' && /[QE]/.test(regex.charAt(at + 1))) return undefined
    if (character === '(') depth++
    if (character === ')') depth--
    if (depth === 0) return at + 1 - start
    at += character === '\\' ? 2 : character === '[' ? (classLength(regex, at) ?? regex.length) : 1
  }
  return undefined
}

function classLength(regex: string, start: number): number | undefined {
  const found = /^\[\^?\]?(?:\\[^\n]|[^\]\\[])*\]/.exec(regex.slice(start, start + 300))
  return found?.[0].length
}
