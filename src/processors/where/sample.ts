/** What the values of a field look like, by some of them: what an operand is read beside. */
import type { JsonValue } from '../../protocol/json.ts'
import { columnOf } from '../column.ts'
import type { Field } from '../fields.ts'
import type { Records } from '../records.ts'
import { parseDate, zoneIn } from './dates.ts'
import { elementsOf } from './lists.ts'
import { columnWork } from './verdict.ts'

/** Records whose values are looked at. */
const mostSampled = 500

/** Scalars of a field, some of them, but for booleans and null. */
export class Sample {
  readonly values: readonly JsonValue[]
  readonly numbers: readonly number[]
  readonly texts: readonly string[]
  private foundDates: readonly string[] | undefined
  private foundZones: boolean | undefined
  private foundZone: { zone: string | undefined } | undefined

  constructor(values: readonly JsonValue[]) {
    this.values = values
    this.numbers = values.filter((value) => typeof value === 'number')
    this.texts = values.filter((value) => typeof value === 'string')
  }

  /** The texts that are dates. */
  get dates(): readonly string[] {
    this.foundDates ??= this.texts.filter((text) => text.length > 4 && parseDate(text) !== undefined)
    return this.foundDates
  }

  /** Some text is a time with a zone other than UTC. */
  get hasZones(): boolean {
    this.foundZones ??= this.texts.some((text) => offset.test(text))
    return this.foundZones
  }

  /** The one zone of all texts that are times with a zone. */
  get zone(): string | undefined {
    this.foundZone ??= { zone: onlyOne(this.texts.map(zoneIn)) }
    return this.foundZone.zone
  }
}

function onlyOne(zones: readonly (string | undefined)[]): string | undefined {
  const [zone, another] = new Set(zones.filter((each) => each !== undefined))
  return another === undefined ? zone : undefined
}

const offset = /T\d\d:\d\d.*[+-](?!00:?00)\d\d:?\d\d$/

export const emptySample = new Sample([])

/** Of records all over the list. Looked at once for each field. */
export function sampleOf(records: Records, { path }: Field): Sample {
  const column = columnOf(records.values, path, columnWork())
  return column.derived('sample', () => {
    const values: JsonValue[] = []
    const step = Math.max(1, Math.floor(records.values.length / mostSampled))
    for (let at = 0; at < records.values.length; at += step)
      for (const value of elementsOf(column.values(column.codes[at] ?? 0)))
        if (value !== null && typeof value !== 'object' && typeof value !== 'boolean') values.push(value)
    return new Sample(values)
  })
}
