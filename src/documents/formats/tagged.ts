/** Works with a tag before each line, as libraries export them: RIS (`TY  - JOUR`), and MEDLINE of PubMed (`PMID- 30000`). */
import { type JsonObject, type JsonValue, own, setOwn } from '../../protocol/json.ts'
import { indexLines, type LineIndex } from '../../text/lines.ts'
import { exactNumber } from './cells.ts'
import { defineFormat } from './define.ts'

const TAG = /^([A-Z][A-Z0-9]{1,3}) {0,2}-(?: (.*))?$/
/** The tags that a work begins with, and the one that ends it and says nothing. */
const FIRST = /^(?:TY|PMID)$/
const LAST = 'ER'
const LEAST = 5
const LONGEST = 65_536
const SAMPLE = 2_000
const MOST_OTHERS = 0.05

function tagAt(lines: LineIndex, index: number): { tag: string; value: string } | undefined {
  if (lines.end(index) - lines.start(index) > LONGEST) return undefined
  const [, tag, value = ''] = TAG.exec(lines.at(index).trimEnd()) ?? []
  return tag === undefined ? undefined : { tag, value }
}

/** True where the first line has such a tag, and nearly all others have one, go on with the one above, or are empty. */
function detect(text: string): true | undefined {
  if (!/^\s{0,80}(?:TY {2}|PMID)-/.test(text)) return undefined
  const lines = indexLines(text)
  let [tagged, others] = [0, 0]
  for (let index = 0; index < Math.min(lines.count, SAMPLE); index++) {
    if (tagAt(lines, index)) tagged += 1
    else if (/^\S/.test(lines.at(index).slice(0, 1))) others += 1
  }
  return tagged >= LEAST && others <= tagged * MOST_OTHERS ? true : undefined
}

/** Records `{line, TY, AU, …}` by their tags. A tag that stands again in some work is a list in all. */
function read(text: string): JsonValue[] {
  const lines = indexLines(text)
  const works: { line: number; fields: { tag: string; value: string }[] }[] = []
  for (let index = 0; index < lines.count; index++) {
    const found = tagAt(lines, index)
    if (found && (FIRST.test(found.tag) || works.length === 0)) works.push({ line: index + 1, fields: [] })
    const fields = works.at(-1)?.fields
    const last = fields?.at(-1)
    const rest = lines.at(index).trim()
    if (found && found.tag !== LAST) fields?.push(found)
    else if (!found && last && rest !== '') last.value += ` ${rest}`
  }
  const several = new Set(
    works.flatMap(({ fields }) => {
      const tags = fields.map(({ tag }) => tag)
      return tags.filter((tag, at) => tags.indexOf(tag) !== at)
    }),
  )
  return works.map(({ line, fields }) => {
    const record: JsonObject = { line }
    for (const { tag, value } of fields) {
      const held = exactNumber(value) ?? value
      const before = own(record, tag)
      setOwn(record, tag, several.has(tag) ? [...(Array.isArray(before) ? before : []), held] : held)
    }
    return record
  })
}

/** Never takes a text that begins with another tag. */
export const tagged = defineFormat<true>({
  name: 'tagged',
  family: 'entries',
  detect,
  read,
})
