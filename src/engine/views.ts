/** The documents a worker has open. */
import { LRUCache } from 'lru-cache'
import type { Document } from '../documents/document.ts'
import { openDocument } from '../documents/open.ts'
import { countTokens } from '../text/tokens.ts'
import type { Source } from './operation.ts'

/** A document and what was found out about it. */
interface View {
  document: Document
  /** Of its text. */
  readonly tokens: number
}

/** Contents whose tokens are remembered. */
const COUNTED = 1000

/** Views by the hash of their content. Equal content is one view, whoever keeps it. */
export interface Views {
  open(source: Pick<Source, 'hash' | 'content'>): View
  /** `tokens`: of its text, when they were counted. */
  keep(hash: string, document: Document, bytes: number, tokens?: number): View
  /** Remembers the tokens of content that is not opened yet. */
  counted(hash: string, tokens: number): void
  forget(hash: string): void
}

/** Bytes of content held open. Parsed and indexed it takes about four times as much. */
const OPEN_BYTES = 64 * 1024 * 1024

export function createViews(maxBytes: number = OPEN_BYTES): Views {
  const open = new LRUCache<string, View>({ maxSize: maxBytes })
  const counts = new LRUCache<string, number>({ max: COUNTED })

  function keep(hash: string, document: Document, bytes: number, tokens?: number): View {
    const view = viewOf(document, tokens)
    // What is larger than all the room has it alone.
    open.set(hash, view, { size: Math.min(Math.max(bytes, 1), maxBytes) })
    return view
  }

  return {
    open: ({ hash, content }) =>
      open.get(hash) ?? keep(hash, openDocument(content), content.byteLength, counts.get(hash)),
    keep,
    counted: (hash, tokens) => void counts.set(hash, tokens),
    forget: (hash) => void open.delete(hash),
  }
}

function viewOf(document: Document, counted: number | undefined): View {
  let tokens = counted
  return {
    document,
    get tokens() {
      tokens ??= countTokens(document.text)
      return tokens
    },
  }
}
