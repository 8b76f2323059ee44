/** Indented trees with a role a line: accessibility snapshots of browsers and the like. */
import { type JsonObject, type JsonValue, setOwn } from '../../protocol/json.ts'
import { indexLines } from '../../text/lines.ts'
import { exactNumber } from './numbers.ts'

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

/**
 * Records `{line, depth, role, name, ref, url, text, …}`: `line` counts from 1, `depth` in steps of indentation. States in
 * brackets are fields: `[disabled]` is true, `[level=2]` the number. The `/url` below a link is its `url`.
 */
export function readTree(text: string): JsonValue[] {
  const lines = indexLines(text)
  const records: JsonObject[] = []
  const indents: number[] = []
  for (let index = 0; index < lines.count; index++) {
    const line = lines.at(index).slice(0, LONGEST)
    const property = PROPERTY.exec(line)
    const owner = records.at(-1)
    if (property && owner) {
      addOwn(owner, property[1] ?? '', unquoted(property[2] ?? ''))
      continue
    }
    const match = LINE.test(line) ? NODE.exec(line) : null
    if (!match) continue
    const [, indent = '', uid, role = '', name, brackets = '', value, rest] = match
    while (indents.length > 0 && (indents.at(-1) ?? 0) >= indent.length) indents.pop()
    const record: JsonObject = { line: index + 1, depth: indents.length, role }
    indents.push(indent.length)
    if (name !== undefined) record.name = name.replace(/\\(["\\])/g, '$1')
    if (uid !== undefined) record.ref = uid
    for (const [, key = '', held] of brackets.matchAll(/\[([\w-]+)(?:=([^\]]*))?\]/g))
      addOwn(record, key, held === undefined ? true : (exactNumber(held) ?? held))
    // YAML puts a line in single quotes when it holds a colon.
    const said = (value ?? rest ?? '').trim().replace(/^'$|^':?\s*/, '')
    const words = value === undefined ? attributesOf(said, record) : unquoted(said)
    if (words !== '') record.text = words
    records.push(record)
  }
  return records
}

/** `- /url: https://…`, a property of the node above. */
const PROPERTY = /^\s*- \/([a-z][\w-]*): ?(.*)$/
/** `url="…"`, as other snapshots write behind a name. */
const ATTRIBUTE = /(?:^| )([a-z][\w-]*)="([^"]*)"/g

function attributesOf(said: string, record: JsonObject): string {
  for (const [, key = '', value = ''] of said.matchAll(ATTRIBUTE)) addOwn(record, key, value)
  return said
}

function addOwn(record: JsonObject, key: string, value: JsonValue): void {
  if (!Object.hasOwn(record, key)) setOwn(record, key, value)
}

function unquoted(text: string): string {
  const [, inner] = /^"((?:[^"\\]|\\.)*)"$/.exec(text) ?? []
  return inner === undefined ? text : inner.replace(/\\(["\\])/g, '$1')
}
