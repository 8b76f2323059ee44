/** JSON as servers send it: alone, after a line of text, in a Markdown fence (RFC 8259). */
import { type JsonObject, type JsonValue, own, setOwn } from '../../protocol/json.ts'
import { withColumns } from '../columns/columnar.ts'
import { parseJson } from '../json/stringify.ts'
import { unfold } from '../json/unfold.ts'
import { wordsAround } from './cells.ts'
import { defineFormat, PLAIN } from './define.ts'

interface FoundJson {
  value: JsonValue
  /** The words around it. */
  asides: string[]
}

/** The words around a value may have this many characters at each end: servers explain their fields there. */
const AROUND = 4_096
const NEAR = 600
const MARKDOWN = /^(?:#{1,6}[ \t]+\S|\|.*\|)/m
/** A bracket with JSON behind it, at the start of a line or behind a label. */
const VALUE = /(?:^|\n|: )[ \t]*(?=[[{]\s*(?:["[{\]}\d-]|true|false|null))/g

/** The value a text is, or holds between a few words. Undefined when it is something else. */
function findJson(text: string): FoundJson | undefined {
  const first = /\S/.exec(text.slice(0, AROUND))?.[0] ?? ''
  if (first === '') return undefined
  if ('[{"'.includes(first) || /^[\s\d.eE+-]{1,40}$|^\s*(true|false|null)\s*$/.test(text.slice(0, 60))) {
    const parsed = parseJson(text)
    if (parsed) return { value: withColumns(unfold(parsed.value)), asides: [] }
  }
  return findInside(text) ?? findLabelled(text)
}

/** `Monitors: […]`, `Summary: {…}`: each value as the field that its label says. Undefined for less than two. */
function findLabelled(text: string): FoundJson | undefined {
  const [, label] = LABELLED.exec(text.slice(0, LONGEST_LABEL * 2)) ?? []
  if (label === undefined) return undefined
  const labels: RegExpExecArray[] = []
  for (const found of text.matchAll(EACH_LABEL)) if (labels.push(found) > MOST_LABELS) return undefined
  // Lines of other keys above are settings, of which JSON is a part.
  if (labels.length < 2 || PAIR.test(text.slice(0, labels[0]?.index ?? 0))) return undefined
  const value: JsonObject = {}
  for (const [nth, found] of labels.entries()) {
    const [whole, name = ''] = found
    const parsed = parseJson(text.slice(found.index + whole.length, labels[nth + 1]?.index ?? text.length))
    if (parsed === undefined || own(value, name) !== undefined) return undefined
    setOwn(value, name, withColumns(unfold(parsed.value)))
  }
  return { value, asides: wordsAround(text.slice(0, labels[0]?.index ?? 0), '') }
}

const LONGEST_LABEL = 80
const PAIR = /^\s*[\w.$/ -]{1,79}: *\S/m
const MOST_LABELS = 40
const LABELLED = /(?:^|\n)(\p{L}[^\n:{[]{0,79}): *[[{]/u
const EACH_LABEL = /^(\p{L}[^\n:{[]{0,79}): *\n?(?=[[{])/gmu

/** Starts: a line's first bracket near the beginning. Ends: the last bracket near the end. Few are tried. */
function findInside(text: string): FoundJson | undefined {
  const trailer = text.slice(-AROUND)
  const last = Math.max(trailer.lastIndexOf('}'), trailer.lastIndexOf(']'))
  if (last < 0) return undefined
  const end = text.length - trailer.length + last + 1
  const starts = [...text.slice(0, AROUND).matchAll(VALUE)].slice(0, 3)
  for (const match of starts) {
    const start = match.index + match[0].length
    if (end - start < text.length / 2) return undefined
    // A page of Markdown may show an example.
    const isFar = Math.max(start, text.length - end) > NEAR
    if (isFar && (MARKDOWN.test(text.slice(0, start)) || MARKDOWN.test(text.slice(end)))) return undefined
    const parsed = parseJson(text.slice(start, end))
    if (typeof parsed?.value === 'object' && parsed.value !== null) {
      return {
        value: withColumns(unfold(parsed.value)),
        asides: wordsAround(text.slice(0, start), text.slice(end)),
      }
    }
  }
  return undefined
}

/** Tried first, since what parses is nothing else. Never takes a value that is less than half of the text. */
export const json = defineFormat<FoundJson>({
  ...PLAIN.json,
  detect: findJson,
  read: (_, { value }) => value,
  asides: (_, { asides }) => asides,
})
