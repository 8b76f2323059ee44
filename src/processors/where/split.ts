/** Cutting a condition at `and` and `or`, where values without quotes may hold the same words. */
import { cutAtOperator, type Knows } from './operators.ts'

const joints = {
  and: /\s+and\s+|\s*&&\s*|\s+&\s+|\s*[,;]\s*|(?<=\))and(?=\s*[(\w])/iy,
  or: /\s+or\s+|\s*\|\|\s*|(?<=\))or(?=\s*[(\w])/iy,
}
/** More are no condition that anybody writes: parts, and places that may be joints. */
const mostParts = 100
const mostPlaces = 200

/**
 * The parts between the joints. A joint counts outside of quotes and brackets, and only when a condition follows it:
 * `title = cats and dogs` is one part. The `and` of `between` is none. A part that begins with its operator gets the
 * field of the one before: `a > 5 and < 9`.
 */
export function splitAt(source: string, word: 'and' | 'or', knows: Knows = () => undefined): string[] {
  const joint = joints[word]
  const parts: string[] = []
  let start = 0
  let depth = 0
  let places = 0
  const add = (part: string): void => {
    parts.push(parts.length > 0 && opensWithSign(part) ? withField(parts.at(-1) ?? '', part, knows) : part)
  }
  for (let at = 0; at < source.length && parts.length < mostParts; at++) {
    const char = source.charAt(at)
    if ((char === '"' || char === "'" || char === '`') && opensQuote(source, at)) {
      const end = closingQuote(source, at)
      if (end > 0) at = end
      continue
    }
    if (char === '\\') at++
    else if (char === '(' || char === '[' || char === '{') depth++
    else if (char === ')' || char === ']' || char === '}') depth = Math.max(0, depth - 1)
    const place = char === ')' ? at + 1 : at
    if (depth > 0 || !(isBlank(char) || '&|,;)'.includes(char))) continue
    joint.lastIndex = place
    const [found] = joint.exec(source) ?? (word === 'and' ? besides(source, place, knows) : [])
    if (found === undefined || place + found.length >= source.length) continue
    if (places++ > mostPlaces) break
    const part = source.slice(start, place)
    const rest = source.slice(place + found.length)
    if (part.trim() === '' || opensBetween(part, knows)) continue
    if (
      !(isCondition(rest, knows, isTight(found)) || (opensWithSign(rest) && isCondition(part, knows, false)))
    )
      continue
    if (/[,;]/.test(found) && inList(part, knows)) continue
    add(part)
    start = place + found.length
    at = start - 1
  }
  add(source.slice(start))
  return parts
}

/** The blanks in `state:open draft=true`, as search boxes have it. */
function besides(source: string, at: number, knows: Knows): string[] {
  const [blanks, name] =
    /^\s+/.exec(source.slice(at, at + 20))?.[0] === undefined
      ? []
      : [
          /^\s+/.exec(source.slice(at))?.[0] ?? '',
          /^\s+([\w.]+)(?=:[^\s:]|[=<>!]=?[^\s=<>])/.exec(source.slice(at, at + 200))?.[1],
        ]
  return blanks !== undefined && name !== undefined && knows(name) === 'exactly' ? [blanks] : []
}

function isBlank(char: string): boolean {
  return char === ' ' || char === '\t' || char === '\n'
}

/** A joint that belongs to values as often as it joins conditions. */
function isTight(joint: string): boolean {
  return /^[,;]|^\s*&\s*$/.test(joint.trim()) || /^\s*[,;]\s*$/.test(joint)
}

/** `> 5`, `<= x`; an equals sign alone is none, because values begin with it. */
function opensWithSign(text: string): boolean {
  return /^\s*(?:[<>]=?|!=)\s*[^\s<>=]/.test(text)
}

function withField(before: string, part: string, knows: Knows): string {
  const bare = before.trim().replace(/^(?:not\s+|!)?\(*\s*/i, '')
  const field = cutAtOperator(bare, knows)?.field
  return field === undefined ? part : `${field} ${part.trim()}`
}

/** An apostrophe within a word (`don't`) opens nothing. */
function opensQuote(source: string, at: number): boolean {
  return at === 0 || /[\s(,=<>~[:{]/.test(source.charAt(at - 1))
}

/** The quote that is followed by the end of a value; -1 when there is none. */
function closingQuote(source: string, at: number): number {
  const quote = source.charAt(at)
  for (let next = source.indexOf(quote, at + 1); next > 0; next = source.indexOf(quote, next + 1)) {
    if (next === source.length - 1 || /[\s),\]=<>~!:;&|}]/.test(source.charAt(next + 1))) return next
  }
  return -1
}

/** True for `price between 5`: the next `and` belongs to it. */
function opensBetween(part: string, knows: Knows): boolean {
  const cut = cutAtOperator(part, knows)
  return cut?.operator === 'between' && !/\s(?:and|to)\s|,|\.\./i.test(cut.rest)
}

/** True for `state in open`: the next comma belongs to it. */
function inList(part: string, knows: Knows): boolean {
  const operator = cutAtOperator(part, knows)?.operator
  return operator === 'in' || operator === 'has all' || operator === 'between'
}

/** True when the text begins with a field and an operator, or is a field that is known. */
function isCondition(text: string, knows: Knows, strictly: boolean): boolean {
  const rest = upToClosing(text.trimStart().replace(/^(?:not\s+|not(?=\()|[!(]\s*){1,20}/i, ''))
  if (/^(?:\w+\.)*[a-z]\w*\(/i.test(rest)) return true
  const [word = ''] = /^[^\s&|,;)]+/.exec(rest) ?? []
  const after = rest.slice(word.length).trimStart()
  if (/^$|^(?:and|or|&&|\|\||[,;)])/i.test(after) && /^[\w.$@[\]]+$/.test(word))
    return knows(word) === 'exactly'
  const cut = cutAtOperator(rest.slice(0, 300), knows)
  if (cut === undefined || cut.field === '') return false
  // A number is a field, or has a field after it (`5 < price`); else it is a part of a value: `>=17 || 14 >=14.58`.
  if (/^[-+]?\d[\d.]*$/.test(cut.field) && knows(cut.field) === undefined && !begins(cut.rest, knows))
    return false
  if (strictly && knows(cut.field) === undefined && (cut.colon || !/^[\w.$@[\]-]+$/.test(cut.field)))
    return false
  if (cut.colon && knows(cut.field) !== 'exactly') return false
  return !/\s/.test(cut.field) || /^["'`[]/.test(cut.field) || knows(cut.field) === 'exactly'
}

function begins(text: string, knows: Knows): boolean {
  const [name] = /^[^\s&|,;)<>=]+/.exec(text) ?? []
  return name !== undefined && !/^[\d"']/.test(name) && knows(name) !== undefined
}

/** What stands before a bracket that closes more than was opened: `n exists` of `n exists) and …`. */
function upToClosing(text: string): string {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at)
    if (char === '"' || char === "'" || char === '`') {
      const end = opensQuote(text, at) ? closingQuote(text, at) : -1
      if (end > 0) at = end
    } else if (char === '(') depth++
    else if (char === ')' && --depth < 0) return text.slice(0, at)
  }
  return text
}
