/**
 * Runs programs of jq on data, as the manual of jq 1.7 says (https://jqlang.org/manual/v1.7/). A program reads nothing but its input, and
 * changes nothing: updates make copies. How much it may do is bounded, so each program ends.
 */

import type { JsonValue } from '../../protocol/json.ts'
import { keptFor } from '../../text/kept.ts'
import { Refusal, safely } from '../refusal.ts'
import type { Work } from '../work.ts'
import { BUILTINS, type Native, PRELUDE } from './builtins.ts'
import {
  type Closure,
  collected,
  type Defined,
  Left,
  pathsOf,
  type Run,
  type Scope,
  someOf,
} from './filters.ts'
import { fieldsRead, IDENTITY, type Node, type Pattern, parseJq, SyntaxFault } from './syntax.ts'
import {
  type Account,
  at,
  binary,
  checked,
  countIn,
  deleted,
  hold,
  isTrue,
  JqError,
  made,
  placed,
  setAt,
  slice,
  spend,
  step,
  textOf,
  typeOf,
  valuesOf,
  weigh,
} from './values.ts'

/** An error of what takes the values of a `try`, which that `try` does not catch. */
class Behind {
  readonly error: unknown
  constructor(error: unknown) {
    this.error = error
  }
}

/** Steps that a program may take; one takes about 50 ns. */
const MOST_STEPS = 20_000_000

/** A program that was read. */
export interface Program {
  /** False for a comparison, and for `and` and `or` of such: a condition rather than a program. False for a value, such as a filter in JSON. */
  readonly isWhole: boolean
  /** The names that it reads in data. */
  readonly fields: readonly string[]
  /** False for a value, an array and an object, which are true whatever is in them. */
  readonly isCondition: boolean
  /** True where it begins with a place, such as `.items[]`, that is in the input, or with the input itself. */
  begins(input: JsonValue): boolean
  /**
   * The values that it gives, in order. `remark`: told what is read otherwise than was meant, most likely.
   *
   * @throws Refusal where the program fails or does too much
   */
  run(input: JsonValue, remark?: (text: string) => void): JsonValue[]
}

/** Reads a program of jq; undefined for any other text. */
export function readJq(source: string): Program | undefined {
  try {
    const node = parseJq(source)
    const run = compiled(node)
    const first = compiled(beginning(node))
    return {
      isCondition: usesInput(node) && node.kind !== 'array' && node.kind !== 'object',
      isWhole: usesInput(node) && !['binary', 'and', 'or', 'assign'].includes(node.kind),
      fields: fieldsRead(node),
      begins: (input) => safely(() => ran(first, input))?.some((value) => value !== null) === true,
      run: (input, remark) => ran(run, input, remark),
    }
  } catch (error) {
    if (error instanceof SyntaxFault || error instanceof RangeError) return undefined
    throw error
  }
}

/** The place that a program begins with. */
function beginning(node: Node): Node {
  if (node.kind === 'pipe' || node.kind === 'alternative' || node.kind === 'comma')
    return beginning(node.left)
  if (node.kind === 'bind' || node.kind === 'reduce' || node.kind === 'foreach') return beginning(node.source)
  if (node.kind === 'array' && node.of) return beginning(node.of)
  if (node.kind === 'binary') return beginning(usesInput(node.left) ? node.left : node.right)
  if (node.kind === 'object') {
    const places = node.entries.flatMap(([, value]) => (usesInput(value) ? [beginning(value)] : []))
    return places.length === 0
      ? IDENTITY
      : places.reduce((left, right) => ({ kind: 'comma', left, right }) satisfies Node)
  }
  if (node.kind === 'try') return beginning(node.of)
  if (node.kind === 'index' || node.kind === 'each' || node.kind === 'slice') return node
  return IDENTITY
}

function ran(run: Run, input: JsonValue, remark?: (text: string) => void): JsonValue[] {
  const work: Account = { left: MOST_STEPS, remarks: new Set() }
  countIn(work)
  try {
    const values = collected(run, input, outermost(work))
    weigh(values)
    if (remark) work.remarks.forEach(remark)
    return values
  } catch (error) {
    if (error instanceof JqError) throw new Refusal(`jq: ${error.message}.`)
    if (error instanceof RangeError) throw new Refusal('jq: the program goes too deep for this data.')
    if (error instanceof Left) throw new Refusal('jq: a `break` leaves no label.')
    throw error
  }
}

function outermost(work: Work): Scope {
  return { name: '', value: null, up: undefined, work }
}

let prelude: ReadonlyMap<string, Defined> | undefined

/** A filter that is written in jq itself. */
function standard(full: string): Defined | undefined {
  if (prelude === undefined) {
    const read = new Map<string, Defined>()
    for (let node = parseJq(`${PRELUDE} .`); node.kind === 'define'; node = node.rest)
      read.set(`${node.name}/${node.params.length}`, { params: node.params, run: bodyOf(node.body) })
    prelude = read
  }
  return prelude.get(full)
}

function defined({ name, params, body }: Node & { kind: 'define' }, up: Scope): Scope {
  return scoped(up, `${name}/${params.length}`, { params, run: bodyOf(body) } satisfies Defined)
}

const bodies = new WeakMap<Node, Run>()
/** Compiled once, and only where it is called. */
function bodyOf(body: Node): Run {
  return (input, path, scope, emit) => keptFor(bodies, body, () => compiled(body))(input, path, scope, emit)
}

function scoped(up: Scope, name: string, value: Scope['value']): Scope {
  return { name, value, up, work: up.work }
}

function found(scope: Scope, name: string): Scope | undefined {
  let at: Scope | undefined = scope
  while (at !== undefined && at.name !== name) at = at.up
  return at
}

/** Each combination of the values of filters; the first varies fastest. */
function combinations(
  runs: readonly Run[],
  input: JsonValue,
  scope: Scope,
  use: (values: JsonValue[]) => void,
): void {
  const values: JsonValue[] = []
  const from = (nth: number): void => {
    const run = runs[nth]
    if (run === undefined) return use([...values])
    run(input, undefined, scope, (value) => {
      spend(scope.work)
      values[nth] = value
      from(nth - 1)
    })
  }
  from(runs.length - 1)
}

/** A part that gives one value for each combination of others. A made value has no place. */
function computing(
  parts: readonly Node[],
  value: (values: readonly JsonValue[], scope: Scope) => JsonValue,
): Run {
  const runs = parts.map(compiled)
  return (input, path, scope, emit) =>
    combinations(runs, input, scope, (values) => emit(value(values, scope), made(path)))
}

function compiled(node: Node): Run {
  switch (node.kind) {
    case 'identity':
      return (input, path, _, emit) => emit(input, path)
    case 'value': {
      const { value } = node
      return (_, path, __, emit) => emit(value, made(path))
    }
    case 'variable': {
      const name = `$${node.name}`
      return (_, path, scope, emit) => {
        const bound = found(scope, name)
        if (bound === undefined) throw new Refusal(`jq: the program names no \`${name}\`.`)
        emit(bound.value as JsonValue, made(path))
      }
    }
    case 'text':
      return computing(
        node.parts.filter((part) => typeof part !== 'string'),
        (values) => {
          let nth = 0
          const text = node.parts
            .map((part) => (typeof part === 'string' ? part : textOf(values[nth++] ?? null, node.format)))
            .join('')
          return checked(text)
        },
      )
    case 'array': {
      const run = node.of && compiled(node.of)
      return (input, path, scope, emit) => emit(run ? collected(run, input, scope) : [], made(path))
    }
    case 'object': {
      // Of several objects, the last member differs first.
      const parts = node.entries.flat().reverse()
      return computing(parts, (values) => {
        let object: JsonValue = {}
        for (let nth = values.length - 1; nth > 0; nth -= 2) {
          const key = values[nth]
          if (typeof key !== 'string') throw new JqError(`a key is ${typeOf(key ?? null)}, not a text`)
          hold(values[nth - 1] ?? null)
          object = placed(object, key, values[nth - 1] ?? null, true)
        }
        return object
      })
    }
    case 'index': {
      const [of, key] = [compiled(node.of), compiled(node.at)]
      return (input, path, scope, emit) =>
        key(input, undefined, scope, (name) =>
          of(input, path, scope, (value, place) => {
            const member = node.isOptional ? given(() => at(value, name)) : at(value, name)
            if (member !== undefined) emit(member, step(place, name))
          }),
        )
    }
    case 'slice': {
      const { from, to } = node
      const of = compiled(node.of)
      const bounds = [from, to].map((bound) => compiled(bound ?? { kind: 'value', value: null }))
      return (input, path, scope, emit) =>
        combinations(bounds, input, scope, ([start = null, end = null]) =>
          of(input, path, scope, (value, place) => {
            const part = node.isOptional ? given(() => slice(value, start, end)) : slice(value, start, end)
            if (part !== undefined) emit(part, step(place, { start, end }))
          }),
        )
    }
    case 'each': {
      const of = compiled(node.of)
      return (input, path, scope, emit) =>
        of(input, path, scope, (value, place) => {
          if (node.isOptional && (typeof value !== 'object' || value === null)) return
          for (const [key, one] of valuesOf(value)) {
            spend(scope.work)
            emit(one, step(place, key))
          }
        })
    }
    case 'pipe': {
      const [left, right] = [compiled(node.left), compiled(node.right)]
      return (input, path, scope, emit) =>
        left(input, path, scope, (value, place) => right(value, place, scope, emit))
    }
    case 'comma': {
      const [left, right] = [compiled(node.left), compiled(node.right)]
      return (input, path, scope, emit) => {
        left(input, path, scope, emit)
        right(input, path, scope, emit)
      }
    }
    case 'and':
    case 'or': {
      const [left, right] = [compiled(node.left), compiled(node.right)]
      const decides = node.kind === 'or'
      return (input, path, scope, emit) =>
        left(input, undefined, scope, (value) => {
          if (isTrue(value) === decides) emit(decides, made(path))
          else right(input, undefined, scope, (other) => emit(isTrue(other), made(path)))
        })
    }
    case 'alternative':
      return alternative(compiled(node.left), compiled(node.right))
    case 'binary': {
      const { operator } = node
      const plain = computing([node.left, node.right], ([left = null, right = null], { work }) =>
        binary(operator, left, right, work),
      )
      return grows(node) ? growth(plain, compiled(node.right)) : plain
    }
    case 'assign':
      return assignment(node)
    case 'if': {
      const [condition, then, otherwise] = [node.condition, node.then, node.otherwise].map(compiled) as [
        Run,
        Run,
        Run,
      ]
      return (input, path, scope, emit) =>
        condition(input, undefined, scope, (value) =>
          (isTrue(value) ? then : otherwise)(input, path, scope, emit),
        )
    }
    case 'try':
      return attempt(compiled(node.of), node.caught && compiled(node.caught))
    case 'reduce':
    case 'foreach':
      return folded(node)
    case 'bind': {
      const [source, body] = [compiled(node.source), compiled(node.body)]
      const { patterns } = node
      const names = patterns.flatMap(namesIn)
      const binders = patterns.map(binder)
      return (input, path, scope, emit) =>
        source(input, undefined, scope, (value) => {
          spend(scope.work)
          const empty = names.reduce((up, name) => scoped(up, name, null), scope)
          const tryOne = (nth: number): void => {
            const bind = binders[nth]
            const run = (): void => bind?.(value, empty, (inner) => body(input, path, inner, emit))
            if (nth === binders.length - 1) return run()
            try {
              run()
            } catch (error) {
              if (!(error instanceof JqError)) throw error
              tryOne(nth + 1)
            }
          }
          tryOne(0)
        })
    }
    case 'define': {
      const rest = compiled(node.rest)
      return (input, path, scope, emit) => rest(input, path, defined(node, scope), emit)
    }
    case 'call':
      return called(node)
    case 'label': {
      const body = compiled(node.body)
      const name = `*${node.name}`
      return (input, path, scope, emit) => {
        const target = {}
        try {
          body(input, path, scoped(scope, name, target), emit)
        } catch (error) {
          if (!(error instanceof Left) || error.target !== target) throw error
        }
      }
    }
    case 'break': {
      const name = `*${node.name}`
      return (_, __, scope) => {
        throw new Left(found(scope, name)?.value as object)
      }
    }
  }
}

/** Undefined in place of an error. */
function given(value: () => JsonValue): JsonValue | undefined {
  try {
    return value()
  } catch (error) {
    if (error instanceof JqError) return undefined
    throw error
  }
}

function alternative(left: Run, right: Run): Run {
  return (input, path, scope, emit) => {
    let isAny = false
    attempt(left, undefined)(input, path, scope, (value, place) => {
      if (!isTrue(value)) return
      isAny = true
      emit(value, place)
    })
    if (!isAny) right(input, path, scope, emit)
  }
}

function attempt(of: Run, caught: Run | undefined): Run {
  return (input, path, scope, emit) => {
    try {
      of(input, path, scope, (value, place) => {
        try {
          emit(value, place)
        } catch (error) {
          throw new Behind(error)
        }
      })
    } catch (error) {
      if (error instanceof Behind) throw error.error
      if (!(error instanceof JqError)) throw error
      caught?.(error.value, made(path), scope, emit)
    }
  }
}

function folded(node: Node & { kind: 'reduce' | 'foreach' }): Run {
  const [source, start, update] = [node.source, node.start, node.update].map(compiled) as [Run, Run, Run]
  const extract = node.kind === 'foreach' ? compiled(node.extract) : undefined
  const bind = binder(node.pattern)
  const isOwn = node.kind === 'reduce' && setsOnly(node.update)
  return (input, path, scope, emit) =>
    start(input, path, scope, (first, firstPlace) => {
      let state: JsonValue | undefined = first
      let place = firstPlace
      const owned: Owned = { copies: new WeakSet() }
      source(input, undefined, scope, (value) => {
        spend(scope.work)
        bind(value, scope, (inner) => {
          const before = state ?? null
          state = undefined
          update(before, place, isOwn ? scoped(inner, OWNED, owned) : inner, (next, where) => {
            state = next
            place = where
            extract?.(next, where, inner, emit)
          })
          if (extract && state === undefined) state = before
        })
      })
      if (!extract) emit(state ?? null, place)
    })
}

/** The copies that a `reduce` made, and may change: nothing else has them. The filters within an update do not see them. */
interface Owned {
  copies: WeakSet<object>
}
const OWNED = '*owned'

/** True for updates that only set values in the state, such as `.[$one.name] += 1`. Then one copy of the state is enough for all of them. */
function setsOnly(update: Node): boolean {
  if (update.kind === 'pipe') return setsOnly(update.left) && setsOnly(update.right)
  if (grows(update)) return true
  if (update.kind !== 'assign' || !isPlace(update.left)) return false
  const { operator, right } = update
  if (!usesInput(right)) return true
  if (operator !== '|') return false
  const [before, added] = right.kind === 'binary' ? [right.left, right.right] : [right, undefined]
  const old = before.kind === 'alternative' ? before : { left: before, right: undefined }
  const isOld = added !== undefined && old.left.kind === 'identity'
  return isOld && [added, old.right].every((part) => part === undefined || !usesInput(part))
}

/** True for `. + {…}` and `. + […]`. */
function grows(node: Node): boolean {
  return (
    node.kind === 'binary' && node.operator === '+' && node.left.kind === 'identity' && !usesInput(node.right)
  )
}

/** Within a `reduce`, `. + […]` puts elements behind those of the copy. */
function growth(plain: Run, right: Run): Run {
  return (input, path, outer, emit) => {
    const { scope, owned } = within(outer)
    if (owned === undefined) return plain(input, path, outer, emit)
    forEach(collected(right, input, scope), owned, (added) => {
      const isOwned = typeof input === 'object' && input !== null && owned.copies.has(input)
      let sum = input
      if (isOwned && typeOf(input) === typeOf(added) && typeof added === 'object')
        for (const [key, one] of valuesOf(added)) {
          spend(scope.work)
          sum = placed(sum, Array.isArray(sum) ? sum.length : key, one, true)
        }
      else sum = binary('+', input, added, scope.work)
      if (typeof sum === 'object' && sum !== null && sum !== input && sum !== added) owned.copies.add(sum)
      emit(sum, made(path))
    })
  }
}

/** Each of several values begins with the same input. */
function forEach(values: readonly JsonValue[], owned: Owned, use: (value: JsonValue) => void): void {
  for (const value of values) {
    if (values.length > 1) owned.copies = new WeakSet()
    use(value)
  }
}

function isPlace(node: Node): boolean {
  if (node.kind === 'identity') return true
  return node.kind === 'index' && isPlace(node.of) && !usesInput(node.at)
}

/** False where no part of a filter takes its input. */
function usesInput(node: Node): boolean {
  switch (node.kind) {
    case 'value':
    case 'variable':
      return false
    case 'text':
      return node.parts.some((part) => typeof part !== 'string' && usesInput(part))
    case 'array':
      return node.of !== undefined && usesInput(node.of)
    case 'object':
      return node.entries.flat().some(usesInput)
    case 'index':
      return usesInput(node.of) || usesInput(node.at)
    case 'pipe':
      return usesInput(node.left)
    case 'binary':
    case 'comma':
      return usesInput(node.left) || usesInput(node.right)
    default:
      return true
  }
}

function namesIn(pattern: Pattern): string[] {
  if (pattern.kind === 'variable') return [`$${pattern.name}`]
  if (pattern.kind === 'array') return pattern.items.flatMap(namesIn)
  return pattern.entries.flatMap(({ own, value }) => [
    ...(own === undefined ? [] : [`$${own}`]),
    ...(value ? namesIn(value) : []),
  ])
}

/** Calls `use` with the scope in which the variables of a pattern have their values. */
function binder(pattern: Pattern): (value: JsonValue, scope: Scope, use: (inner: Scope) => void) => void {
  if (pattern.kind === 'variable') {
    const name = `$${pattern.name}`
    return (value, scope, use) => use(scoped(scope, name, value))
  }
  const parts =
    pattern.kind === 'array'
      ? pattern.items.map((item, nth) => ({
          key: compiled({ kind: 'value', value: nth }),
          own: undefined,
          bind: binder(item),
        }))
      : pattern.entries.map(({ key, own, value }) => ({
          key: compiled(key),
          own,
          bind: value && binder(value),
        }))
  return (value, scope, use) => {
    const from = (nth: number, inner: Scope): void => {
      const part = parts[nth]
      if (part === undefined) return use(inner)
      part.key(value, undefined, inner, (name) => {
        const member = at(value, name)
        const named = part.own === undefined ? inner : scoped(inner, `$${part.own}`, member)
        if (part.bind) part.bind(member, named, (next) => from(nth + 1, next))
        else from(nth + 1, named)
      })
    }
    from(0, scope)
  }
}

function assignment({ operator, left, right }: Node & { kind: 'assign' }): Run {
  const [place, value] = [compiled(left), compiled(right)]
  const changed = (
    input: JsonValue,
    scope: Scope,
    owned: WeakSet<object>,
    change: (before: JsonValue, keep: (after: JsonValue) => void) => void,
  ): JsonValue => {
    const gone: JsonValue[][] = []
    let result = input
    for (const path of pathsOf(place, input, scope)) {
      let after: JsonValue | undefined
      const before = path.reduce<JsonValue>((one, key) => at(one, key), result)
      change(before, (next) => {
        after ??= next
      })
      if (after === undefined) gone.push(path)
      else result = setAt(result, path, 0, after, owned, scope.work)
    }
    return gone.length > 0 ? deleted(result, gone) : result
  }
  if (operator === '|')
    return (input, path, outer, emit) => {
      const { scope, owned } = within(outer)
      const after = changed(input, scope, owned?.copies ?? new WeakSet(), (before, keep) =>
        someOf(1, (some) => value(before, undefined, scope, some), keep),
      )
      emit(after, made(path))
    }
  return (input, path, outer, emit) => {
    const { scope, owned } = within(outer)
    const use = (right: JsonValue): void => {
      const after = changed(input, scope, owned?.copies ?? new WeakSet(), (before, keep) => {
        if (operator === '') keep(right)
        else if (operator === '//') keep(isTrue(before) ? before : right)
        else keep(binary(operator, before, right, scope.work))
      })
      emit(after, made(path))
    }
    if (owned === undefined) return value(input, undefined, scope, use)
    forEach(collected(value, input, scope), owned, use)
  }
}

/** The scope of what stands within an update, and what the update itself may change. */
function within(outer: Scope): { scope: Scope; owned: Owned | undefined } {
  const owned = found(outer, OWNED)?.value as Owned | null | undefined
  return owned ? { scope: scoped(outer, OWNED, null), owned } : { scope: outer, owned: undefined }
}

/** Looks a filter up when it is called: one that the program defines, or a parameter, is nearer than one of jq's own. */
function called({ name, args }: Node & { kind: 'call' }): Run {
  const runs = args.map(compiled)
  const full = `${name}/${args.length}`
  const native: Native | undefined = Object.hasOwn(BUILTINS, full) ? BUILTINS[full] : undefined
  return (input, path, scope, emit) => {
    spend(scope.work)
    const inScope = found(scope, full)
    if (inScope === undefined && native) return native({ input, path, scope, args: runs, emit })
    const ours = inScope ? undefined : standard(full)
    const own = ours ? scoped(outermost(scope.work), full, ours) : inScope
    if (own === undefined) throw new Refusal(`jq: there is no filter \`${full}\`.`)
    if ('scope' in (own.value as object)) {
      const { run, scope: outer } = own.value as Closure
      return run(input, path, outer, emit)
    }
    const { params, run } = own.value as Defined
    const bound = (nth: number, inner: Scope): void => {
      const param = params[nth]
      const arg = runs[nth]
      if (param === undefined || arg === undefined) return run(input, path, inner, emit)
      if (!param.startsWith('$'))
        return bound(nth + 1, scoped(inner, `${param}/0`, { run: arg, scope } satisfies Closure))
      arg(input, undefined, scope, (value) => {
        const filter: Closure = { run: arg, scope }
        bound(nth + 1, scoped(scoped(inner, param, value), `${param.slice(1)}/0`, filter))
      })
    }
    bound(0, own)
  }
}
