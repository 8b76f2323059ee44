/** Values of kept results, to be sent on. */
import { toJson } from '../documents/stringify.ts'
import { extract as extractValue } from '../processors/extract.ts'
import { Refusal } from '../processors/refusal.ts'
import { formatCount } from '../text/format.ts'
import type { Extract, Extraction, Source } from './operation.ts'
import type { Views } from './views.ts'

/** A path that reaches nothing is an answer that says so. */
export function extract(views: Views, source: Source, { maxBytes, ...extraction }: Extraction): Extract {
  const { document } = views.open(source)
  try {
    const value = extractValue(document, extraction)
    const bytes = Buffer.byteLength(toJson(value))
    if (bytes <= maxBytes) return { value, bytes }
    const room = `${formatCount(bytes)} bytes are more than the ${formatCount(maxBytes)} that may be sent`
    return { error: `${room}. Take a part by path.` }
  } catch (error) {
    if (error instanceof Refusal) return { error: error.message }
    throw error
  }
}
