/** Conditions in `[?…]` that are no JSONPath but such as `where` takes: `[?contains(name, "x")]`, `[?type = file]`. */
import { isObject, type JsonValue } from '../../protocol/json.ts'
import { Refusal } from '../refusal.ts'
import { type Condition, parseCondition, type Reading } from '../where/condition.ts'
import { lengthOf, testOf } from '../where/tests.ts'
import { loosely, pairNamed } from './members.ts'
import type { Test } from './path.ts'

const deepest = 3

/** Fields are not known while a path is read: whatever looks like a name may be one. */
const plainNames: Reading = {
  knows: (name) => (/^[@$.]*[\p{L}_][\p{L}\p{N}_.[\]*-]*$/u.test(name) ? 'nearly' : undefined),
  note: () => undefined,
}

/** Throws a `Refusal` for what is no condition either. Texts are compared without regard to case. */
export function looseFilter(source: string, depth = 0): Test {
  const condition = parseCondition(source.replace(/^\((.*)\)$/s, '$1'), plainNames)
  return testFor(condition, depth)
}

function testFor(condition: Condition, depth: number): Test {
  switch (condition.kind) {
    case 'and': {
      const parts = condition.parts.map((part) => testFor(part, depth))
      return (value, root, work) => parts.every((test) => test(value, root, work))
    }
    case 'or': {
      const parts = condition.parts.map((part) => testFor(part, depth))
      return (value, root, work) => parts.some((test) => test(value, root, work))
    }
    case 'not': {
      const part = testFor(condition.part, depth)
      return (value, root, work) => !part(value, root, work)
    }
    case 'within': {
      if (depth >= deepest) throw new Refusal('The condition is nested too deeply.')
      const inner = looseFilter(condition.condition, depth + 1)
      const names = namesIn(condition.field)
      return (value, root, work) => {
        const elements = valuesAt(value, names).flat()
        if (condition.quantifier === 'all') return elements.every((each) => inner(each, root, work))
        return elements.some((each) => inner(each, root, work)) === (condition.quantifier === 'any')
      }
    }
    default: {
      const names = namesIn(condition.field)
      const test = testOf(condition, {
        strictness: () => 'loose',
        isElement: () => true,
        crosses: true,
        pattern: () => undefined,
      })
      return (value, _root, work) => {
        work.left -= 1 + names.length
        const values = valuesAt(value, names)
        return test(condition.measure === 'length' ? [lengthOf(values)] : values) !== condition.negated
      }
    }
  }
}

/** `@.a.b`, `a[*].b`, `["a b"].c` as names. */
function namesIn(field: string): string[] {
  return [...field.replace(/^[@$]/, '').matchAll(/\["([^"]*)"\]|\['([^']*)'\]|\[(-?\d+)\]|([^.[\]]+)/g)]
    .map(([, double, single, index, bare]) => double ?? single ?? index ?? bare ?? '')
    .filter((name) => name !== '*' && name !== '')
}

function valuesAt(value: JsonValue, names: readonly string[]): JsonValue[] {
  let here: JsonValue[] = [value]
  for (const name of names) here = here.flatMap((each) => below(each, name))
  return here
}

function below(value: JsonValue, name: string): JsonValue[] {
  if (Array.isArray(value)) {
    if (/^-?\d+$/.test(name)) return value.slice(Number(name)).slice(0, 1)
    const found = value.flatMap((element) => below(element, name))
    return found.length > 0 ? found : value.flatMap((element) => pairNamed(element, name) ?? [])
  }
  const found = isObject(value) ? loosely(value, name) : undefined
  return found === undefined ? [] : [found]
}
