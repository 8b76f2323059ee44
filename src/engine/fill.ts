/** Arguments of a call with values of kept results in them, checked and written. */

import { isUtf8 } from 'node:buffer'
import { ENOUGH, factsOf } from '../documents/binary/kinds.ts'
import { decodeUtf8 } from '../documents/json/utf8.ts'
import { type Extracted, extract, jsonOf, readJson } from '../processors/extract.ts'
import { isObject, type JsonObject, own } from '../protocol/json.ts'
import { Refusal } from '../query/refusal.ts'
import { formatCount } from '../text/format.ts'
import {
  filled,
  isFile,
  isLiteral,
  isTemplate,
  type KeyPath,
  type Reference,
  type Template,
  type Wanted,
  type Writing,
  wantedAt,
  withValues,
} from './arguments.ts'
import type { Filled, Filling, Source } from './contract.ts'
import { faultsOf } from './schema-check.ts'
import type { Views } from './views.ts'

/** Bytes of JSON above which a value is handed over as JSON, so that it is not parsed again. */
const mostPlain = 32 * 1024

interface Placed {
  place: KeyPath
  taken: Extracted
}

/** If the arguments cannot be filled, the answer says why. */
export function fill(views: Views, sources: readonly Source[], filling: Filling): Filled {
  try {
    const { args, values } = 'file' in filling ? ofFile(filling.file) : ofReferences(views, sources, filling)
    return checked(args, values, filling)
  } catch (error) {
    if (error instanceof Refusal) return { error: error.message }
    throw error
  }
}

interface Expanded {
  args: JsonObject
  values: readonly Placed[]
}

function ofFile(file: Uint8Array): Expanded {
  const read = readJson(decodeUtf8(file))
  if (read === undefined) throw new Refusal('argumentsFile does not hold JSON.')
  return members(read, 'argumentsFile holds JSON that is no object: arguments have names.')
}

function ofReferences(
  views: Views,
  sources: readonly Source[],
  { args, found, files = [], schema }: Extract<Filling, { args: JsonObject }>,
): Expanded {
  const taken = (reference: Reference, as: Wanted): Extracted => {
    const source = sources.find(({ handle }) => handle === reference.from)
    if (source === undefined) throw new Error(`no source ${reference.from}`)
    try {
      return extract(views.open(source).document, { path: reference.path, as })
    } catch (error) {
      throw error instanceof Refusal ? new Refusal(`$from ${reference.from}: ${error.message}`) : error
    }
  }
  const values = found.map(({ place, wanted }, index): Placed => {
    if (isFile(wanted)) {
      const bytes = files.find(({ nth }) => nth === index)?.bytes ?? new Uint8Array()
      return { place, taken: plainly(written(Buffer.from(bytes), wanted.as)) }
    }
    if (isLiteral(wanted)) return { place, taken: plainly(wanted.literal) }
    if (isTemplate(wanted)) return { place, taken: plainly(filledWith(wanted, taken)) }
    return { place, taken: taken(wanted, schema === undefined ? 'any' : wantedAt(schema, place)) }
  })
  const whole = values.find(({ place }) => place.length === 0)
  if (whole) return members(whole.taken, 'What the reference stands for is no object: arguments have names.')
  return {
    args: withValues(
      args,
      values.map(({ place, taken: { value } }) => ({ place, value })),
    ),
    values,
  }
}

/** A file as the model wants it. */
function written(bytes: Buffer, as: Writing): string {
  if (as !== 'text') {
    const base64 = bytes.toString('base64')
    if (as === 'base64') return base64
    const type = factsOf(bytes.subarray(0, ENOUGH), bytes.length)?.type ?? 'application/octet-stream'
    return `data:${type};base64,${base64}`
  }
  if (!isUtf8(bytes)) throw new Refusal('The file is no UTF-8 text: write "as": "base64" or "data-uri".')
  return bytes.toString('utf8')
}

function filledWith(template: Template, taken: (reference: Reference, as: Wanted) => Extracted): string {
  const texts = [...template.parts].map(
    ([name, part]) => [name, typeof part === 'string' ? part : String(taken(part, 'text').value)] as const,
  )
  return filled(template, new Map(texts))
}

function plainly(value: Extracted['value']): Extracted {
  return { value, exact: value }
}

/** The members of a reference that stands for all arguments: each of them is a value of its own. */
function members({ value, exact, ...mark }: Extracted, otherwise: string): Expanded {
  if (!isObject(value) || !isObject(exact)) throw new Refusal(otherwise)
  const values = Object.keys(value).map((name): Placed => {
    const taken = { value: own(value, name) ?? null, exact: own(exact, name) ?? null, ...mark }
    return { place: [name], taken }
  })
  return { args: value, values }
}

function checked(args: JsonObject, values: readonly Placed[], { schema, maxBytes }: Filling): Filled {
  const written: { place: KeyPath; bytes: Uint8Array<SharedArrayBuffer> }[] = []
  let bytes = 0
  for (const { place, taken } of values) {
    const json = jsonOf(taken)
    const size = Buffer.byteLength(json)
    bytes += size
    if (bytes > maxBytes) throw new Refusal(tooMuch(bytes, maxBytes))
    if (size <= mostPlain && taken.mark === undefined) continue
    const content = new Uint8Array(new SharedArrayBuffer(size))
    Buffer.from(content.buffer).write(json)
    written.push({ place, bytes: content })
  }
  const faults = schema === undefined ? [] : faultsOf(args, schema, false)
  if (faults.length > 0) throw new Refusal(`With its references put in: ${faults.join('; ')}.`)
  const holes = written.map(({ place }) => ({ place, value: null }))
  return { args: holes.length === 0 ? args : withValues(args, holes), written }
}

function tooMuch(bytes: number, maxBytes: number): string {
  return `${formatCount(bytes)} bytes or more are to be put in, and ${formatCount(maxBytes)} may be sent with one call. Take a part by path.`
}
