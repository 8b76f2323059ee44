/** Datasets of JSON-stat 2.0 (Eurostat and other offices): one list or map of values, and dimensions that say what each place in it is. */
import { isObject, type JsonObject, type JsonValue, own, setOwn } from '../../protocol/json.ts'

const MOST_VALUES = 1_000_000
const MOST_DIMENSIONS = 20

interface Dimension {
  readonly name: string
  readonly codes: readonly string[]
  readonly labels: JsonObject
}

/**
 * The dataset with a record in the place of each value: `{geo: "DE", geo_label: "Germany", time: "2024", value: 3.4}`, with its `status`
 * where it has one. Undefined for any other object.
 */
export function ofJsonStat(dataset: JsonObject): JsonObject | undefined {
  const [ids, size, dimension] = ['id', 'size', 'dimension'].map((name) => own(dataset, name) ?? null)
  const values = own(dataset, 'value')
  if (!Array.isArray(ids) || !Array.isArray(size) || ids.length !== size.length) return undefined
  if (!isObject(dimension ?? null) || typeof values !== 'object' || values === null) return undefined
  if (ids.length === 0 || ids.length > MOST_DIMENSIONS) return undefined
  const dimensions = ids.map((id) => dimensionOf(id, own(dimension as JsonObject, String(id)) ?? null))
  const isWhole = dimensions.every((one, at) => one !== undefined && one.codes.length === size[at])
  const all = size.reduce<number>((product, count) => product * Number(count), 1)
  if (!isWhole || all > MOST_VALUES) return undefined
  const status = own(dataset, 'status')
  const records = Object.keys(values).flatMap((place) => {
    const at = Number(place)
    if (!Number.isInteger(at) || at < 0 || at >= all) return []
    const record = placed(at, dimensions as Dimension[])
    setOwn(record, 'value', own(values as JsonObject, place) ?? null)
    const said = typeof status === 'object' && status !== null ? own(status as JsonObject, place) : undefined
    if (said !== undefined && said !== null) setOwn(record, 'status', said)
    return [record]
  })
  return { ...dataset, value: records }
}

function dimensionOf(id: JsonValue, dimension: JsonValue): Dimension | undefined {
  const category = isObject(dimension) ? own(dimension, 'category') : undefined
  if (typeof id !== 'string' || category === undefined || !isObject(category)) return undefined
  const [index, label] = [own(category, 'index') ?? null, own(category, 'label') ?? null]
  const labels = isObject(label) ? label : {}
  const codes = Array.isArray(index)
    ? index.map(String)
    : codesIn(isObject(index) ? index : labels, isObject(index))
  return { name: id, codes, labels }
}

/** The codes in the order of their places; a dimension of one category may leave the places out. */
function codesIn(index: JsonObject, isPlaced: boolean): string[] {
  const codes = Object.keys(index)
  return isPlaced ? codes.sort((one, other) => Number(own(index, one)) - Number(own(index, other))) : codes
}

/** The last dimension goes through its categories first. */
function placed(at: number, dimensions: readonly Dimension[]): JsonObject {
  const record: JsonObject = {}
  let step = dimensions.reduce((product, { codes }) => product * codes.length, 1)
  let left = at
  for (const { name, codes, labels } of dimensions) {
    step /= codes.length
    const code = codes[Math.floor(left / step)] ?? ''
    left %= step
    setOwn(record, name, code)
    const label = own(labels, code)
    if (typeof label === 'string' && label !== code) setOwn(record, `${name}_label`, label)
  }
  return record
}
