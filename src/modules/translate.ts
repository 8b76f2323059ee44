/** Brings texts into another language, by a translation service or a model. Names and identifiers stay what they are. */
import { LRUCache } from 'lru-cache'
import type * as z from 'zod'
import { translateOptions } from '../config/modules/translate.ts'
import { changeTexts } from '../documents/change-result.ts'
import type { Exchange } from '../protocol/exchange.ts'
import { isObject, type JsonObject, type JsonValue, own } from '../protocol/json.ts'
import { LargeResult } from '../protocol/result.ts'
import { defineModule } from './module.ts'
import { kindOfList } from './roster.ts'
import { askService } from './translate-service.ts'

export type TranslateOptions = z.output<typeof translateOptions>
type Place = TranslateOptions['in'][number]

/** Texts that the service gets at once. */
const BATCH = 50

const METHODS: Readonly<Record<Place, readonly string[]>> = {
  descriptions: ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'],
  results: ['tools/call'],
  prompts: ['prompts/get'],
  resources: ['resources/read'],
}

export const translate = defineModule({
  name: 'translate',
  options: translateOptions,
  messages: (options) => options.in.flatMap((place) => METHODS[place]),
  create(options, { logger, isOwnTool }) {
    const { cacheEntries, maxLength } = options
    const known = new LRUCache<string, string>({ max: Math.max(1, cacheEntries) })

    /** Every text that is worth it, with its translation. */
    async function translations(
      texts: Iterable<string>,
      signal: AbortSignal,
    ): Promise<ReadonlyMap<string, string>> {
      const found = new Map<string, string>()
      const missing: string[] = []
      for (const text of new Set(texts)) {
        const before = cacheEntries === 0 ? undefined : known.get(text)
        if (before !== undefined) found.set(text, before)
        else missing.push(text)
      }
      for (let at = 0; at < missing.length; at += BATCH) {
        const part = missing.slice(at, at + BATCH)
        const answers = await askService(part, options, signal)
        part.forEach((text, index) => {
          found.set(text, answers[index] ?? text)
          known.set(text, answers[index] ?? text)
        })
      }
      return found
    }

    /** `walk` changes the texts of a message; it is gone through twice, to find them and to put in their place what they became. */
    async function translated(message: JsonObject, walk: Walk, signal: AbortSignal): Promise<JsonObject> {
      const texts = new Set<string>()
      walk(message, (text) => {
        if (isText(text, maxLength)) texts.add(text)
        return text
      })
      if (texts.size === 0) return message
      const found = await translations(texts, signal)
      return walk(message, (text) => found.get(text) ?? text)
    }

    return {
      wrap: (next) => async (exchange: Exchange) => {
        const result = await next(exchange)
        // Names and handles stand in its texts.
        if (exchange.method === 'tools/call' && isOwnTool(String(exchange.params.name))) return result
        if (result instanceof LargeResult) {
          logger.debug({ method: exchange.method, bytes: result.bytes.length }, 'too large to be translated')
          return result
        }
        return translated(result, kindOfList(exchange.method) ? lists : contents, exchange.signal)
      },
    }
  },
})

type Apply = (text: string) => string
type Walk = (message: JsonObject, apply: Apply) => JsonObject

/** Prose alone: values of data are left as they are, for others compare them. */
const contents: Walk = (message, apply) =>
  changeTexts(message, 'texts', (text, sort) => (sort === 'prose' ? apply(text) : text))

/** Titles and descriptions, those of parameters and arguments included. */
const lists: Walk = (message, apply) => described(message, apply, 0, false) as JsonObject

const DEEPEST = 40

/** `isMap`: the keys are names that somebody chose, so that one called `description` is none. */
function described(value: JsonValue, apply: Apply, depth: number, isMap: boolean): JsonValue {
  if (depth > DEEPEST) return value
  if (Array.isArray(value)) return value.map((item) => described(item, apply, depth + 1, false))
  if (!isObject(value)) return value
  const entries = Object.entries(value).map(([key, inner]): [string, JsonValue] => {
    if (!isMap && (key === 'description' || key === 'title') && typeof inner === 'string')
      return [key, apply(inner)]
    if (NO_PROSE.has(key) && !isMap) return [key, inner]
    return [key, described(inner, apply, depth + 1, MAPS.has(key) && !isMap)]
  })
  if (entries.every(([key, inner]) => own(value, key) === inner)) return value
  // Symbols tell whose an item is.
  return Object.assign({ ...value }, Object.fromEntries(entries))
}

const MAPS: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions', 'patternProperties'])
const NO_PROSE: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'examples', '_meta', 'required'])

/** Something to read, not a number, an address or a code. */
function isText(text: string, maxLength: number): boolean {
  return (
    text.length <= maxLength &&
    /\p{L}{2}/u.test(text) &&
    !/^\S+$/.test(text.trim()) &&
    !/^[[{]/.test(text.trim())
  )
}
