/** JSON as servers send it: alone, after a line of text, in a Markdown fence (RFC 8259). */
import type { JsonValue } from '../../protocol/json.ts'
import { withColumns } from '../columns/columnar.ts'
import { parseJson } from '../json/stringify.ts'
import { unfold } from '../json/unfold.ts'
import { overviewOfData } from '../overview/records.ts'
import { defineFormat, PLAIN } from './define.ts'

interface FoundJson {
  value: JsonValue
  /** The words around it. */
  asides: string[]
}

/** The words around a value may have this many characters at each end. */
const AROUND = 600

/** The value a text is, or holds between a few words. Undefined when it is something else. */
function findJson(text: string): FoundJson | undefined {
  const first = /\S/.exec(text.slice(0, AROUND))?.[0] ?? ''
  if (first === '') return undefined
  if ('[{"'.includes(first) || /^[\s\d.eE+-]{1,40}$|^\s*(true|false|null)\s*$/.test(text.slice(0, 60))) {
    const parsed = parseJson(text)
    if (parsed) return { value: withColumns(unfold(parsed.value)), asides: [] }
  }
  return findInside(text)
}

/** Starts: a line's first bracket near the beginning. Ends: the last bracket near the end. Few are tried. */
function findInside(text: string): FoundJson | undefined {
  const trailer = text.slice(-AROUND)
  const last = Math.max(trailer.lastIndexOf('}'), trailer.lastIndexOf(']'))
  if (last < 0) return undefined
  const end = text.length - trailer.length + last + 1
  const starts = [...text.slice(0, AROUND).matchAll(/(?:^|\n|: )[ \t]*(?=[[{])/g)].slice(0, 3)
  for (const match of starts) {
    const start = match.index + match[0].length
    if (end - start < text.length / 2) return undefined
    const parsed = parseJson(text.slice(start, end))
    if (typeof parsed?.value === 'object' && parsed.value !== null) {
      return {
        value: withColumns(unfold(parsed.value)),
        asides: around(text.slice(0, start), text.slice(end)),
      }
    }
  }
  return undefined
}

function around(before: string, after: string): string[] {
  return [before, after]
    .map((words) =>
      words
        .replace(/```\w*/g, '')
        .replace(/\s+/g, ' ')
        .trim(),
    )
    .filter((words) => words !== '')
    .map((words) => `text beside it: ${words}`)
}

/** Tried first, since what parses is nothing else. Never takes a value that is less than half of the text. */
export const json = defineFormat<FoundJson>({
  ...PLAIN.json,
  detect: findJson,
  read: (_, { value }) => value,
  asides: (_, { asides }) => asides,
  overview: overviewOfData,
})
