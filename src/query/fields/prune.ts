/**
 * Copies of data with only, or without, what some paths reach; the nesting stays. All paths are followed at once: a
 * state is a path and how far it has come.
 */
import { isObject, type JsonObject, type JsonValue, setOwn } from '../../protocol/json.ts'
import { Refusal } from '../refusal.ts'
import { newWork, type Work } from '../work.ts'
import { isEach, nameOf, type Path, type Segment, type Selector } from './path.ts'
import { isIndex } from './walk.ts'

interface State {
  path: Path
  at: number
}

/** The states after each key that matters. */
interface Plan {
  /** More states, or the end of a path. */
  next: Map<string, readonly State[] | 'whole'>
  /** Keys with dots in them that would come first: the plan holds for objects without any of these. */
  dotted: readonly string[]
}

/** Where a child of a container stands. */
interface Child {
  parent: JsonValue[] | JsonObject
  /** The key, or the index in a list of `length`. */
  key: string
  index: number
  child: JsonValue
}

/**
 * Only what the paths reach; undefined when that is nothing. Objects in a list keep their
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
  private readonly elements = new WeakMap<
    readonly State[],
    { next: readonly State[] | 'whole' | undefined }
  >()
  private readonly plans = new WeakMap<readonly State[], { plan: Plan | undefined }>()

  constructor(root: JsonValue) {
    this.root = root
  }

  keep(value: JsonValue, states: readonly State[]): JsonValue | undefined {
    if (Array.isArray(value)) return this.keepElements(value, states)
    if (!isObject(value)) return undefined
    const kept: JsonObject = {}
    let any = false
    const plan = this.planOf(states, value)
    for (const key of plan?.next.keys() ?? Object.keys(value)) {
      if (plan && !Object.hasOwn(value, key)) continue
      const child = value[key] ?? null
      const next = plan
        ? (plan.next.get(key) ?? [])
        : this.advance(states, { parent: value, key, index: -1, child })
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
    const same = this.elementStates(states)
    for (const [index, child] of value.entries()) {
      const next = same ?? this.advance(states, { parent: value, key: '', index, child })
      if (next !== 'whole' && next.length === 0) continue
      const part = next === 'whole' ? child : this.keep(child, next)
      if (part !== undefined) {
        kept.push(part)
        any = true
      } else if (isObject(child) && next !== 'whole' && next.some(({ path, at }) => path[at]?.deep !== true))
        kept.push({})
    }
    return any ? kept : undefined
  }

  drop(value: JsonValue, states: readonly State[]): JsonValue {
    if (states.length === 0) return value
    if (Array.isArray(value)) {
      const left: JsonValue[] = []
      let changed = false
      const same = this.elementStates(states)
      for (const [index, child] of value.entries()) {
        const next = same ?? this.advance(states, { parent: value, key: '', index, child })
        const part = next === 'whole' ? undefined : this.drop(child, next)
        if (part !== undefined) left.push(part)
        changed ||= part !== child
      }
      return changed ? left : value
    }
    if (!isObject(value)) return value
    const plan = this.planOf(states, value)
    if (plan && !hasAny(value, plan.next.keys())) return value
    const left: JsonObject = {}
    let changed = false
    for (const key of Object.keys(value)) {
      const child = value[key] ?? null
      const next = plan
        ? (plan.next.get(key) ?? [])
        : this.advance(states, { parent: value, key, index: -1, child })
      const part = next === 'whole' ? undefined : this.drop(child, next)
      if (part !== undefined) setOwn(left, key, part)
      changed ||= part !== child
    }
    return changed ? left : value
  }

  /** The states of every element of a list, when that does not depend on the element. */
  private elementStates(states: readonly State[]): readonly State[] | 'whole' | undefined {
    const known = this.elements.get(states)
    if (known) return known.next
    const next = statesOfElements(states)
    this.elements.set(states, { next })
    return next
  }

  /**
   * The states after each key when all states wait for plain names: only these keys need a look. Made once for states that are the same,
   * which they are for all records.
   */
  private planOf(states: readonly State[], value: JsonValue): Plan | undefined {
    const known = this.plans.get(states)
    const plan = known ? known.plan : this.makePlan(states)
    return plan && isObject(value) && hasAny(value, plan.dotted) ? undefined : plan
  }

  private makePlan(states: readonly State[]): Plan | undefined {
    const next: Plan['next'] = new Map()
    const dotted: string[] = []
    for (const { path, at: position } of states) {
      const name = plainName(path[position])
      if (name === undefined) {
        this.plans.set(states, { plan: undefined })
        return undefined
      }
      dotted.push(...(path[position]?.dotted.map((key) => key.name) ?? []))
      const before = next.get(name) ?? []
      const whole = before === 'whole' || position + 1 === path.length
      next.set(name, whole ? 'whole' : [...before, { path, at: position + 1 }])
    }
    const plan = { next, dotted }
    this.plans.set(states, { plan })
    return plan
  }

  /** The states for a child; `whole` when a path ends at it. */
  private advance(states: readonly State[], place: Child): State[] | 'whole' {
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
  private takes(selector: Selector, state: State, { parent, key, index, child }: Child): number | undefined {
    const list = Array.isArray(parent)
    switch (selector.kind) {
      case 'all':
        return 1
      case 'computed':
        return undefined
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

/** Names are handed on, `[*]` is passed; undefined when there is anything else among the states. */
function statesOfElements(states: readonly State[]): readonly State[] | 'whole' | undefined {
  const next: State[] = []
  for (const state of states) {
    const segment = state.path[state.at]
    const all = segment?.selectors.length === 1 && !segment.deep && isEach(segment)
    if (all && state.at + 1 === state.path.length) return 'whole'
    if (all) next.push({ path: state.path, at: state.at + 1 })
    else if (plainName(segment) !== undefined) next.push(state)
    else return undefined
  }
  return next
}

function plainName(segment: Segment | undefined): string | undefined {
  const name = nameOf(segment)
  return name === undefined || isIndex(name) ? undefined : name
}

function hasAny(value: JsonObject, names: Iterable<string>): boolean {
  for (const name of names) if (Object.hasOwn(value, name)) return true
  return false
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
