/** Brings texts into another language, by a translation service or a model. Names and identifiers stay what they are. */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { translateOptions } from '../config/modules/translate.ts'
import { changeTexts } from '../documents/change-result.ts'
import { messageOf } from '../protocol/errors.ts'
import type { Exchange } from '../protocol/exchange.ts'
import { isObject, type JsonObject } from '../protocol/json.ts'
import { originOf } from '../protocol/origin.ts'
import { LargeResult, plain, type Result } from '../protocol/result.ts'
import { described } from './described.ts'
import { defineModule, type ModuleHealth } from './module.ts'
import { type Kind, kindOfList } from './roster.ts'
import { createService, type TranslateOptions } from './translate-service.ts'
import { isProse } from './translation.ts'
import { readTranslations, writeTranslations } from './translation-file.ts'
import { createTranslator, type Translations } from './translator.ts'

type Place = TranslateOptions['in'][number]

const METHODS: Readonly<Record<Place, readonly string[]>> = {
  descriptions: ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'],
  results: ['tools/call'],
  prompts: ['prompts/get'],
  resources: ['resources/read'],
}

/** Longer results are not parsed on the event loop. */
const MOST_BYTES = 256 * 1024
/** Milliseconds after a failure in which lists do not ask again. */
const REST_MS = 10_000
/** Milliseconds in which new translations are gathered before they are written. */
const WRITE_MS = 2000

export const translate = defineModule({
  name: 'translate',
  options: translateOptions,
  messages: (options) => options.in.flatMap((place) => METHODS[place]),
  create(options, { logger, elapsed, dataDir, listsChanged, isOwnTool }) {
    const { cacheEntries, maxLength, listWaitMs } = options
    const file = join(dataDir, 'translations.json')
    const made = madeBy(options)
    const service = createService(options)
    const lists = createTranslator({
      service,
      entries: cacheEntries,
      known: cacheEntries === 0 ? [] : readTranslations(file, made),
    })
    const texts = createTranslator({ service, entries: cacheEntries })
    /** Items as they were listed last, by what came from further in, and their texts there in their order. */
    const others = new WeakMap<JsonObject, { item: JsonObject; said: readonly string[] }>()
    const closing = new AbortController()
    /** What went wrong last, empty when nothing has since. */
    let failure = ''
    let restUntil = Number.NEGATIVE_INFINITY
    /** A list went out without waiting to the end: the next ones do not wait for the same. */
    let isLate = false
    let writing: NodeJS.Timeout | undefined

    function write(): void {
      clearTimeout(writing)
      if (writing === undefined || cacheEntries === 0) return
      writing = undefined
      try {
        writeTranslations(file, made, lists.entries())
      } catch (error) {
        logger.warn({ error: messageOf(error) }, 'translations could not be kept')
      }
    }

    /** Asks for what is missing of a list, and puts what comes into `found`. A failure is logged, and never the list's. */
    async function gather(missing: Texts, found: Map<string, Translations>): Promise<void> {
      await Promise.all(
        [...missing].map(async ([scope, wanted]) => {
          try {
            found.set(scope, await lists.learn(wanted, scope, closing.signal))
            failure = ''
          } catch (error) {
            if (closing.signal.aborted) return
            failure = messageOf(error)
            restUntil = elapsed() + REST_MS
            logger.warn({ error: failure }, 'a list stays untranslated')
          }
        }),
      )
      isLate = false
      if (found.size > 0 && cacheEntries > 0 && !closing.signal.aborted)
        writing ??= setTimeout(write, WRITE_MS).unref()
    }

    /** The item in the other language: the same object while its texts are, for who made something of it, such as an index, goes by that. */
    function inOther(item: JsonObject, translationOf: (text: string) => string): JsonObject {
      const said: string[] = []
      const now = described(item, (text) => {
        const translation = translationOf(text)
        said.push(translation)
        return translation
      })
      const before = others.get(item)
      if (before?.said.every((text, at) => text === said[at])) return before.item
      others.set(item, { item: now, said })
      return now
    }

    async function listed(kind: Kind, passing: Result, { signal }: Exchange): Promise<Result> {
      const result = plain(passing)
      const items = Array.isArray(result[kind]) ? result[kind] : []
      const missing: Texts = new Map()
      for (const item of items) {
        if (!isObject(item)) continue
        const scope = scopeOf(item)
        described(item, (text) => {
          const isWanted = text.length <= maxLength && isProse(text, true)
          if (isWanted && lists.known(text, scope) === undefined)
            missing.set(scope, (missing.get(scope) ?? new Set()).add(text))
          return text
        })
      }
      const found = new Map<string, Translations>()
      if (missing.size > 0 && elapsed() >= restUntil) await waited(missing, found, signal)
      const now = items.map((item) => {
        if (!isObject(item)) return item
        const scope = scopeOf(item)
        return inOther(item, (text) => found.get(scope)?.get(text) ?? lists.known(text, scope) ?? text)
      })
      return now.every((item, index) => item === items[index]) ? result : { ...result, [kind]: now }
    }

    /** Until all is there, the time is up, or the client leaves. What comes later is told. */
    async function waited(
      missing: Texts,
      found: Map<string, Translations>,
      signal: AbortSignal,
    ): Promise<void> {
      const wasLate = isLate
      const gathered = gather(missing, found)
      if (!wasLate && (await isThere(gathered, listWaitMs, signal))) return
      isLate = true
      const early = new Set(found.keys())
      void gathered.then(() => {
        // Where not all can be remembered the next list would ask for them again, and so on.
        const isNew = [...found].some(([scope, texts]) =>
          early.has(scope)
            ? false
            : [...texts.keys()].every((text) => lists.known(text, scope) !== undefined),
        )
        if (isNew) listsChanged()
      })
    }

    /** Prose alone: values of data are left as they are, for others compare them. */
    async function translated(result: JsonObject, exchange: Exchange): Promise<JsonObject> {
      const { method, params, signal } = exchange
      const scope = `${method} ${String(params.name ?? params.uri)}`
      const wanted = new Set<string>()
      changeTexts(result, 'texts', (text, sort) => {
        if (sort === 'prose' && text.length <= maxLength && isProse(text)) wanted.add(text)
        return text
      })
      if (wanted.size === 0) return result
      const found = await texts.learn(wanted, scope, signal).catch((error: unknown) => {
        if (!signal.aborted) failure = messageOf(error)
        throw error
      })
      failure = ''
      return changeTexts(result, 'texts', (text, sort) =>
        sort === 'prose' ? (found.get(text) ?? text) : text,
      )
    }

    return {
      wrap: (next) => async (exchange) => {
        const result = await next(exchange)
        const kind = kindOfList(exchange.method)
        if (kind !== undefined) return listed(kind, result, exchange)
        // Names and handles stand in its texts.
        if (exchange.method === 'tools/call' && isOwnTool(String(exchange.params.name))) return result
        if (!(result instanceof LargeResult)) return translated(result, exchange)
        if (result.bytes.length > MOST_BYTES) {
          logger.debug({ method: exchange.method, bytes: result.bytes.length }, 'too large to be translated')
          return result
        }
        const object = plain(result)
        const changed = await translated(object, exchange)
        return changed === object ? result : changed
      },
      health: (): ModuleHealth =>
        failure === '' ? { state: 'ok', message: '' } : { state: 'failed', message: failure },
      async close() {
        closing.abort()
        lists.close()
        texts.close()
        write()
      },
    }
  },
})

/** By whose they are. */
type Texts = Map<string, Set<string>>

/** False: not in time, or nobody waits any more. */
function isThere(done: Promise<void>, ms: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const leave = (): void => resolve(false)
    const timer = setTimeout(leave, ms)
    if (signal.aborted) leave()
    signal.addEventListener('abort', leave, { once: true })
    done
      .then(() => resolve(true), reject)
      .finally(() => {
        clearTimeout(timer)
        signal.removeEventListener('abort', leave)
      })
  })
}

/** Whose texts may be read together. */
function scopeOf(item: JsonObject): string {
  return originOf(item)?.server ?? ''
}

/** Translations of another service, model or language are others. */
function madeBy({ url, kind, model, to, from }: TranslateOptions): string {
  return createHash('sha256')
    .update(JSON.stringify([url, kind, model, to, from]))
    .digest('hex')
}
