/** The operations of a description of an interface (OpenAPI, Swagger), which are in a map of maps: a record for each. */
import { isObject, type JsonObject, type JsonValue, own } from '../../protocol/json.ts'
import { formatPlural } from '../../text/format.ts'
import { type Collection, pathStep } from '../shape/collections.ts'

/** OpenAPI 3.2, "Path Item Object". */
const METHOD = /^(?:get|put|post|delete|options|head|patch|trace|query)$/
const VERSION = ['openapi', 'swagger'] as const

/** The operations of a document that says that it describes an interface, or of one that holds such a document alone. Undefined for any other. */
export function operationsIn(root: JsonValue): Collection | undefined {
  if (!isObject(root)) return undefined
  const [key, another] = Object.keys(root)
  const inner = key === undefined || another !== undefined ? undefined : own(root, key)
  return (
    operationsAt(root, '$') ??
    (isObject(inner ?? null) ? operationsAt(inner as JsonObject, `$${pathStep(key ?? '')}`) : undefined)
  )
}

function operationsAt(document: JsonObject, place: string): Collection | undefined {
  if (!VERSION.some((name) => typeof own(document, name) === 'string')) return undefined
  const paths = own(document, 'paths')
  if (!isObject(paths ?? null)) return undefined
  const values: JsonValue[] = []
  const places: string[] = []
  const names = Object.keys(paths as JsonObject)
  for (const path of names) {
    const item = own(paths as JsonObject, path)
    if (!isObject(item ?? null)) continue
    for (const method of Object.keys(item as JsonObject)) {
      const operation = own(item as JsonObject, method)
      if (!METHOD.test(method) || !isObject(operation ?? null)) continue
      values.push({ method, path, ...(operation as JsonObject) })
      places.push(`${place}.paths${pathStep(path)}${pathStep(method)}`)
    }
  }
  if (values.length === 0) return undefined
  const said = `${formatPlural(values.length, 'operation')} of ${formatPlural(names.length, 'path')}`
  const path = `${place}.paths`
  return {
    path: `${path}.*.*`,
    keys: undefined,
    values,
    gathered: {
      path,
      said,
      shown: path,
      fields: ['method', 'path'],
      time: undefined,
      placeOf: (at) => places[at] ?? path,
      isOfRecords: true,
      from: { path, keys: names, values: names.map((name) => own(paths as JsonObject, name) ?? null) },
    },
  }
}
