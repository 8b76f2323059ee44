/** Source code by its definitions: names and lines, told by how the common languages begin them, without a grammar. */

import { isObject, type JsonObject, type JsonValue } from '../../protocol/json.ts'
import { formatPlural } from '../../text/format.ts'
import { groupedBy } from '../../text/groups.ts'
import { indexLines, type LineIndex } from '../../text/lines.ts'
import { ellipsis } from '../../text/shorten.ts'
import type { Document } from '../document.ts'
import type { Overview } from '../overview/overview.ts'
import { call, type Template } from '../template.ts'
import { defineFormat } from './define.ts'

/** Expressions are anchored; each is tried on the first characters of a line. `kind` and `name` are its groups. */
const DEFINITIONS: readonly RegExp[] = [
  // function, class, def, fn …: TypeScript, JavaScript, Python, Rust, Go, Kotlin, Swift, PHP, Ruby, C#, Java, Scala.
  /^\s*(?:(?:export|default|pub(?:\([a-z]+\))?|public|private|protected|internal|static|abstract|final|sealed|async|unsafe|extern|override|virtual|inline|declare|data|open|partial|suspend|case|const|local) +)*(?<kind>function\*?|class|interface|enum|namespace|module|struct|trait|impl|def|fn|func|fun|record|object|protocol|extension|sub|type(?= +\w+ *[=<{@]| +\w+ +implements\b|\s+\w+ (?:struct|interface)\b)|(?:input|union)(?= +\w+[ @=\w]{0,80}[={]))\s+(?:\([^)]{0,200}\) *)?(?:<[^>]{0,100}> *)?(?<name>[A-Za-z_$][\w$.]{0,99})/,
  // const name = (…) =>, const name = function
  /^(?:export +)?(?:const|let|var) +(?<name>[A-Za-z_$][\w$]{0,99})(?: *:[^=]{0,200})? *= *(?:async *)?(?:\([^=]{0,300}=>|function\b|[\w$]+ *=>|\($)/,
  // Methods: name(…) {
  /^\s+(?:(?:public|private|protected|internal|static|async|override|readonly|abstract|final|virtual|synchronized|get|set|\*) +)*(?:[\w<>[\],.?]{1,80} +){0,2}(?!(?:if|for|while|switch|catch|return|function|new|else|do|with|using|lock|await|throw|super|typeof)\b)(?<name>[#A-Za-z_$][\w$]{0,99})\([^;]{0,300}\)(?:: [^{;=]{1,120})?(?: throws [\w., ]{1,100})? *\{$/,
  // Functions of C and C++: type name(…), with the brace beside or below it.
  /^(?!(?:return|else|typedef|using|package|import|goto|delete|throw|new|[Ss]elect|SELECT|[Ii]nsert|INSERT|[Ff]rom|FROM|[Ww]here|WHERE|[Gg]roup|GROUP|[Oo]rder|ORDER|[Vv]alues|VALUES|AND|and|OR|or)\b)(?:[A-Za-z_][\w:<>,*&~]{0,80}[ *&]+){1,5}(?<name>[A-Za-z_~][\w:~]{0,99})\([^;]{0,300}\)? *(?:const|noexcept|override)? *\{?$/,
  // Functions of shells: name() {
  /^(?<name>[A-Za-z_][\w-]{0,99}) ?\(\) ?\{?$/,
  // CREATE TABLE name
  /^\s*(?:create|CREATE) +(?:(?:or replace|OR REPLACE|unique|UNIQUE|temp|TEMP|temporary|TEMPORARY) +)*(?<kind>table|TABLE|view|VIEW|index|INDEX|function|FUNCTION|procedure|PROCEDURE|trigger|TRIGGER|type|TYPE)\s+(?:(?:if not exists|IF NOT EXISTS) +)?["`[]?(?<name>[\w."]{1,99})/,
]
/** Lines that programs have and prose has not. */
const PROGRAM =
  /[;{}()[\],:]\s*$|=>|^\s*(?:import|from|package|use|using|#include|#define|return|if|else|for|while|const|let|var|val|def|end|class|fn|func|public|private|protected|case|try|catch|except|raise|throw|await|@\w|\/\/|\/\*|\*|#|--|"""|''')|^\s*[\w.$[\]]+ *(?:[-+*/|&]?=|\+\+|\(|:=)/
/** The number of a line, as readers of files print it before the line. */
const NUMBERED = /^\s*\d{1,7}(?:→|\t|[|:] ?)/
/** The body of a function in SQL begins, and ends where the same mark stands again. */
const BODY = /\bas\s{1,20}(\$\w{0,60}\$)\s*$/i
/** Marks that may stand nowhere again. */
const MOST_UNCLOSED = 20
/** Definitions within each other of which each has its whole text; the text of one within these is the line that begins it. */
const DEEPEST = 50
const LONGEST = 400
const LEAST = 3
const SAMPLE = 2_000
const MOST_LINES = 200_000

interface Found {
  lines: LineIndex
  numbered: boolean
}

/** A definition that may go on, and where it begins. */
interface Open {
  indent: number
  start: number
  record: JsonObject
}

/** Told by definitions among lines of a program. */
function findCode(text: string): Found | undefined {
  const lines = indexLines(text)
  if (lines.count < LEAST * 2 || lines.count > MOST_LINES) return undefined
  const sampled = Math.min(lines.count, SAMPLE)
  let numbers = 0
  for (let index = 0; index < sampled; index++) if (NUMBERED.test(lineAt(lines, index, false))) numbers += 1
  const numbered = numbers > sampled * 0.9
  let [written, program, found, outer] = [0, 0, 0, 0]
  for (let index = 0; index < sampled; index++) {
    const line = lineAt(lines, index, numbered)
    if (line.trim() === '') continue
    // A guide shows code between fences, a page between tags.
    if (/^(?:\x60{3}|~~~)/.test(line)) return undefined
    written += 1
    if (PROGRAM.test(line)) program += 1
    if (definitionIn(line) === undefined) continue
    found += 1
    if (/^\S/.test(line)) outer += 1
  }
  return found >= LEAST && outer > 0 && program >= written * 0.55 && found >= written * 0.01
    ? { lines, numbered }
    : undefined
}

function lineAt(lines: LineIndex, index: number, numbered: boolean): string {
  const end = lines.end(index)
  const line = end - lines.start(index) > LONGEST ? lines.at(index).slice(0, LONGEST) : lines.at(index)
  const own = line.endsWith('\r') ? line.slice(0, -1) : line
  return numbered ? own.replace(NUMBERED, '') : own
}

/** The definition in a line. */
function definitionIn(line: string): { kind: string; name: string } | undefined {
  // Most lines begin in a way that no definition does.
  if (/^\s*(?:\/\/|\*|\/\*|#|--|[}\])])/.test(line)) return undefined
  for (const pattern of DEFINITIONS) {
    const groups = pattern.exec(line)?.groups
    if (groups?.name !== undefined) return { kind: kindOf(groups.kind), name: groups.name }
  }
  return undefined
}

function kindOf(written = 'function'): string {
  const kind = written.toLowerCase().replace('*', '')
  return /^(?:def|fn|func|fun|sub)$/.test(kind) ? 'function' : kind
}

/**
 * Records `{line, end, kind, name, within?, text}`: the first and the last line, counted from 1, what it is within by name, and these lines
 * as they stand. A definition ends before the next line that is as far out and closes nothing.
 */
function readCode(text: string, found: Found): JsonValue {
  const source = found.numbered ? withoutNumbers(found.lines) : text
  return definitions(source, found.numbered ? indexLines(source) : found.lines)
}

/** The program without the numbers before its lines. */
function withoutNumbers(lines: LineIndex): string {
  return Array.from({ length: lines.count }, (_, index) => lines.at(index).replace(NUMBERED, '')).join('\n')
}

/** Each text is a part of the source, which takes no memory of its own. The text of one holds those within it. */
function definitions(source: string, lines: LineIndex): JsonObject[] {
  const found: JsonObject[] = []
  const open: Open[] = []
  let [last, unclosed] = [0, 0]
  const close = ({ start, record }: Open): void => {
    record.end = last
    record.text = source.slice(start, lines.end(last - 1)).trimEnd()
  }
  for (let index = 0; index < lines.count; index++) {
    const line = lineAt(lines, index, false)
    if (line.trim() === '') continue
    const indent = line.length - line.trimStart().length
    const closes = /^\s*(?:[{}\])]|end\b)/.test(line)
    for (let top = open.at(-1); top && top.indent >= indent; top = open.at(-1)) {
      if (closes && top.indent === indent) break
      close(top)
      open.pop()
    }
    last = index + 1
    const definition = definitionIn(line)
    if (definition) {
      const within = open.map(({ record }) => record.name).join('.')
      const record: JsonObject = {
        line: index + 1,
        end: index + 1,
        ...definition,
        ...(within === '' ? {} : { within }),
      }
      found.push(record)
      if (open.length < DEEPEST) open.push({ indent, start: lines.start(index) + indent, record })
      else record.text = line.trim()
    }
    const [, mark] = (open.length > 0 && unclosed < MOST_UNCLOSED && BODY.exec(line)) || []
    if (mark === undefined) continue
    const until = source.indexOf(mark, lines.end(index))
    if (until < 0) unclosed += 1
    else index = lines.lineAt(until)
    last = index + 1
  }
  for (const one of open) close(one)
  return found
}

/** The definitions that stand by themselves, with what is in them. */
function overviewOfCode(document: Document): Overview {
  const all = (document.records()?.values ?? []).filter(isObject)
  const outer = all.filter(({ within }) => within === undefined)
  const inner = groupedBy(
    all.filter(({ within }) => within !== undefined),
    ({ within }) => within,
  )
  const told = outer.slice(0, MOST_TOLD).map(({ line, end, kind, name }) => {
    const held = (inner.get(String(name)) ?? []).map((one) => one.name)
    return `${line}-${end} ${kind} ${name}${held.length > 0 ? `: ${ellipsis(held.join(', '), 110)}` : ''}`
  })
  const notes = outer.length > told.length ? [`… ${outer.length - told.length} more definitions`] : []
  return {
    totals: [formatPlural(document.lines().count, 'line'), formatPlural(all.length, 'definition')],
    type: (max) => (max > TYPE.length ? TYPE : ''),
    facts: [
      `definitions (lines, kind, name${inner.size > 0 ? '; the text of one holds those within it' : ''}):`,
      ...told,
      ...notes,
    ],
    outline: { headings: told, notes, total: outer.length, noun: 'definitions' },
    sample: () => [],
    calls: callsFor(outer),
  }
}

const TYPE = '{line: number, end: number, kind, name, within?, text}'
const MOST_TOLD = 60

/** The lines of the longest definition, and the one that is asked for by its name. */
function callsFor(outer: readonly JsonObject[]): Template[] {
  const length = ({ line, end }: JsonObject): number => Number(end) - Number(line)
  const longest = outer.reduce<JsonObject | undefined>(
    (best, one) => (best && length(best) >= length(one) ? best : one),
    undefined,
  )
  if (!longest) return []
  return [
    call('proxy_filter', { offset: Number(longest.line) - 1, limit: Math.min(200, length(longest) + 1) }),
    call('proxy_filter', { where: [`name = ${longest.name}`], fields: ['line', 'end', 'text'] }),
  ]
}

/** Tried after what may hold a piece of code. Never takes guides (their code stands between fences) or prose. */
export const code = defineFormat<Found>({
  name: 'code',
  family: 'code',
  isOwnFact: () => true,
  detect: findCode,
  read: readCode,
  overview: overviewOfCode,
})
