/** Changes texts of results: small ones at once, large ones in a worker. */
import { changeTexts } from '../documents/change-result.ts'
import type { Engine } from '../engine/engine.ts'
import { isObject, type JsonObject, type JsonValue } from '../protocol/json.ts'
import { LargeResult, type Result } from '../protocol/result.ts'
import { type ChangeText, compileChange, type TextChange } from '../text/change.ts'
import type { Counts } from './module.ts'

/** Characters of text that are changed on the event loop. */
const SMALL = 64 * 1024

/** Changes that stay compiled. */
const MAX_COMPILED = 100

export type Change = (
  result: Result,
  change: TextChange,
  signal: AbortSignal,
) => Promise<{ result: Result; counts: Counts }>

export function createChange(engine: Pick<Engine, 'change'>): Change {
  const compiled = new Map<string, Changing>()

  function compile(rules: TextChange['rules']): Changing {
    const written = JSON.stringify(rules)
    const known = compiled.get(written)
    if (known) return known
    if (compiled.size >= MAX_COMPILED) compiled.clear()
    const made = changing(rules)
    compiled.set(written, made)
    return made
  }

  return async (result, change, signal) => {
    if (!(result instanceof LargeResult) && lengthWithin(result, SMALL) >= 0) {
      const counts = new Map<string, number>()
      const changed = compile(change.rules)(result, change.where, counts)
      return { result: changed, counts: Object.fromEntries(counts) }
    }
    const content = result instanceof LargeResult ? result.bytes : sharedBytes(result)
    const done = await engine.change(content, change, signal)
    if (done.unreadable) throw new Error('the result is no JSON object')
    return {
      result: done.content === undefined ? result : new LargeResult(done.content),
      counts: done.counts,
    }
  }
}

type Changing = (message: JsonObject, where: TextChange['where'], counts: Map<string, number>) => JsonObject

function changing(rules: TextChange['rules']): Changing {
  const whole: ChangeText = compileChange(rules)
  return (message, where, counts) =>
    changeTexts(message, where, (text, isData) => whole(text, counts, isData))
}

/** Characters of all strings that are left of `most`; negative when there are more. */
function lengthWithin(value: JsonValue, most: number): number {
  if (typeof value === 'string') return most - value.length
  if (Array.isArray(value)) {
    let left = most - value.length
    for (const item of value) {
      left = lengthWithin(item, left)
      if (left < 0) return left
    }
    return left
  }
  if (!isObject(value)) return most
  let left = most
  for (const key in value) {
    left = lengthWithin(value[key] as JsonValue, left - key.length)
    if (left < 0) return left
  }
  return left
}

function sharedBytes(result: JsonObject): Uint8Array<SharedArrayBuffer> {
  const json = JSON.stringify(result)
  const bytes = new Uint8Array(new SharedArrayBuffer(Buffer.byteLength(json)))
  Buffer.from(bytes.buffer).write(json)
  return bytes
}
