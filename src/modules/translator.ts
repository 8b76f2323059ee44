/**
 * Translations by a service, each text asked for once: what is known is remembered, what is under way is shared. Texts of one
 * scope are asked for together and never with those of another: a model that reads them all could let one change the others.
 */
import { LRUCache } from 'lru-cache'
import { cancelled } from '../protocol/errors.ts'
import { SingleFlight } from '../protocol/single-flight.ts'
import { type TranslationService, WrongAnswer } from './translate-service.ts'
import { faithful } from './translation.ts'

export interface TranslatorOptions {
  service: TranslationService
  /** Translations that are remembered. */
  entries: number
  /** From an earlier run. */
  known?: Iterable<readonly [key: string, translation: string]>
}

export interface Translator {
  /** What is known of a text. */
  known(text: string, scope: string): string | undefined
  /** All of them with their translations. Rejects when the service fails, or when the signal aborts, which ends what nobody else waits for. */
  learn(texts: Iterable<string>, scope: string, signal: AbortSignal): Promise<Translations>
  /** All that is remembered, the latest used last. */
  entries(): [key: string, translation: string][]
  close(): void
}

/** By the text as it was. */
export type Translations = ReadonlyMap<string, string>

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
    signal: AbortSignal,
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
