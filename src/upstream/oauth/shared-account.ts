/**
 * An account that replicas share: who signs in at one of them is signed in at each, and one of them renews a token for all. Each keeps a
 * copy in a file of its own, which counts while the store is away.
 */
import type { Logger } from '../../observe/log.ts'
import { messageOf, ProxyError } from '../../protocol/errors.ts'
import { isObject } from '../../protocol/json.ts'
import type { SharedMap } from '../../protocol/shared-map.ts'
import { type Account, type AccountPlace, accountFromJson, accountToJson, SIGNED_OUT } from './account.ts'

interface SharedAccountOptions {
  /** The copy of this replica. */
  file: AccountPlace
  map: SharedMap
  /** The name of the account in the map. */
  id: string
  logger: Logger
  /** Milliseconds since the epoch. Clocks of replicas may differ by less than the half of a token's life. */
  now(): number
}

/** The record in the store: an account, when somebody signed out of it, or neither. */
interface Shared {
  readonly account?: Account
  /** Milliseconds since the epoch. */
  readonly signedOutAt?: number
}

export class SharedAccount implements AccountPlace {
  readonly #options: SharedAccountOptions

  constructor(options: SharedAccountOptions) {
    this.#options = options
  }

  /** The newer one of the store's and our own, which also takes the place of the other. */
  async read(): Promise<Account | typeof SIGNED_OUT | undefined> {
    const { file } = this.#options
    const [mine, there] = await Promise.all([file.read(), this.#look()])
    if (there === undefined || mine === SIGNED_OUT) return mine
    const { account, signedOutAt } = there
    const since = account?.tokens?.obtainedAt ?? signedOutAt
    if (mine !== undefined && (since === undefined || timeOf(mine) > since)) {
      await this.#share(mine)
      return mine
    }
    if (account === undefined && mine !== undefined) await file.remove()
    if (account === undefined) return signedOutAt === undefined ? undefined : SIGNED_OUT
    if (account.tokens?.access !== mine?.tokens?.access) await file.write(account)
    return account
  }

  async write(account: Account): Promise<void> {
    await this.#options.file.write(account)
    await this.#share(account)
  }

  /** Rejects with ProxyError where the other replicas cannot be told: they would stay signed in. */
  async remove(): Promise<void> {
    const { file, map, id, now } = this.#options
    await file.remove()
    try {
      await map.set(id, JSON.stringify({ signedOutAt: now() }))
    } catch (error) {
      throw new ProxyError(
        'STORE_FAILED',
        `Signed out here alone, as other replicas could not be told: ${messageOf(error)}`,
        'Sign out again once the shared store can be reached.',
        { cause: error },
      )
    }
  }

  async locked<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const { file, map, id } = this.#options
    const letGo = await map.hold(id, signal).catch(() => undefined)
    try {
      signal.throwIfAborted()
      return await file.locked(work, signal)
    } finally {
      await letGo?.()
    }
  }

  watch(heard: () => void): () => void {
    const { map, id } = this.#options
    return map.watch((key) => (key === undefined || key === id) && heard())
  }

  /** Undefined: the store cannot be asked. */
  async #look(): Promise<Shared | undefined> {
    const { map, id, logger } = this.#options
    try {
      const text = await map.get(id)
      if (text === undefined) return {}
      const value: unknown = JSON.parse(text)
      if (isObject(value) && typeof value.signedOutAt === 'number') return { signedOutAt: value.signedOutAt }
      return { account: accountFromJson(text) }
    } catch (error) {
      // The parser's message would quote what lies there.
      const reason = error instanceof ProxyError ? error.message : 'it is damaged'
      logger.debug({ reason }, 'the sign-in of this replica alone counts')
      return undefined
    }
  }

  async #share(account: Account): Promise<void> {
    const { map, id, logger } = this.#options
    await map.set(id, accountToJson(account)).catch((error: unknown) => {
      logger.warn({ reason: messageOf(error) }, 'a sign-in is not shared with other replicas for now')
    })
  }
}

function timeOf({ tokens }: Account): number {
  return tokens?.obtainedAt ?? Number.NEGATIVE_INFINITY
}
