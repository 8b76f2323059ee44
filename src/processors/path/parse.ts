/**
 * Reads the paths that models write: JSONPath (RFC 9535), and its relatives `x`, `items.name`, `items[].name`,
 * `[0:10]`, `*.a.b`, `a."b.c"`. One pass from left to right.
 */
import { Refusal, shown } from '../refusal.ts'
import { parseFilter } from './filter.ts'
import { looseFilter } from './loose-filter.ts'
import type { Path, Segment, Selector, Test } from './path.ts'

const longestPath = 1_000
/** Each `..` looks through everything below; three of them multiply. */
const mostDeep = 2

const controls: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

interface Draft {
  selectors: Selector[]
  deep: boolean
  /** A name after a dot: it may be the beginning of a key with dots in it. */
  bare: boolean
}

/** The segments of a path; none for `$`, `@` and the empty string. Throws a `Refusal` that says what to write. */
export function parsePath(source: string): Path {
  if (source.length > longestPath) {
    throw new Refusal(`A path may have at most ${longestPath} characters; this one has ${source.length}.`)
  }
  const drafts = new PathReader(source.trim()).read()
  const deep = drafts.filter((draft) => draft.deep).length
  if (deep > mostDeep) {
    throw new Refusal(
      `\`${shown(source)}\` has ${deep} times \`..\`; at most ${mostDeep} are allowed. Write the names in between.`,
    )
  }
  return drafts.map(
    (draft, at): Segment => ({ selectors: draft.selectors, deep: draft.deep, dotted: dotted(drafts, at) }),
  )
}

function dotted(drafts: readonly Draft[], at: number): Segment['dotted'] {
  const first = bareName(drafts[at])
  if (first === undefined) return []
  const names: { name: string; takes: number }[] = []
  let name = first
  for (let next = at + 1; next < drafts.length; next++) {
    const more = bareName(drafts[next])
    if (more === undefined || drafts[next]?.deep) break
    name += `.${more}`
    names.unshift({ name, takes: next - at + 1 })
  }
  return names.slice(-8)
}

function bareName(draft: Draft | undefined): string | undefined {
  const [only] = draft?.selectors ?? []
  return draft?.bare && only?.kind === 'name' ? only.name : undefined
}

class PathReader {
  private at = 0
  private readonly source: string

  constructor(source: string) {
    this.source = source
  }

  read(): Draft[] {
    const drafts: Draft[] = []
    if (/^[$@](?=$|[.[])/.test(this.source)) this.at = 1
    while (this.at < this.source.length) drafts.push(this.segment())
    return drafts
  }

  private segment(): Draft {
    const deep = this.take('..')
    if (!deep) this.take('.')
    const char = this.source.charAt(this.at)
    if (char === '') this.refuse(deep ? 'ends with `..`; write a name after it' : 'ends with a dot')
    if (char === '.') this.refuse('has three dots in a row')
    if (char === '[') return { selectors: this.brackets(), deep, bare: false }
    if (char === '"' || char === "'")
      return { selectors: [{ kind: 'name', name: this.quoted(char) }], deep, bare: false }
    const name = this.bare()
    if (name === '*') return { selectors: [{ kind: 'all' }], deep, bare: false }
    if (name === '^' || name === '~') {
      this.refuse(`uses \`${name}\`, which is not supported; write the path of what you want from the root`)
    }
    return { selectors: [{ kind: 'name', name }], deep, bare: true }
  }

  private bare(): string {
    const start = this.at
    while (this.at < this.source.length && !'.['.includes(this.source.charAt(this.at))) this.at++
    return this.source.slice(start, this.at).trim()
  }

  private brackets(): Selector[] {
    this.at++
    this.blanks()
    if (this.take(']')) return [{ kind: 'all' }]
    if (this.source.charAt(this.at) === '?') return [this.filter()]
    const selectors: Selector[] = []
    for (;;) {
      this.blanks()
      selectors.push(this.selector())
      this.blanks()
      if (this.take(']')) return selectors
      if (!this.take(','))
        this.refuse('has a bracket that is not closed; write `[0]`, `[0:10]`, `["name"]` or `[*]`')
    }
  }

  private selector(): Selector {
    const char = this.source.charAt(this.at)
    if (char === '"' || char === "'") return { kind: 'name', name: this.quoted(char) }
    const start = this.at
    while (this.at < this.source.length && !',]'.includes(this.source.charAt(this.at))) this.at++
    const word = this.source.slice(start, this.at).trim()
    if (word === '*') return { kind: 'all' }
    if (/^[-+]?\d{1,15}$/.test(word)) return { kind: 'index', index: Number(word) }
    const slice = /^(-?\d{1,15})?\s*:\s*(-?\d{1,15})?\s*(?::\s*(-?\d{1,15})?)?$/.exec(word)
    if (slice) {
      const [, from, to, step] = slice
      return { kind: 'slice', from: whole(from), to: whole(to), step: whole(step) ?? 1 }
    }
    if (/^[@\w.-]+\s*(?:[=<>!~]=?=?)\s*\S/.test(word))
      return { kind: 'filter', holds: conditionOf(word), source: word }
    if (word === '' || /[()]/.test(word)) {
      this.refuse(
        'has brackets that select nothing known; for the last element write `[-1]`, for a condition `[?@.x == 1]`',
      )
    }
    return { kind: 'name', name: word }
  }

  /** `?…` up to the bracket that closes it; brackets and quotes inside belong to the condition. */
  private filter(): Selector {
    const start = ++this.at
    let depth = 0
    for (; this.at < this.source.length; this.at++) {
      const char = this.source.charAt(this.at)
      if (char === '"' || char === "'") {
        this.quoted(char)
        this.at--
      } else if (char === '[') depth++
      else if (char === ']' && depth-- === 0) break
    }
    const condition = this.source.slice(start, this.at)
    if (!this.take(']')) this.refuse('has a condition that is not closed; write `[?@.x == 1]`')
    return { kind: 'filter', holds: conditionOf(condition), source: condition.trim() }
  }

  /** The string in quotes that starts here, with the escapes of JSON; any other character after a backslash is itself. */
  private quoted(quote: string): string {
    let name = ''
    for (let at = this.at + 1; at < this.source.length; at++) {
      const char = this.source.charAt(at)
      if (char === quote) {
        this.at = at + 1
        return name
      }
      if (char !== '\\') {
        name += char
        continue
      }
      const [escaped = '', code] = /^(?:u([0-9a-f]{4})|.)/is.exec(this.source.slice(at + 1, at + 6)) ?? []
      name +=
        code === undefined ? (controls[escaped] ?? escaped) : String.fromCharCode(Number.parseInt(code, 16))
      at += escaped.length
    }
    return this.refuse(`has a quote that is not closed: ${shown(this.source.slice(this.at), 30)}`)
  }

  private blanks(): void {
    while (this.source.charAt(this.at) === ' ') this.at++
  }

  private take(token: string): boolean {
    if (!this.source.startsWith(token, this.at)) return false
    this.at += token.length
    return true
  }

  private refuse(complaint: string): never {
    throw new Refusal(`The path \`${shown(this.source)}\` ${complaint}.`)
  }
}

/** As JSONPath has it; what that does not have as `where` does. Throws the `Refusal` of the former. */
function conditionOf(source: string): Test {
  try {
    return parseFilter(source)
  } catch (error) {
    try {
      return looseFilter(source)
    } catch {
      throw error
    }
  }
}

function whole(digits: string | undefined): number | undefined {
  return digits === undefined ? undefined : Number(digits)
}
