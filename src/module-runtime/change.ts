/** Changes texts of results: small ones at once, large ones in a worker. */
import { changeTexts } from '../documents/change/change-result.ts'
import { toJson } from '../documents/json/stringify.ts'
import type { Engine } from '../engine/contract.ts'
import { LargeResult, type Result } from '../protocol/content.ts'
import { isObject, type JsonValue } from '../protocol/json.ts'
import type { Signal } from '../protocol/message.ts'
import { compileChange } from '../text/change/change.ts'
import { type ChangeText, Tally, type TextChange } from '../text/change/change-rules.ts'
import { sharedBytes } from '../text/shared-bytes.ts'
import type { Counts } from './module.ts'

/** Characters of text that are changed on the event loop. */
const SMALL = 64 * 1024

export type Change = (
  result: Result,
  change: TextChange,
  signal: Signal,
) => Promise<{ result: Result; counts: Counts }>

export function createChange(engine: Pick<Engine, 'change'>): Change {
  /** By the rules themselves: a module hands in the same ones again and again. */
  const compiled = new WeakMap<TextChange['rules'], ChangeText>()

  function compile(rules: TextChange['rules']): ChangeText {
    const known = compiled.get(rules)
    if (known) return known
    const made = compileChange(rules)
    compiled.set(rules, made)
    return made
  }

  return async (result, change, signal) => {
    if (!(result instanceof LargeResult) && isWithin(result, SMALL)) {
      const counts = new Tally()
      const apply = compile(change.rules)
      const changed = changeTexts(result, change.where, (text, sort, name) => apply(text, counts, sort, name))
      return { result: changed, counts: counts.size === 0 ? NONE : Object.fromEntries(counts) }
    }
    const content = result instanceof LargeResult ? result.bytes : sharedBytes(toJson(result))
    const done = await engine.change(content, change, signal)
    if (done.unreadable) throw new Error('the result is no JSON object')
    return {
      result: done.content === undefined ? result : new LargeResult(done.content),
      counts: done.counts,
    }
  }
}

const NONE: Counts = Object.freeze({})

/** Whether all strings and names together have at most so many characters. On an own stack: some nest deeper than the engine's goes. */
function isWithin(value: JsonValue, most: number): boolean {
  let left = most
  const open: JsonValue[] = [value]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next === 'string') left -= next.length
    else if (Array.isArray(next)) {
      left -= next.length
      if (left >= 0) for (const item of next) if (item !== null) open.push(item)
    } else if (isObject(next)) {
      for (const key in next) {
        left -= key.length
        const item = next[key]
        if (item !== null && item !== undefined) open.push(item)
      }
    }
    if (left < 0) return false
  }
  return true
}
