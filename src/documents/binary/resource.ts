/** A read resource as the result of a tool: kept, shown and asked about as any other. */
import { randomUUID } from 'node:crypto'
import { isObject, type JsonObject, valueOfJson } from '../../protocol/json.ts'
import { sharedBytes } from '../../text/shared-bytes.ts'
import { runsOf } from './base64.ts'

/** Base64 that is this long is not parsed with the rest. */
const LONG = 64 * 1024

/** The JSON of a CallToolResult for that of a ReadResourceResult. Undefined: it is none. */
export function resultOfResource(content: Uint8Array): Uint8Array<SharedArrayBuffer> | undefined {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength)
  const runs = runsOf(bytes, LONG)
  const mark = randomUUID()
  const pieces: string[] = []
  let at = 0
  for (const [nth, { from, to }] of runs.entries()) {
    pieces.push(bytes.toString('utf8', at, from), `${mark}:${nth};`)
    at = to
  }
  const result = readIn(`${pieces.join('')}${bytes.toString('utf8', at)}`)
  if (result === undefined) return undefined
  const written = JSON.stringify(result)
  if (runs.length === 0) return sharedBytes(written)
  const parts = written.split(new RegExp(`${mark}:(\\d+);`)).map((part, index) => {
    const run = index % 2 === 1 ? runs[Number(part)] : undefined
    return run === undefined ? Buffer.from(part) : bytes.subarray(run.from, run.to)
  })
  const whole = new Uint8Array(new SharedArrayBuffer(parts.reduce((sum, part) => sum + part.length, 0)))
  let place = 0
  for (const part of parts) {
    whole.set(part, place)
    place += part.length
  }
  return whole
}

function readIn(json: string): JsonObject | undefined {
  const result = valueOfJson(json)
  if (!isObject(result) || !Array.isArray(result.contents)) return undefined
  const { contents, ...rest } = result
  return { ...rest, content: contents.filter(isObject).map((resource) => ({ type: 'resource', resource })) }
}
