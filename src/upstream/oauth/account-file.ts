/**
 * Where an account lies between runs: a file of its own (0600) in a folder of its own (0700), written in one piece. Several
 * proxies may share it; who is about to use up a refresh token holds the lock.
 */
import { createHash, randomUUID } from 'node:crypto'
import { mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { hasCode, messageOf } from '../../protocol/errors.ts'
import type { Logger } from '../../telemetry/log.ts'
import type { Later } from '../backoff.ts'
import { type Account, accountFromJson, accountToJson } from './account.ts'

/** A lock older than this was left behind: no renewal takes that long. */
const STALE_MS = 60_000
const RETRY_MS = 100

export interface AccountFileOptions {
  /** Undefined: nothing is kept. */
  path: string | undefined
  logger: Logger
  later: Later
}

/** The file for what `about` describes; equal descriptions share one. */
export function accountPath(dataDir: string, about: Readonly<Record<string, string | undefined>>): string {
  const entries = Object.entries(about).sort(([a], [b]) => (a < b ? -1 : 1))
  const digest = createHash('sha256').update(JSON.stringify(entries)).digest('hex').slice(0, 32)
  return join(dataDir, 'oauth', `${digest}.json`)
}

export class AccountFile {
  readonly #options: AccountFileOptions

  constructor(options: AccountFileOptions) {
    this.#options = options
  }

  /** Undefined where there is none, or none that can be read; the latter is told. */
  async read(): Promise<Account | undefined> {
    const { path, logger } = this.#options
    if (path === undefined) return undefined
    try {
      return accountFromJson(await readFile(path, 'utf8'))
    } catch (error) {
      if (!hasCode(error, 'ENOENT')) {
        // The parser's message would quote the file.
        const reason = error instanceof SyntaxError ? 'it is damaged' : messageOf(error)
        logger.warn({ file: path, reason }, 'a kept sign-in cannot be read and is ignored')
      }
      return undefined
    }
  }

  /** Atomic: a reader sees the old file or the new one. A failure is told; the account then lasts as long as the proxy. */
  async write(account: Account): Promise<void> {
    const { path, logger } = this.#options
    if (path === undefined) return
    const temporary = `${path}.${randomUUID()}`
    try {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      await writeFile(temporary, accountToJson(account), { mode: 0o600, flag: 'wx' })
      await rename(temporary, path)
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => {})
      logger.warn({ file: path, reason: messageOf(error) }, 'a sign-in could not be kept')
    }
  }

  async remove(): Promise<void> {
    if (this.#options.path !== undefined) await rm(this.#options.path, { force: true })
  }

  /** Runs `work` while no other proxy does the like. Where no lock can be had, it runs all the same. */
  async locked<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const { path } = this.#options
    if (path === undefined) return await work()
    const lock = `${path}.lock`
    const held = await this.#acquire(lock, signal)
    try {
      return await work()
    } finally {
      if (held) await rm(lock, { force: true }).catch(() => {})
    }
  }

  async #acquire(lock: string, signal: AbortSignal): Promise<boolean> {
    for (;;) {
      try {
        await mkdir(dirname(lock), { recursive: true, mode: 0o700 })
        await (await open(lock, 'wx', 0o600)).close()
        return true
      } catch (error) {
        if (!hasCode(error, 'EEXIST')) return false
      }
      // By the clock of the file system alone, so that neither clocks apart nor a sleep matter much.
      const age = await stat(lock).then(
        ({ mtimeMs }) => Date.now() - mtimeMs,
        () => 0,
      )
      if (age > STALE_MS) await rm(lock, { force: true }).catch(() => {})
      else await this.#pause(signal)
    }
  }

  #pause(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = this.#options.later(RETRY_MS, () => {
        signal.removeEventListener('abort', leave)
        resolve()
      })
      const leave = (): void => {
        stop()
        reject(signal.reason)
      }
      if (signal.aborted) leave()
      else signal.addEventListener('abort', leave, { once: true })
    })
  }
}
