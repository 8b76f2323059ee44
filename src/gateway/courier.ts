/** Carries requests from replica to replica through the store: what is sent lies there, sealed, and a word says that it does. */
import { randomUUID } from 'node:crypto'
import type { Config } from '../config/schema.ts'
import type { Logger } from '../observe/log.ts'
import { LargeResult, type Result } from '../protocol/content.ts'
import { messageOf, RpcError } from '../protocol/errors.ts'
import type { Request, Signal } from '../protocol/message.ts'
import type { ModernService, Requester } from '../server/backend.ts'
import { toRpcError } from '../server/errors.ts'
import type { Courier } from '../server/parked.ts'
import type { SharedValues } from '../store/valkey/values.ts'
import { sharedBytes } from '../text/shared-bytes.ts'

/** The words by which one replica tells another of a request. `taken` is said again every second. `left`: the client did. */
type Word = 'asked' | 'taken' | 'done' | 'large' | 'failed' | 'left'

const KIND = 'carried'
const CHANNEL = 'carried'
/** Milliseconds for which a request or a result lies in the store. */
const LIFE_MS = 60_000
const TAKEN_EVERY_MS = 1_000
/** Milliseconds without a word after which a replica is taken for one that has ended. */
const SILENCE_MS = 5_000

interface Sent {
  readonly request: Request
  readonly requester: Pick<Requester, 'agent' | 'profile' | 'id'>
}

/** Undefined without a key for sessions, or without a shared store. */
export async function openCourier(
  { sessions: { key } }: Config['settings'],
  shared: SharedValues | undefined,
  logger: Logger,
): Promise<Courier | undefined> {
  if (key === undefined || shared === undefined) return undefined
  const values = shared
  const { createTextSeal } = await import('../store/valkey/maps.ts')
  const seal = createTextSeal([key].flat())
  const self = randomUUID()
  const waiting = new Map<string, (word: Word) => void>()
  const running = new Map<string, AbortController>()
  let serve: ModernService['serve'] | undefined

  const tell = (to: string, id: string, word: Word): Promise<void> =>
    values.tell(CHANNEL, [to, self, id, word])

  async function put(id: string, field: string, text: string): Promise<void> {
    await values.put(KIND, id, field, await seal.close(text, `${id} ${field}`), LIFE_MS)
  }

  /** Undefined: it is not there, or was not sealed by a replica. */
  async function get(id: string, field: string): Promise<string | undefined> {
    const closed = await values.get(KIND, id, field)
    return closed === undefined ? undefined : seal.open(closed, `${id} ${field}`)
  }

  async function answer(from: string, id: string): Promise<void> {
    const text = await get(id, 'asked')
    if (text === undefined || serve === undefined) return
    const { request, requester } = JSON.parse(text) as Sent
    const leaving = new AbortController()
    running.set(id, leaving)
    const still = setInterval(() => void tell(from, id, 'taken').catch(() => {}), TAKEN_EVERY_MS)
    try {
      await tell(from, id, 'taken')
      const result = await serve(request, { ...requester, signal: leaving.signal, notify() {} })
      const isLarge = result instanceof LargeResult
      await put(id, 'answer', isLarge ? Buffer.from(result.bytes).toString() : JSON.stringify(result))
      await tell(from, id, isLarge ? 'large' : 'done')
    } catch (error) {
      const { code, message, data } = toRpcError(error)
      await put(id, 'answer', JSON.stringify({ code, message, data }))
      await tell(from, id, 'failed')
    } finally {
      clearInterval(still)
      running.delete(id)
    }
  }

  function hear([to, from, id, word]: unknown[]): void {
    if (to !== self || typeof from !== 'string' || typeof id !== 'string') return
    if (word === 'left') running.get(id)?.abort(new Error('the client left'))
    else if (word !== 'asked') waiting.get(id)?.(word as Word)
    else answer(from, id).catch((error: unknown) => failed(error))
  }

  const failed = (error: unknown): void =>
    logger.warn({ reason: messageOf(error) }, 'a call could not be carried between replicas')

  /** The last word; undefined: none came for a while, or the client left. */
  function lastWord(id: string, replica: string, signal: Signal): Promise<Word | undefined> {
    return new Promise((resolve) => {
      const end = (word?: Word): void => {
        clearTimeout(timer)
        waiting.delete(id)
        signal.removeEventListener('abort', leave)
        resolve(word)
      }
      const leave = (): void => {
        void tell(replica, id, 'left').catch(() => {})
        end()
      }
      const timer = setTimeout(end, SILENCE_MS)
      waiting.set(id, (word) => (word === 'taken' ? timer.refresh() : end(word)))
      if (signal.aborted) leave()
      else signal.addEventListener('abort', leave, { once: true })
    })
  }

  async function carried(sent: Sent, replica: string, signal: Signal): Promise<[Word, string] | undefined> {
    const id = randomUUID()
    try {
      await put(id, 'asked', JSON.stringify(sent))
      const last = lastWord(id, replica, signal)
      await tell(replica, id, 'asked')
      const word = await last
      const text = word && (await get(id, 'answer'))
      await values.forget(KIND, id)
      return word === undefined || text === undefined ? undefined : [word, text]
    } catch (error) {
      waiting.delete(id)
      failed(error)
      return undefined
    }
  }

  return {
    self,
    async send(replica, request, { agent, profile, id, signal }) {
      const sent = { request, requester: { agent, profile, id } }
      const [word, text = ''] = (await carried(sent, replica, signal)) ?? []
      if (word === undefined) return undefined
      if (word === 'large') return new LargeResult(sharedBytes(text))
      const outcome = JSON.parse(text)
      if (word === 'failed') throw new RpcError(outcome.code, outcome.message, outcome.data)
      return outcome as Result
    },
    receive(serving) {
      serve = serving
      values.listen(CHANNEL, hear, failed)
    },
  }
}
