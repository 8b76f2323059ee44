/** Two records as one: fields of the right that the left has too are called by the name of its list. */
import { isObject, type JsonObject, type JsonValue, own, setOwn } from '../../protocol/json.ts'

/** Puts two records into one. Fields of the right that the left has too are called by its name: `products.id`. */
export class Merge {
  /** New names by the field on the right. */
  readonly renamed = new Map<string, string>()
  private readonly dropped: ReadonlySet<string>

  /** `name`: of the list on the right. `dropped`: its fields that equal those of the left. */
  constructor(
    left: readonly JsonValue[],
    right: readonly JsonValue[],
    name: string,
    dropped: ReadonlySet<string>,
  ) {
    this.dropped = dropped
    const taken = namesIn(left)
    for (const field of namesIn(right)) {
      if (!taken.has(field) || dropped.has(field)) continue
      let other = `${taken.has(name) ? 'joined' : name}.${field}`
      while (taken.has(other)) other = `${other}_`
      this.renamed.set(field, other)
    }
  }

  row(left: JsonValue, right: JsonValue): JsonObject {
    const row = fieldsOf(left)
    for (const [name, value] of Object.entries(fieldsOf(right))) {
      if (this.dropped.has(name) && Object.hasOwn(row, name)) continue
      setOwn(row, this.renamed.get(name) ?? name, value)
    }
    return row
  }
}

function namesIn(rows: readonly JsonValue[]): Set<string> {
  const names = new Set<string>()
  for (const row of rows) {
    if (isObject(row)) for (const name of Object.keys(row)) names.add(name)
    else names.add('_value')
  }
  return names
}

/** A copy of the fields; a value without fields is one called `_value`. */
function fieldsOf(value: JsonValue): JsonObject {
  const fields: JsonObject = {}
  if (!isObject(value)) return { _value: value }
  for (const name of Object.keys(value)) setOwn(fields, name, own(value, name) ?? null)
  return fields
}
