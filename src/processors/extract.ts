/** One value out of a document, to be sent on as it is: unlike an answer it is neither cut nor read leniently. */
import type { Document } from '../documents/document.ts'
import { parseJson, toJson } from '../documents/stringify.ts'
import type { JsonValue } from '../protocol/json.ts'
import { followExtended, isExtended } from './path/jsonpath.ts'
import { explainMissing, locate } from './path/locate.ts'
import { fromPipes, fromPointer } from './path/notations.ts'
import { parsePath } from './path/parse.ts'
import { formatPath, isDefinite } from './path/path.ts'
import { Refusal, shown } from './refusal.ts'

export interface Extraction {
  /** Absent: the whole content. */
  path?: string
  /** `text`: the text as it was sent, or JSON of a value that is none. `data`: a text that is JSON is read. */
  as: 'text' | 'data' | 'any'
}

/**
 * The value at the path; a list of all values where the path can reach several. Throws a `Refusal` when it reaches nothing as it is
 * written: what is sent to a server must be what was meant.
 */
export function extract(document: Document, { path, as }: Extraction): JsonValue {
  if (path === undefined) return whole(document, as)
  const value = valueAt(document, path)
  if (as === 'text') return typeof value === 'string' ? value : toJson(value)
  if (as === 'data' && typeof value === 'string') return parseJson(value)?.value ?? value
  return value
}

function whole(document: Document, as: Extraction['as']): JsonValue {
  const { text, format } = document
  const isData = as === 'data' || (as === 'any' && format === 'json')
  return isData ? (parseJson(text)?.value ?? document.json() ?? text) : text
}

function valueAt(document: Document, written: string): JsonValue {
  const root = document.json()
  if (root === undefined)
    throw new Refusal('The result is text without fields: leave path out to take the whole of it.')
  const source = fromPipes(/^#\//.test(written) ? (fromPointer(written) ?? written) : written.trim())
  if (isExtended(source)) return followExtended(root, source).map(({ value }) => value)
  const path = parsePath(source)
  const found = locate(root, path)
  if (!found) throw new Refusal(explainMissing(root, path).message)
  if (found.note !== undefined)
    throw new Refusal(`\`${shown(written)}\` reaches nothing; \`${shown(formatPath(found.path))}\` does.`)
  const values = found.reached.map(({ value }) => value)
  const [only] = values
  return only !== undefined && values.length === 1 && isDefinite(path) ? only : values
}
