/** The parts that every filter of a program shares: how it is called, what it may name, and what it may cost. */
import type { JsonValue } from '../../protocol/json.ts'
import type { Work } from '../work.ts'
import { hold, type Path, pathOf } from './values.ts'

/** Called with each value that a filter gives, in order, and where in the input it stands while places are asked for. */
export type Emit = (value: JsonValue, path: Path | undefined) => void
/** A part of a program, ready to run. `path`: the place of the input, while places are asked for. */
export type Run = (input: JsonValue, path: Path | undefined, scope: Scope, emit: Emit) => void

/** A filter with the scope that it was written in. */
export interface Closure {
  readonly run: Run
  readonly scope: Scope
}

/** The variables and filters that a part of a program can name, the innermost first. */
export interface Scope {
  readonly name: string
  readonly value: JsonValue | Closure | Defined | object
  readonly up: Scope | undefined
  readonly work: Work
}

/** A filter that a program defines. */
export interface Defined {
  readonly params: readonly string[]
  readonly run: Run
}

/** Leaves a `label`, and what has enough of a filter. */
export class Left {
  readonly target: object
  constructor(target: object) {
    this.target = target
  }
}

/** All values that a filter gives. */
export function collected(run: Run, input: JsonValue, scope: Scope): JsonValue[] {
  const values: JsonValue[] = []
  run(input, undefined, scope, (value) => {
    hold(value)
    values.push(value)
  })
  return values
}

/** Calls `emit` with the first `most` values of a filter, and then leaves it. */
export function someOf(most: number, run: (emit: Emit) => void, emit: Emit): void {
  if (most <= 0) return
  const enough = new Left({})
  let left = most
  try {
    run((value, path) => {
      left--
      emit(value, path)
      if (left === 0) throw enough
    })
  } catch (error) {
    if (error !== enough) throw error
  }
}

/** The places that a filter leads to. */
export function pathsOf(run: Run, input: JsonValue, scope: Scope): JsonValue[][] {
  const paths: JsonValue[][] = []
  run(input, null, scope, (value, path) => {
    const keys = pathOf(path ?? null, value)
    hold(keys)
    paths.push(keys)
  })
  return paths
}
