/**
 * Paths, as data and as models write them: JSONPath (RFC 9535), and its relatives `x`, `items.name`, `items[].name`, `[0:10]`, `*.a.b`,
 * `a."b.c"`, `/a/b`. Read in one pass from left to right; `walk.ts` follows them.
 */
import type { JsonValue } from '../../protocol/json.ts'
import {
  type CompileOptions,
  compile,
  type Evaluate,
  isTrue,
  plain,
  reachMember,
} from '../language/compile.ts'
import { type Names, parseCondition, parseStrict } from '../language/parser.ts'
import { closingAt, enclosed } from '../language/scanner.ts'
import type { Within } from '../language/tree.ts'
import { Refusal, shown } from '../refusal.ts'
import type { Work } from '../work.ts'

/** The children of a value that one segment of a path picks. */
export type Selector =
  /** A key; on a list a whole number is an index and any other key is looked up in every element. */
  | { kind: 'name'; name: string }
  | { kind: 'index'; index: number }
  /** `[from:to:step]` as in RFC 9535 §2.3.4, negative positions counted from the end. */
  | { kind: 'slice'; from: number | undefined; to: number | undefined; step: number }
  /** `*`, `[*]`, `[]`: every element of a list, every value of an object. */
  | { kind: 'all' }
  /** `[?…]`: the children for which it holds. */
  | { kind: 'filter'; holds: Test; source: string }
  /** What an expression computes of a value; `key` names it among paths. */
  | {
      kind: 'computed'
      source: string
      key: string
      values(value: JsonValue, work: Work): readonly JsonValue[]
    }

/** A compiled condition over one value; `root` is what `$` means, `work` is spent as it looks. */
export type Test = (value: JsonValue, root: JsonValue, work: Work) => boolean

/** One step of a path. */
export interface Segment {
  /** More than one: a union, `['a','b']` or `[0,2]`. */
  selectors: readonly Selector[]
  /** Written after `..`: tried on the value and everything in it. */
  deep: boolean
  /**
   * Names that a key with dots in it may have here, longest first, with the number of segments it takes. In `a.b.c` the first segment may
   * be the key `a.b.c` or `a.b`. Empty where brackets were used.
   */
  dotted: readonly { name: string; takes: number }[]
}

/** The step to a key, whatever is in its name. */
export function named(name: string): Segment {
  return { selectors: [{ kind: 'name', name }], deep: false, dotted: [] }
}

/** The steps from a value to the values that it reaches; empty: the value itself. */
export type Path = readonly Segment[]

/** The name that a segment is; undefined for one that is anything more. */
export function nameOf(segment: Segment | undefined): string | undefined {
  return segment?.selectors.length === 1 && !segment.deep ? firstName(segment) : undefined
}

/** The name that a segment begins with: of several it is the first one. */
export function firstName(segment: Segment | undefined): string | undefined {
  const first = segment?.selectors[0]
  return first?.kind === 'name' ? first.name : undefined
}

/** True for `[*]`. */
export function isEach(segment: Segment | undefined): boolean {
  return segment?.selectors[0]?.kind === 'all'
}

/** The path within the elements of what it begins with: without `[*]` before it. */
export function withinEach(path: Path): Path {
  return isEach(path[0]) ? path.slice(1) : path
}

/** The keys on a path. */
export function namesOn(path: Path): string[] {
  return path.flatMap((segment) => firstName(segment) ?? [])
}

/** True when a path can reach at most one value whatever the data, lists crossed by name aside. */
export function isDefinite(path: Path): boolean {
  return path.every(
    ({ selectors: [first], selectors, deep }) =>
      !deep && selectors.length === 1 && (first?.kind === 'name' || first?.kind === 'index'),
  )
}

/** A name that two paths have only when they reach the same; undefined for one with a condition in it, which is a function. */
export function pathKey(path: Path): string | undefined {
  const conditional = path.some(({ selectors }) => selectors.some(({ kind }) => kind === 'filter'))
  return conditional ? undefined : JSON.stringify(path)
}

/** The path as text again, in its plainest form: `user.login`, `items[*].name`, `labels["a b"]`, `$..node`. */
export function formatPath(path: Path): string {
  let out = ''
  for (const { selectors, deep } of path) {
    const [only] = selectors
    if (deep) out += '..'
    if (
      selectors.length === 1 &&
      only?.kind === 'name' &&
      PLAIN.test(only.name) &&
      (out !== '' || !ROOT.test(only.name))
    ) {
      out += deep || out === '' ? only.name : `.${only.name}`
    } else {
      out += `[${selectors.map(formatSelector).join(',')}]`
    }
  }
  return out
}

const PLAIN = /^[^\s.[\]"'*?,]+$/
/** At the beginning of a path. */
const ROOT = /^[$@]$/

function formatSelector(selector: Selector): string {
  switch (selector.kind) {
    case 'name':
      return JSON.stringify(selector.name)
    case 'index':
      return String(selector.index)
    case 'slice':
      return `${selector.from ?? ''}:${selector.to ?? ''}${selector.step === 1 ? '' : `:${selector.step}`}`
    case 'all':
      return '*'
    case 'computed':
      return selector.source
    case 'filter':
      return selector.source.length > 60 ? '?…' : `?${selector.source}`
  }
}

const LONGEST_PATH = 1_000
/** Dots that one key may have. To try all names of a path for each of them would take quadratic time. */
const MOST_DOTS = 8
/** Each `..` looks through everything below; three of them multiply. */
const MOST_DEEP = 2

const CONTROLS: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

interface Draft {
  selectors: Selector[]
  deep: boolean
  /** A name after a dot: it may be the beginning of a key with dots in it. */
  bare: boolean
}

/** The segments of a path; none for `$`, `@` and the empty string. Throws a `Refusal` that says what to write. */
export function parsePath(source: string): Path {
  if (source.length > LONGEST_PATH) {
    throw new Refusal(`A path may have at most ${LONGEST_PATH} characters; this one has ${source.length}.`)
  }
  const drafts = new PathReader(source.trim()).read()
  const deep = drafts.filter((draft) => draft.deep).length
  if (deep > MOST_DEEP) {
    throw new Refusal(
      `\`${shown(source)}\` has ${deep} times \`..\`; at most ${MOST_DEEP} are allowed. Write the names in between.`,
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
  for (let next = at + 1; next < Math.min(drafts.length, at + MOST_DOTS + 1); next++) {
    const more = bareName(drafts[next])
    if (more === undefined || drafts[next]?.deep) break
    name += `.${more}`
    names.unshift({ name, takes: next - at + 1 })
  }
  return names
}

function bareName(draft: Draft | undefined): string | undefined {
  const [only] = draft?.selectors ?? []
  return draft?.bare && only?.kind === 'name' ? only.name : undefined
}

/** `{.items[0].name}`, as kubectl has paths in its templates. */
const OF_KUBECTL = /^\{\s*([.$@[][^{}]*?)\s*\}$/s

class PathReader {
  private at = 0
  private readonly source: string

  constructor(source: string) {
    this.source = OF_KUBECTL.exec(source)?.[1] ?? source
  }

  read(): Draft[] {
    const drafts: Draft[] = []
    if (/^[$@](?=$|\s*[.[])/.test(this.source)) this.at = 1
    while (this.at < this.source.length) drafts.push(this.segment())
    return drafts
  }

  private segment(): Draft {
    if (/\s/.test(this.source.charAt(this.at)) && /^\s*[.[]/.test(this.source.slice(this.at))) this.blanks()
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
    const end = closingAt(this.source, this.source.lastIndexOf('[', this.at), { strict: true })
    if (end < 0) this.refuse('has a condition that is not closed; write `[?@.x == 1]`')
    const condition = this.source.slice(this.at + 1, end)
    this.at = end + 1
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
        code === undefined ? (CONTROLS[escaped] ?? escaped) : String.fromCharCode(Number.parseInt(code, 16))
      at += escaped.length
    }
    return this.refuse(`has a quote that is not closed: ${shown(this.source.slice(this.at), 30)}`)
  }

  private blanks(): void {
    while (/\s/.test(this.source.charAt(this.at))) this.at++
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
function conditionOf(source: string, depth = 0): Test {
  if (depth > DEEPEST) throw new Refusal('The condition is nested too deeply.')
  try {
    const holds = compile(parseStrict(source), {
      ...STRICT,
      reach: (name) => reachMember(name, false, (condition) => conditionOf(condition, depth + 1)),
    })
    return (value, root, work) => isTrue(holds(value, root, work))
  } catch (error) {
    try {
      return looseTest(source, depth)
    } catch {
      throw error
    }
  }
}

/** The same language where a value is wanted rather than a yes or no: `[(@.length-1)]`. Throws a `Refusal`. */
export function parseScript(
  source: string,
): (value: JsonValue, root: JsonValue, work: Work) => JsonValue | undefined {
  if (source.includes('`')) throw new Refusal(`A script in a path has no backticks: \`${shown(source)}\`.`)
  const computed = compile(parseStrict(source), STRICT)
  return (value, root, work) => plain(computed(value, root, work))
}

const STRICT: CompileOptions = {
  strict: true,
  reach: (name) => reachMember(name, false),
  within: () => {
    throw new Refusal('A condition in brackets has no conditions on elements; use `where`.')
  },
}

/** Conditions within conditions. */
const DEEPEST = 3

/** Fields are not known while a path is read: whatever looks like a name may be one. */
const PLAIN_NAMES: Names = {
  knows: (name) => (NAME.test(name) ? 'nearly' : undefined),
  note: () => undefined,
}
const NAME = /^@$|^[@$.]*[\p{L}_][\p{L}\p{N}_.[\]*-]*(?:\[\?.*\][\p{L}\p{N}_.[\]*-]*)?$/su

/** A condition as `where` has it: `[?contains(name, "x")]`, `[?type = file]`. Throws a `Refusal` for what is none. */
function looseTest(source: string, depth: number): Test {
  if (depth > DEEPEST) throw new Refusal('The condition is nested too deeply.')
  const holds = compile(parseCondition(enclosed(source) ?? source, PLAIN_NAMES), {
    strict: false,
    strictness: (_, { quoted }) => (quoted ? 'exact' : 'loose'),
    reach: (name) => reachMember(name, true, (inner) => conditionOf(inner, depth + 1)),
    within: (condition) => withinValue(condition, depth + 1),
  })
  return (value, root, work) => isTrue(holds(value, root, work))
}

/** A condition on the elements of a list in a value. Throws a `Refusal` for what is none. */
export function withinValue({ field, quantifier, condition }: Within, depth = 1): Evaluate {
  const inner = looseTest(condition, depth)
  const reach = reachMember(field, true)
  return (value, root, work) => {
    const found = plain(reach(value, root, work))
    const elements = Array.isArray(found) ? found.flat() : found === undefined ? [] : [found]
    if (quantifier === 'all') return elements.every((each) => inner(each, root, work))
    return elements.some((each) => inner(each, root, work)) === (quantifier === 'any')
  }
}

function whole(digits: string | undefined): number | undefined {
  return digits === undefined ? undefined : Number(digits)
}

/** `/items/0/name`, `#/definitions/Pet`, `items/0/name` with keys in brackets; undefined for anything else. */
export function fromPointer(source: string): string | undefined {
  const pointer =
    /^#?\/(.+)$/s.exec(source)?.[1] ??
    (/^[^/\s[\]?"']+(?:\/[^/\s[\]?"']+)+$/.test(source) ? source : undefined)
  if (pointer === undefined || pointer === '') return undefined
  return pointer
    .split('/')
    .map((part) => decoded(part).replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part) => (/^\d+$/.test(part) ? `[${part}]` : `[${JSON.stringify(part)}]`))
    .join('')
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
