/** What a kept result holds, written as a file that other programs read. */
import { encode } from '@toon-format/toon'
import { parseJson } from '../documents/stringify.ts'
import { isObject, type JsonValue } from '../protocol/json.ts'
import { head } from '../text/cut.ts'
import { countTokens } from '../text/tokens.ts'
import type { Export, Source } from './operation.ts'
import type { Views } from './views.ts'

/** Of the beginning that a reply shows: characters, and tokens, of which dense data has many. */
const previewed = 300
const mostPreviewTokens = 64
/** Names at the top of an object that are told. */
const mostKeys = 50

/** The text as the server sent it. Content of several kinds is written as the result that it came in, so that nothing is lost. */
export function exported(views: Views, source: Source, toon: boolean): Export {
  const { document } = views.open(source)
  const isOne = document.kind !== 'mixed' && document.asides.length === 0
  const text = isOne ? document.text : Buffer.from(source.content).toString('utf8')
  const parsed = document.kind === 'json' || !isOne ? parseJson(text) : undefined
  const table = toon && parsed ? asToon(parsed.value) : undefined
  const written = table ?? text
  const content = new Uint8Array(new SharedArrayBuffer(Buffer.byteLength(written)))
  Buffer.from(content.buffer).write(written)
  return {
    content,
    format: table === undefined ? (parsed ? 'json' : 'text') : 'toon',
    ...(parsed && topOf(parsed.value)),
    tokens: countTokens(written),
    preview: beginningOf(written),
  }
}

function beginningOf(text: string): string {
  const line = text
    .slice(0, previewed * 4)
    .replaceAll(/\s+/g, ' ')
    .trim()
  const shown = head(line, previewed)
  const tokens = countTokens(shown)
  return tokens <= mostPreviewTokens
    ? shown
    : head(shown, Math.floor((shown.length * mostPreviewTokens) / tokens))
}

function topOf(value: JsonValue): Pick<Export, 'keys' | 'elements'> {
  if (Array.isArray(value)) return { elements: value.length }
  return isObject(value) ? { keys: Object.keys(value).slice(0, mostKeys) } : {}
}

/** Undefined where it cannot be written so: then JSON is as good. */
function asToon(value: JsonValue): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  try {
    return encode(value)
  } catch {
    return undefined
  }
}
