/** Indented trees with a role a line: accessibility snapshots of browsers and the like. */
import type { JsonObject, JsonValue } from '../../protocol/json.ts'
import { indexLines } from '../../text/lines.ts'

// `- button "Save" [ref=e12] [cursor=pointer]: text` and `uid=1_3 link "Home" url="…"`.
const NODE =
  /^(\s*)(?:- )?(?:'|uid=(\S+) )?([A-Za-z][\w-]*)(?: "([^"\\]*(?:\\.[^"\\]*)*)")?((?: \[[^\]]*\])*)(?:: ?(.*)|(.*))$/
const LINE = /^\s*(?:- '?[a-z][\w-]*(?: "|: |:$| \[| ?$)|uid=\S+ [A-Za-z])/
const LONGEST = 4096

/** True when most lines are nodes, and some of them name a reference or a quoted name. */
export function looksLikeTree(start: string): boolean {
  const lines = indexLines(start)
  let nodes = 0
  let marked = 0
  let seen = 0
  for (let index = 0; index < lines.count && seen < 400; index++) {
    const line = lines.at(index).slice(0, LONGEST)
    if (line.trim() === '') continue
    seen += 1
    if (!LINE.test(line)) continue
    nodes += 1
    if (/\[ref=|\buid=|^\s*- [a-z]+ "/.test(line)) marked += 1
  }
  return seen >= 4 && nodes >= seen * 0.6 && marked >= seen * 0.3
}

/** Records `{line, depth, role, name, ref, text}`: `line` counts from 1, `depth` in steps of indentation. */
export function readTree(text: string): JsonValue[] {
  const lines = indexLines(text)
  const records: JsonValue[] = []
  const indents: number[] = []
  for (let index = 0; index < lines.count; index++) {
    const line = lines.at(index)
    const match = LINE.test(line.slice(0, LONGEST)) ? NODE.exec(line.slice(0, LONGEST)) : null
    if (!match) continue
    const [, indent = '', uid, role = '', name, brackets = '', value, rest] = match
    while (indents.length > 0 && (indents.at(-1) ?? 0) >= indent.length) indents.pop()
    const record: JsonObject = { line: index + 1, depth: indents.length, role }
    indents.push(indent.length)
    if (name !== undefined) record.name = name
    const ref = /\[ref=([^\]]*)\]/.exec(brackets)?.[1] ?? uid
    if (ref !== undefined) record.ref = ref
    const said = (value ?? rest ?? '').trim()
    if (said !== '') record.text = said
    records.push(record)
  }
  return records
}
