/** What is worth translating, and whether an answer is a translation. */
import { hasHiddenCharacters } from './suspicion.ts'

/** Scripts that put no spaces between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]{2}/u

/** Something to read, not a number, an address, a code or data. `isLabel`: one word is something to read as well. */
export function isProse(text: string, isLabel = false): boolean {
  if (!/\p{L}{2}/u.test(text)) return false
  const trimmed = text.trim()
  if (!/\s/.test(trimmed) && !UNSPACED.test(trimmed)) return isLabel && /^\p{Lu}\p{Ll}+[.!?]?$/u.test(trimmed)
  return !/^[[{]/.test(trimmed) || !isJson(trimmed)
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/**
 * What is no language: code between backticks, addresses, placeholders (`{x}`, `%s`, `$VAR`, `<tag>`), options, paths and
 * identifiers (`read_file`, `maxResults`, `Date.now`).
 */
const UNTOUCHABLE =
  /`[^`]+`|\b[a-z][a-z0-9+.-]*:\/\/[^\s)>\]"']*[^\s)>\]"'.,;:!?]|\$?\{[^{}\s]*\}|%(?:\(\w+\))?[sdif]\b|\$[A-Z_][A-Z0-9_]*|<\/?[a-z][\w-]*>|(?<!\S)--[a-z][\w-]*|(?<![\w/.])(?:\.{0,2}\/)[\w.-]+(?:\/[\w.-]+)*|\b[A-Za-z]\w*_\w*[A-Za-z0-9]|\b[a-z]+[A-Z]\w*|\b\w+\.[a-z]{2,4}\b(?=[\s,;)]|$)/gu

/** Times as long as the text that a translation may be, and characters beyond. */
const LONGER = 4
const ROOM = 200

/** The answer, or the text itself where the answer is none: something missing that has to stay, or much that was not asked for. */
export function faithful(text: string, answer: string): string {
  if (answer.trim() === '' || answer.length > text.length * LONGER + ROOM) return text
  if (hasHiddenCharacters(answer) && !hasHiddenCharacters(text)) return text
  return (text.match(UNTOUCHABLE) ?? []).every((part) => answer.includes(part)) ? answer : text
}
