/** Brings texts into another language, by a translation service or a model. Names and identifiers stay what they are. */

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { LRUCache } from 'lru-cache'
import { writeDurably } from '../../data/private-files.ts'
import { changeTexts } from '../../documents/change/change-result.ts'
import { defineModule, type ModuleHealth } from '../../module-runtime/module.ts'
import { LargeResult, plain } from '../../protocol/content.ts'
import { cancelled, messageOf } from '../../protocol/errors.ts'
import type { Exchange, ShowList } from '../../protocol/exchange.ts'
import { isObject, type JsonObject, type JsonValue, own } from '../../protocol/json.ts'
import type { Signal } from '../../protocol/message.ts'
import { originOf } from '../../protocol/origin.ts'
import { SingleFlight } from '../../protocol/sharing.ts'
import { WrongAnswer } from '../../services/post.ts'
import { hasHiddenCharacters } from '../../text/suspicion.ts'
import { translateOptions } from './options.ts'
import { createService, type TranslateOptions, type TranslationService } from './service.ts'

type TextSource = TranslateOptions['in'][number]

const METHODS: Readonly<Record<TextSource, readonly string[]>> = {
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
    /** The last failure, empty when a translation worked since. */
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

    const list: ShowList = async ({ items }, { signal }) => {
      const missing: Texts = new Map()
      for (const item of items) {
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
        const scope = scopeOf(item)
        return inOther(item, (text) => found.get(scope)?.get(text) ?? lists.known(text, scope) ?? text)
      })
      return now.every((item, index) => item === items[index]) ? items : now
    }

    /** Until all is there, the time is up, or the client leaves. A translation that comes later is announced. */
    async function waited(missing: Texts, found: Map<string, Translations>, signal: Signal): Promise<void> {
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
      list,
      wrap: (next) => async (exchange) => {
        const result = await next(exchange)
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

/** By server. */
type Texts = Map<string, Set<string>>

/** False: not in time, or no request waits any more. */
function isThere(done: Promise<void>, ms: number, signal: Signal): Promise<boolean> {
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

/** The owner of the texts: one owner's may be translated together. */
function scopeOf(item: JsonObject): string {
  return originOf(item)?.server ?? ''
}

/** Translations of another service, model or language are others. */
function madeBy({ url, kind, model, to, from }: TranslateOptions): string {
  return createHash('sha256')
    .update(JSON.stringify([url, kind, model, to, from]))
    .digest('hex')
}

// Translations by a service, each text asked for once: what is known is remembered, what is under way is
// shared. Texts of one scope are asked for together and never with those of another: a model that reads them
// all could let one change the others.

interface TranslatorOptions {
  service: TranslationService
  /** Translations that are remembered. */
  entries: number
  /** From an earlier run. */
  known?: Iterable<readonly [key: string, translation: string]>
}

interface Translator {
  /** The known translation of a text. */
  known(text: string, scope: string): string | undefined
  /**
   * All of them with their translations. Rejects when the service fails, or when the signal aborts, which ends work that no other request
   * waits for.
   */
  learn(texts: Iterable<string>, scope: string, signal: Signal): Promise<Translations>
  /** All that is remembered, the latest used last. */
  entries(): [key: string, translation: string][]
  close(): void
}

/** By the text as it was. */
type Translations = ReadonlyMap<string, string>

/** Texts that the service gets at once, and their characters. */
const BATCH = 50
const BATCH_CHARACTERS = 20_000
/** Requests at a time. */
const PARALLEL = 4

export function createTranslator({ service, entries, known = [] }: TranslatorOptions): Translator {
  const memory = new LRUCache<string, string>({ max: Math.max(1, entries) })
  for (const [key, translation] of known) memory.set(key, translation)
  const flights = new SingleFlight<Translations>()
  const queue: (() => void)[] = []
  let running = 0

  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (running >= PARALLEL) await new Promise<void>((resolve) => queue.push(resolve))
    else running++
    try {
      return await work()
    } finally {
      const next = queue.shift()
      if (next) next()
      else running--
    }
  }

  async function ask(
    texts: readonly string[],
    scope: string,
    signal: Signal,
  ): Promise<[text: string, translation: string][]> {
    try {
      const answers = await service(texts, signal)
      return texts.map((text, index) => {
        const translation = faithful(text, answers[index] ?? text)
        if (entries > 0) memory.set(keyOf(text, scope), translation)
        return [text, translation]
      })
    } catch (error) {
      // Models leave one out of many now and then.
      if (!(error instanceof WrongAnswer) || texts.length === 1) throw error
      const half = Math.ceil(texts.length / 2)
      const first = await ask(texts.slice(0, half), scope, signal)
      return [...first, ...(await ask(texts.slice(half), scope, signal))]
    }
  }

  function begin(texts: readonly string[], scope: string): void {
    const keys = texts.map((text) => keyOf(text, scope))
    flights.begin(keys, (signal) =>
      inTurn(async () => {
        if (signal.aborted) throw cancelled(signal)
        return new Map(await ask(texts, scope, signal))
      }),
    )
  }

  return {
    known: (text, scope) => memory.get(keyOf(text, scope)),
    async learn(texts, scope, signal) {
      const found = new Map<string, string>()
      const wanted: string[] = []
      for (const text of new Set(texts)) {
        const translation = memory.get(keyOf(text, scope))
        if (translation === undefined) wanted.push(text)
        else found.set(text, translation)
      }
      const underWay = (text: string) => flights.find(keyOf(text, scope))
      for (const batch of batches(wanted.filter((text) => !underWay(text)))) begin(batch, scope)
      const all = new Set(wanted.flatMap((text) => underWay(text) ?? []))
      const answers = await Promise.all([...all].map((flight) => flight.join(signal)))
      for (const answer of answers) for (const [text, translation] of answer) found.set(text, translation)
      return found
    },
    entries: () => [...memory.entries()].reverse(),
    close: () => flights.abort(),
  }
}

function keyOf(text: string, scope: string): string {
  return `${scope}\n${text}`
}

function* batches(texts: readonly string[]): Iterable<string[]> {
  let batch: string[] = []
  let characters = 0
  for (const text of texts) {
    if (batch.length > 0 && (batch.length === BATCH || characters + text.length > BATCH_CHARACTERS)) {
      yield batch
      batch = []
      characters = 0
    }
    batch.push(text)
    characters += text.length
  }
  if (batch.length > 0) yield batch
}

// The texts that are worth translating, and whether an answer is a translation.

/** Scripts that put no spaces between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]{2}/u

/** Something to read, not a number, an address, a code or data. `isLabel`: one word is something to read as well. */
export function isProse(text: string, isLabel = false): boolean {
  if (!/\p{L}{2}/u.test(text)) return false
  const trimmed = text.trim()
  if (!/\s/.test(trimmed) && !UNSPACED.test(trimmed)) return isLabel && /^\p{Lu}\p{Ll}+[.!?]?$/u.test(trimmed)
  return !/^[[{]/.test(trimmed) || !isJson(trimmed)
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/**
 * The parts that are no language: code between backticks, addresses, placeholders (`{x}`, `%s`, `$VAR`, `<tag>`), options, paths and
 * identifiers (`read_file`, `maxResults`, `Date.now`).
 */
const UNTOUCHABLE =
  /`[^`]+`|\b[a-z][a-z0-9+.-]*:\/\/[^\s)>\]"']*[^\s)>\]"'.,;:!?]|\$?\{[^{}\s]*\}|%(?:\(\w+\))?[sdif]\b|\$[A-Z_][A-Z0-9_]*|<\/?[a-z][\w-]*>|(?<!\S)--[a-z][\w-]*|(?<![\w/.])(?:\.{0,2}\/)[\w.-]+(?:\/[\w.-]+)*|\b[A-Za-z]\w*_\w*[A-Za-z0-9]|\b[a-z]+[A-Z]\w*|\b\w+\.[a-z]{2,4}\b(?=[\s,;)]|$)/gu

/** Times as long as the text that a translation may be, and characters beyond. */
const LONGER = 4
const ROOM = 200

/** The answer, or the text itself where the answer is none: something missing that has to stay, or much that was not asked for. */
export function faithful(text: string, answer: string): string {
  if (answer.trim() === '' || answer.length > text.length * LONGER + ROOM) return text
  if (hasHiddenCharacters(answer) && !hasHiddenCharacters(text)) return text
  return (text.match(UNTOUCHABLE) ?? []).every((part) => answer.includes(part)) ? answer : text
}

// Translations of what servers list, kept between runs. Texts of results are not: they belong to the requester alone.

type Entries = readonly (readonly [key: string, translation: string])[]

/** Characters of a file that are worth keeping. */
const MOST_CHARACTERS = 8_000_000

/** `made`: what made them; those of another service or language are none. Empty where there are none. */
function readTranslations(file: string, made: string): Entries {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'))
    if (!isObject(value) || value.made !== made || !Array.isArray(value.entries)) return []
    return value.entries.filter(
      (entry): entry is [string, string] =>
        Array.isArray(entry) && typeof entry[0] === 'string' && typeof entry[1] === 'string',
    )
  } catch {
    return []
  }
}

/** Whole or not at all; the latest where all would be too many. Throws when nothing can be written. */
function writeTranslations(file: string, made: string, entries: Entries): void {
  let characters = 0
  const kept = entries.toReversed().filter(([key, translation]) => {
    characters += key.length + translation.length
    return characters <= MOST_CHARACTERS
  })
  writeDurably(file, JSON.stringify({ made, entries: kept.reverse() }))
}

// Titles and descriptions of a listed item, those of its parameters and arguments included.

const DEEPEST = 40

/** Members with free names as keys: a key `description` in them is no description. */
const MAPS: ReadonlySet<string> = new Set([
  'properties',
  '$defs',
  'definitions',
  'patternProperties',
  'dependentSchemas',
])
const NO_PROSE: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'examples', '_meta', 'required'])

/** The item with its texts changed; the item itself where none was. Members that are no text of its own stay what they are. */
function described(item: JsonObject, apply: (text: string) => string): JsonObject {
  return changed(item, apply, 0, false) as JsonObject
}

function changed(
  value: JsonValue,
  apply: (text: string) => string,
  depth: number,
  isMap: boolean,
): JsonValue {
  if (depth > DEEPEST) return value
  if (Array.isArray(value)) {
    const items = value.map((item) => changed(item, apply, depth + 1, false))
    return items.every((item, index) => item === value[index]) ? value : items
  }
  if (!isObject(value)) return value
  const entries = Object.entries(value).map(([key, inner]): [string, JsonValue] => {
    if (isMap) return [key, changed(inner, apply, depth + 1, false)]
    if ((key === 'description' || key === 'title') && typeof inner === 'string') return [key, apply(inner)]
    return [key, NO_PROSE.has(key) ? inner : changed(inner, apply, depth + 1, MAPS.has(key))]
  })
  if (entries.every(([key, inner]) => own(value, key) === inner)) return value
  // Symbols name the server of an item.
  return Object.assign({ ...value }, Object.fromEntries(entries))
}
