/**
 * Copies of data with only, or without, what some paths reach; the nesting stays. All paths are followed at once: a
 * state is a path and how far it has come.
 */
import { isObject, type JsonObject, type JsonValue, setOwn } from '../../protocol/json.ts'
import { Refusal } from '../refusal.ts'
import { newWork, type Path, type Selector, type Work } from './path.ts'
import { isIndex } from './walk.ts'

interface State {
  path: Path
  at: number
}

/** Where a child of a container stands. */
interface Place {
  parent: JsonValue[] | JsonObject
  /** The key, or the index in a list of `length`. */
  key: string
  index: number
  child: JsonValue
}

/**
 * Only what the paths reach, in the order of the data; undefined when that is nothing. Objects in a list keep their
 * place, as `{}`, when others of the list have something.
 */
export function keepOnly(root: JsonValue, paths: readonly Path[]): JsonValue | undefined {
  if (paths.some((path) => path.length === 0)) return root
  return new Pruner(root).keep(root, begin(paths))
}

/** Everything but what the paths reach. Parts without any of it are shared with the original. */
export function leaveOut(root: JsonValue, paths: readonly Path[]): JsonValue {
  return new Pruner(root).drop(root, begin(paths.filter((path) => path.length > 0)))
}

function begin(paths: readonly Path[]): State[] {
  return paths.map((path) => ({ path, at: 0 }))
}

class Pruner {
  private readonly root: JsonValue
  private readonly work: Work = newWork(20_000_000)

  constructor(root: JsonValue) {
    this.root = root
  }

  keep(value: JsonValue, states: readonly State[]): JsonValue | undefined {
    if (Array.isArray(value)) return this.keepElements(value, states)
    if (!isObject(value)) return undefined
    const kept: JsonObject = {}
    let any = false
    for (const key of Object.keys(value)) {
      const child = value[key] ?? null
      const next = this.advance(states, { parent: value, key, index: -1, child })
      const part = next === 'whole' ? child : next.length > 0 ? this.keep(child, next) : undefined
      if (part === undefined) continue
      setOwn(kept, key, part)
      any = true
    }
    return any ? kept : undefined
  }

  private keepElements(value: JsonValue[], states: readonly State[]): JsonValue | undefined {
    const kept: JsonValue[] = []
    let any = false
    for (const [index, child] of value.entries()) {
      const next = this.advance(states, { parent: value, key: '', index, child })
      if (next !== 'whole' && next.length === 0) continue
      const part = next === 'whole' ? child : this.keep(child, next)
      if (part !== undefined) {
        kept.push(part)
        any = true
      } else if (isObject(child) && next !== 'whole' && next.some((state) => !isDeep(state))) kept.push({})
    }
    return any ? kept : undefined
  }

  drop(value: JsonValue, states: readonly State[]): JsonValue {
    if (states.length === 0) return value
    if (Array.isArray(value)) {
      const left: JsonValue[] = []
      let changed = false
      for (const [index, child] of value.entries()) {
        const next = this.advance(states, { parent: value, key: '', index, child })
        const part = next === 'whole' ? undefined : this.drop(child, next)
        if (part !== undefined) left.push(part)
        changed ||= part !== child
      }
      return changed ? left : value
    }
    if (!isObject(value)) return value
    const left: JsonObject = {}
    let changed = false
    for (const key of Object.keys(value)) {
      const child = value[key] ?? null
      const next = this.advance(states, { parent: value, key, index: -1, child })
      const part = next === 'whole' ? undefined : this.drop(child, next)
      if (part !== undefined) setOwn(left, key, part)
      changed ||= part !== child
    }
    return changed ? left : value
  }

  /** The states for a child; `whole` when a path ends at it. */
  private advance(states: readonly State[], place: Place): State[] | 'whole' {
    const next: State[] = []
    for (const state of states) {
      if (--this.work.left < 0) {
        throw new Refusal(
          'These fields look at too many values. Choose a part with `path` first, or name fewer fields.',
        )
      }
      const segment = state.path[state.at]
      if (!segment) continue
      if (segment.deep) next.push(state)
      for (const selector of segment.selectors) {
        const takes = this.takes(selector, state, place)
        if (takes === undefined) continue
        if (takes > 0 && state.at + takes >= state.path.length) return 'whole'
        if (takes > 0) next.push({ path: state.path, at: state.at + takes })
        else if (!segment.deep) next.push(state)
      }
    }
    return next
  }

  /** How many segments the child uses up; 0: a name that is meant for the elements of the child; undefined: no match. */
  private takes(selector: Selector, state: State, { parent, key, index, child }: Place): number | undefined {
    const list = Array.isArray(parent)
    switch (selector.kind) {
      case 'all':
        return 1
      case 'filter':
        return selector.holds(child, this.root, this.work) ? 1 : undefined
      case 'index':
        return (list ? at(selector.index, parent.length) === index : String(selector.index) === key)
          ? 1
          : undefined
      case 'slice':
        return list && inSlice(selector, index, parent.length) ? 1 : undefined
      case 'name': {
        if (list && !isIndex(selector.name)) return 0
        if (list) return at(Number(selector.name), parent.length) === index ? 1 : undefined
        const dotted = state.path[state.at]?.dotted.find(({ name }) => Object.hasOwn(parent, name))
        if (dotted) return dotted.name === key ? dotted.takes : undefined
        return selector.name === key ? 1 : undefined
      }
    }
  }
}

function isDeep({ path, at: position }: State): boolean {
  return path[position]?.deep === true
}

function at(index: number, length: number): number {
  return index < 0 ? index + length : index
}

/** The same positions as `slicePositions`, asked one by one. */
function inSlice(
  { from, to, step }: Extract<Selector, { kind: 'slice' }>,
  index: number,
  length: number,
): boolean {
  if (step === 0) return false
  const forward = step > 0
  const start = forward
    ? Math.max(at(from ?? 0, length), 0)
    : Math.min(at(from ?? length - 1, length), length - 1)
  const end = to === undefined ? (forward ? length : -1) : at(to, length)
  const within = forward ? index >= start && index < end : index <= start && index > end
  return within && (index - start) % step === 0
}
