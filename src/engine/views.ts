/** The documents a worker has open. */

import v8 from 'node:v8'
import { LRUCache } from 'lru-cache'
import type { Document } from '../documents/document.ts'
import { openDocument } from '../documents/opening/open.ts'
import { countTokens } from '../text/tokens.ts'
import type { Source } from './contract.ts'

/** A document and what was found out about it. */
export interface View {
  document: Document
  /** Of its text. */
  readonly tokens: number
  /** Hashes of the documents that its values come from, for an answer. */
  readonly sources: readonly string[]
}

/** The most contents with remembered token counts. */
const COUNTED = 1000

/** Views by the hash of their content. Equal content is one view, for all owners. */
export interface Views {
  open(source: Pick<Source, 'hash' | 'content'>): View
  has(hash: string): boolean
  /** `tokens`: of its text, when they were counted. */
  keep(hash: string, document: Document, bytes: number, tokens?: number): View
  /** Keeps an answer open that was made of what these sources hold, as long as they are open. */
  keepAnswer(hash: string, document: Document, bytes: number, sources: readonly string[]): View
  /** Remembers the tokens of content that is not opened yet. */
  counted(hash: string, tokens: number): void
  /** The hash is known of what was kept under a name. */
  named(name: string, hash: string): void
  forget(hash: string): void
  /** Closes all views except the ones used last: a closed one is opened again for a question. */
  rest(): void
}

/** Bytes of content held open, and while nothing is asked. Parsed and indexed it takes two to four times as much again. */
const OPEN_BYTES = 32 * 1024 * 1024
const RESTING_BYTES = 12 * 1024 * 1024
/** Less where the heap is small: half of it is for the answer. */
const HEAP_SHARE = 8

function room(): number {
  return Math.min(OPEN_BYTES, Math.floor(v8.getHeapStatistics().heap_size_limit / HEAP_SHARE))
}

export function createViews(maxBytes: number = room()): Views {
  /** By source: what an answer holds may keep all of its source in memory, so it goes with it and is opened again. */
  const answers = new Map<string, Set<string>>()
  const open = new LRUCache<string, View>({
    maxSize: maxBytes,
    disposeAfter: ({ sources }, hash, reason) => {
      if (reason === 'set') return
      for (const source of sources) answers.get(source)?.delete(hash)
      const made = answers.get(hash) ?? []
      answers.delete(hash)
      for (const answer of made) open.delete(answer)
    },
  })
  const counts = new LRUCache<string, number>({ max: COUNTED })

  function keep(hash: string, view: View, bytes: number): View {
    // A view larger than all the room has it alone.
    open.set(hash, view, { size: Math.min(Math.max(bytes, 1), maxBytes) })
    return view
  }

  return {
    open: ({ hash, content }) =>
      open.get(hash) ?? keep(hash, viewOf(openDocument(content), [], counts.get(hash)), content.byteLength),
    has: (hash) => open.has(hash),
    keep: (hash, document, bytes, tokens) => keep(hash, viewOf(document, [], tokens), bytes),
    keepAnswer(hash, document, bytes, from) {
      const sources = from.filter((source) => source !== hash)
      const view = keep(hash, viewOf(document, sources), bytes)
      for (const source of sources)
        if (open.has(source)) answers.set(source, (answers.get(source) ?? new Set()).add(hash))
      return view
    },
    counted: (hash, tokens) => void counts.set(hash, tokens),
    named(name, hash) {
      const view = open.get(name)
      if (view === undefined) return
      const { size = 1 } = open.info(name) ?? {}
      open.delete(name)
      open.set(hash, view, { size })
    },
    rest() {
      let held = 0
      // The one that was used last comes first, and stays whatever its size.
      for (const hash of [...open.keys()]) {
        const { size = 0 } = open.info(hash) ?? {}
        if (held > 0 && held + size > RESTING_BYTES) open.delete(hash)
        else held += size
      }
    },
    forget: (hash) => void open.delete(hash),
  }
}

function viewOf(document: Document, sources: readonly string[], counted?: number): View {
  let tokens = counted
  return {
    document,
    sources,
    get tokens() {
      tokens ??= countTokens(document.text)
      return tokens
    },
  }
}
