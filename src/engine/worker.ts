/** The work of a worker. */
import v8 from 'node:v8'
import { runInNewContext } from 'node:vm'
import { changeTexts } from '../documents/change/change-result.ts'
import { type ResultReader, readAhead } from '../documents/fast/index.ts'
import { arrivedIn, GrowingBytes, partOf } from '../protocol/stream.ts'
import { compileChange } from '../text/change/change.ts'
import { type ChangeText, Tally, type TextChange, type TextSort } from '../text/change/change-rules.ts'
import { countTokens } from '../text/tokens.ts'
import { compare } from './compare.ts'
import { decodeResult, encodeResult } from './content.ts'
import type { Answer, Arrival, Changed, Source, Task, Unpacked, Unpacking } from './contract.ts'
import { digest, digestOpen } from './digest.ts'
import { exported, readFile } from './export.ts'
import { fill } from './fill.ts'
import { joinContents, lookAtPage } from './pages.ts'
import { query } from './query.ts'
import { forgetPages, read } from './read.ts'
import { rehearse } from './rehearsal.ts'
import { createViews } from './views.ts'

const views = createViews()
const arrivals = createArrivals()

/** The bytes that have arrived of the result that is read ahead. */
let arriving: { id: number; start: number; bytes: GrowingBytes } | undefined

/** `told`: called with the step that begins, for the message of a time limit. */
export function run(
  task: Task,
  told: (step: string) => void = () => {},
): Answer<Task> | Promise<Answer<Task>> {
  switch (task.kind) {
    case 'unpack':
      return unpacked(task.content, task)
    case 'digest': {
      if (task.open !== undefined) return digestOpen(views, task.open, task.arrival.tool, task.options)
      const arrival = task.ahead === undefined ? task.arrival : arrived(task.arrival, task.ahead)
      if (arrival === undefined) return { missing: true }
      return digest(views, arrival, task.options, arrivals.take(task.ahead?.id), task.name)
    }
    case 'read-ahead': {
      const { id, start } = task
      if (arriving?.id !== id) arriving = { id, start, bytes: new GrowingBytes(LARGEST) }
      arriving.bytes.append(task.bytes)
      return arrivals.read({ id, start, buffer: arriving.bytes.buffer })
    }
    case 'query':
      return areThere(task.sources) ? query(views, task.sources, task.query, told) : { missing: true }
    case 'read':
      return areThere(task.sources) ? read(views, task.sources, task.wanted, told) : { missing: true }
    case 'compare':
      return areThere(task.sources) ? compare(views, task.sources, task.budget) : { missing: true }
    case 'fill':
      return areThere(task.sources) ? fill(views, task.sources, task.filling) : { missing: true }
    case 'export':
      return exported(task.content, task.toon)
    case 'readback':
      return readFile(task.content, task.isResult, task.wanted)
    case 'change':
      return change(task.content, task.change)
    case 'page':
      return lookAtPage(task.content, task.asked)
    case 'join':
      return joinContents(views, split(task.content, task.lengths), task.place)
    case 'count':
      return task.texts.map(countTokens)
    case 'counted':
      views.counted(task.hash, task.tokens)
      return null
    case 'named':
      views.named(task.name, task.hash)
      return null
    case 'open':
      views.open(task.source)
      return null
    case 'rehearse':
      return rehearse(task.nth)
    case 'rest':
      arriving = undefined
      forgetPages()
      views.rest()
      collectGarbage()
      return null
    case 'forget':
      views.forget(task.hash)
      return null
  }
}

function split(content: Uint8Array, lengths: readonly number[]): Uint8Array[] {
  let at = 0
  return lengths.map((length) => {
    at += length
    return content.subarray(at - length, at)
  })
}

/** The readers of files are loaded with the first one. */
async function unpacked(
  content: Uint8Array,
  { limits, reads, changes, isResource }: Unpacking,
): Promise<Unpacked> {
  const { unpack } = await import('../documents/binary/unpack.ts')
  const applied = changes.map(({ rules }) => compileChange(rules))
  const changed = (text: string, sort: TextSort, name?: string): string =>
    applied.reduce((before, apply) => apply(before, new Tally(content.length), sort, name), text)
  const wanted = { limits, reads, ...(applied.length > 0 && { changed }) }
  if (!isResource) return (await unpack(content, wanted)) ?? {}
  const { resultOfResource } = await import('../documents/binary/resource.ts')
  const result = resultOfResource(content)
  return result === undefined ? {} : ((await unpack(result, wanted)) ?? { content: result })
}

/** Bytes of a message at most. */
const LARGEST = 512 * 1024 * 1024

/** The whole result, of which this worker was sent the beginning while it arrived. */
function arrived(
  { content, tool }: Arrival,
  { id, bytes }: { id: number; bytes: number },
): Arrival | undefined {
  if (arriving?.id !== id) return undefined
  const { start, bytes: message } = arriving
  arriving = undefined
  message.append(content)
  return { content: partOf(message.buffer, start, start + bytes), tool }
}

/** Content is left out of what should be open. */
function areThere(sources: readonly Source[]): boolean {
  return sources.every(({ hash, content }) => content.byteLength > 0 || views.has(hash))
}

/** Reading results leaves much behind that V8 collects only when more is asked for. */
function collectGarbage(): void {
  v8.setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  if (typeof collect === 'function') collect()
}

// The part that a worker has read of a result that still arrives.

interface Arrivals {
  /**
   * Reads on, for a while, in the result that begins at `start` of the message that comes to this buffer of `GrowingBytes`. Answers how many
   * bytes of the message were read, or were received of what can only be read when all is there.
   */
  read(message: { id: number; buffer: SharedArrayBuffer; start: number }): number
  /** Returns the part that was read, and forgets it. */
  take(id: number | undefined): ResultReader | undefined
}

/** Bytes that are read before the clock is looked at, milliseconds after which others have their turn, and the least that is worth it. */
const PIECE = 1024 * 1024
const TURN = 40
const LEAST = 128 * 1024
/** Milliseconds after which nothing more of a result comes. */
const PATIENCE = 10_000

/** One at a time: of several that arrive at once the last one is read. */
export function createArrivals(): Arrivals {
  let current: { id: number; result: ResultReader; read: number } | undefined
  let timer: NodeJS.Timeout | undefined

  return {
    read({ id, buffer, start }) {
      clearTimeout(timer)
      timer = setTimeout(() => {
        current = undefined
      }, PATIENCE).unref()
      if (current?.id !== id) current = { id, result: readAhead(), read: 0 }
      const until = performance.now() + TURN
      for (;;) {
        const to = Math.min(arrivedIn(buffer), current.read + PIECE)
        if (to - current.read < LEAST) break
        current.read = to
        // A result that has to be parsed as a whole is here by then.
        if (!current.result.advance(partOf(buffer, start, to))) return arrivedIn(buffer)
        if (performance.now() > until) break
      }
      return current.read
    },
    take(id) {
      if (id === undefined || current?.id !== id) return undefined
      const { result } = current
      current = undefined
      clearTimeout(timer)
      return result
    },
  }
}

// Changes texts of a large result.

/** The last change that was asked for: the next result is changed in the same way, most often. */
let compiled: { written: string; apply: ChangeText } | undefined

/** `content` is absent where nothing was changed; so it is, with `unreadable`, for what is no result. */
export function change(content: Uint8Array, { rules, where }: TextChange): Changed {
  const written = JSON.stringify(rules)
  if (compiled?.written !== written) compiled = { written, apply: compileChange(rules) }
  const { apply } = compiled
  const decoded = decodeResult(content)
  if (decoded === undefined) return { counts: {}, unreadable: true }
  const counts = new Tally(content.length)
  // `sent`: numbers that JavaScript would change are not looked at here; what is changed is written again.
  const changed = changeTexts(decoded.sent, where, (text, sort, name) => apply(text, counts, sort, name))
  if (changed === decoded.sent) return { counts: {} }
  return { content: encodeResult(changed), counts: Object.fromEntries(counts) }
}
