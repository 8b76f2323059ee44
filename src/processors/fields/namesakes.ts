/** Fields deeper down that are called like one of the records' own: a name alone may have meant them. */
import type { Document } from '../../documents/document.ts'
import { nestingOf } from '../../documents/nesting.ts'
import type { JsonValue } from '../../protocol/json.ts'
import type { Field } from '../fields.ts'
import { parsePath } from '../path/parse.ts'
import { formatPath, newWork } from '../path/path.ts'
import { readValues } from '../path/walk.ts'
import type { Records } from '../records.ts'
import { shown } from '../refusal.ts'
import { Remembered } from '../remembered.ts'

/** Records looked at for values that fulfil what was asked. */
const mostSampled = 2_000
const mostNamed = 3

/**
 * One remark, or none, on a field that was written as a name alone and is the record's own. `holds`: gives a test that
 * some values of theirs have to pass. Not told: records within records.
 */
export function namesakes(
  document: Document,
  records: Records,
  { path, name, note }: Field,
  holds: () => ((values: readonly JsonValue[]) => boolean) | undefined = () => undefined,
): string[] {
  if (path.length !== 1 || note !== undefined) return []
  const origin = document.provenance.path
  const flat = origin.includes('..')
  // Of those a remark of their own tells how many there are.
  const nested = flat ? undefined : nestingOf(records.values, origin)?.field
  const others = calledSo
    .of(records, name, () => listed(records, name))
    .filter(([other]) => !(flat && isKin(records, other.slice(0, -name.length - 1))))
    .filter(([other]) => nested === undefined || !other.startsWith(`${nested}.`))
  if (others.length === 0) return []
  const test = holds()
  const meant = test ? others.filter(([other]) => some(records, other, test)) : others
  if (meant.length === 0) return []
  const named = meant.slice(0, mostNamed).map(
    ([other, samples]) =>
      `\`${other}\` (${samples
        .filter(isScalar)
        .slice(0, 2)
        .map((value) => shown(JSON.stringify(value), 24))
        .join(', ')})`,
  )
  return [`\`${name}\` is the record's own; there is also ${named.join(', ')}.`]
}

const calledSo = new Remembered<[string, readonly JsonValue[]][]>()

/** The names deeper down that end so, with some of their values. */
function listed(records: Records, name: string): [string, readonly JsonValue[]][] {
  return [...records.names()].filter(
    ([other, samples]) => lastOf(other) === name && parsePath(other).length > 1 && samples.some(isScalar),
  )
}

function lastOf(name: string): string {
  return name.endsWith(']') || name.includes('.') ? formatPath(parsePath(name).slice(-1)) : name
}

/** True when what is at a place has most of the fields of the records. */
function isKin(records: Records, place: string): boolean {
  const names = [...records.names().keys()]
  const own = names.filter((name) => !/[.[]/.test(name))
  return own.filter((name) => records.names().has(`${place}.${name}`)).length >= own.length * 0.6
}

function isScalar(value: JsonValue): boolean {
  return value !== null && typeof value !== 'object'
}

function some(records: Records, name: string, holds: (values: readonly JsonValue[]) => boolean): boolean {
  const path = parsePath(name)
  const work = newWork()
  const step = Math.max(1, Math.ceil(records.values.length / mostSampled))
  for (let at = 0; at < records.values.length; at += step) {
    const values: JsonValue[] = []
    readValues(records.values[at] ?? null, path, values, work)
    if (holds(values)) return true
  }
  return false
}
