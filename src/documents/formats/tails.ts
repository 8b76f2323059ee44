/** Fields behind the titles of a list: `Write the report — Assignee: Ann, Due: none`, `Write the report (status: open, owner: Ann)`. */
import { tally } from '../../text/groups.ts'

/** Where a field begins: behind a mark that ends the title, or another field. */
const BEGIN = /( [—–|·-] | \(|[,;] )(\p{L}[\p{L}\p{N} _]{0,30}): (?=\S)/gu
const NEXT: ReadonlySet<string> = new Set([', ', '; ', ' | ', ' · '])
const BRACKET = ' ('
const LONGEST = 2_000
/** Titles that there must be with a tail, their share, and that of the titles with a key. */
const LEAST = 3
const FEWEST = 2
const COMMON = 0.6
const SHARED = 0.2

interface Titled {
  readonly said: string
  readonly below: readonly string[]
}

/** The items with each field behind their titles on a line below. A value may have a comma and a colon: its key is no key of others. */
export function withTailsBelow<Item extends Titled>(items: readonly Item[]): readonly Item[] {
  const counts = tally(
    items.flatMap(({ said }) => [...new Set(beginningsIn(said).map(([, , key = '']) => key))]),
  )
  const least = Math.max(FEWEST, items.length * SHARED)
  const keys = new Set([...counts].flatMap(([key, count]) => (count >= least ? key : [])))
  const tails = keys.size === 0 ? [] : items.map(({ said }) => tailOf(said, keys))
  const count = tails.filter((tail) => tail !== undefined).length
  if (count < Math.max(LEAST, items.length * COMMON)) return items
  return items.map((item, nth) => {
    const tail = tails[nth]
    if (!tail) return item
    // Fields that are set in less than the lines below them would take these.
    const [indent = ''] = /^[ \t]*/.exec(item.below.find((line) => line.trim() !== '') ?? '') ?? []
    return {
      ...item,
      said: tail.title,
      below: [...tail.fields.map((field) => indent + field), ...item.below],
    }
  })
}

function beginningsIn(said: string): RegExpExecArray[] {
  return said.length > LONGEST || !said.includes(': ') ? [] : [...said.matchAll(BEGIN)]
}

/** The title and the fields behind it. In brackets there must be several, for one is the identifier of a title. */
function tailOf(
  said: string,
  keys: ReadonlySet<string>,
): { readonly title: string; readonly fields: readonly string[] } | undefined {
  const known = beginningsIn(said).filter(([, , key = '']) => keys.has(key))
  const isClosed = (at: number): boolean => said.endsWith(')') && NEXT.has(known[at + 1]?.[1] ?? '')
  const start = known.findIndex(
    ({ 1: mark = '' }, at) => !/^[,;]/.test(mark) && (mark !== BRACKET || isClosed(at)),
  )
  const first = known[start]
  if (!first) return undefined
  const begins = [first, ...known.slice(start + 1).filter(([, mark = '']) => NEXT.has(mark))]
  const end = first[1] === BRACKET ? said.length - 1 : said.length
  return {
    title: said.slice(0, first.index),
    fields: begins.map(({ 1: mark = '', index }, nth) =>
      said.slice(index + mark.length, begins[nth + 1]?.index ?? end),
    ),
  }
}
