/** A path through JSON as data. `parse.ts` reads it, `walk.ts` follows it. */
import type { JsonValue } from '../../protocol/json.ts'

/** What one segment of a path picks among the children of a value. */
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

/** A compiled condition over one value; `root` is what `$` means, `work` is spent as it looks. */
export type Test = (value: JsonValue, root: JsonValue, work: Work) => boolean

/** One step of a path. */
export interface Segment {
  /** More than one: a union, `['a','b']` or `[0,2]`. */
  selectors: readonly Selector[]
  /** Written after `..`: tried on the value and everything in it. */
  deep: boolean
  /**
   * Names that a key with dots in it may have here, longest first, with the number of segments it takes: in `a.b.c`
   * the first segment may be the key `a.b.c` or `a.b`. Empty where brackets were used.
   */
  dotted: readonly { name: string; takes: number }[]
}

/** The steps from a value to those that it reaches; empty: the value itself. */
export type Path = readonly Segment[]

/**
 * A limit on looking at values, so that an expression of a model ends soon on any data. It counts, not the clock: the
 * same question gets the same answer. A unit takes about 50 ns.
 */
export interface Work {
  left: number
}

/** Enough for every value of a 60 MB document once; `$..*..*` over it ends in about 0.2 s. */
const mostWork = 4_000_000

/** A limit that nothing was spent of. */
export function newWork(left = mostWork): Work {
  return { left }
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
    if (selectors.length === 1 && only?.kind === 'name' && plain.test(only.name)) {
      out += deep || out === '' ? only.name : `.${only.name}`
    } else {
      out += `[${selectors.map(formatSelector).join(',')}]`
    }
  }
  return out
}

const plain = /^[^\s.[\]"'*?,]+$/

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
    case 'filter':
      return selector.source.length > 60 ? '?…' : `?${selector.source}`
  }
}
