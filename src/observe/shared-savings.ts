/**
 * Savings of all replicas. Each writes what its run came to on a day, in the place of what it wrote before; who reads adds up. So nothing is
 * counted twice, whatever is lost or written again.
 */
import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import { messageOf } from '../protocol/errors.ts'
import type { SharedMap } from '../protocol/shared-map.ts'
import type { Logger } from './log.ts'
import type { Ledger } from './savings.ts'
import { mergeRows, rowsSchema, type SavingsDay, type SavingsRow } from './savings-report.ts'

export interface SharedSavings {
  /** Days of all other runs, in their order. Undefined: the store cannot be asked. */
  others(): Promise<SavingsDay[] | undefined>
  /** Writes what was not written yet. */
  close(): Promise<void>
}

interface SharedSavingsOptions {
  map: SharedMap
  ledger: Ledger
  logger: Logger
  /** Milliseconds between two writes while there are calls. */
  everyMs?: number
}

const EVERY_MS = 30_000
/** Days that are kept. */
const MAX_DAYS = 400

/** The rows of a day, by run. */
type Runs = Record<string, SavingsRow[]>

const runsSchema = z.record(z.string(), rowsSchema)

export function shareSavings({
  map,
  ledger,
  logger,
  everyMs = EVERY_MS,
}: SharedSavingsOptions): SharedSavings {
  const self = randomUUID()
  /** The written text of each day. */
  const written = new Map<string, string>()
  let writing: Promise<void> = Promise.resolve()

  async function write({ day, tools }: SavingsDay): Promise<void> {
    const rows = JSON.stringify(tools)
    if (written.get(day) === rows) return
    const letGo = await map.hold(day)
    try {
      const before = await map.get(day)
      const runs: Runs = { ...parsed(before), [self]: tools }
      await map.set(day, JSON.stringify(runs))
      written.set(day, rows)
      if (before === undefined) await forgetOld()
    } finally {
      await letGo()
    }
  }

  async function forgetOld(): Promise<void> {
    const days = (await map.entries()).map(([day]) => day).sort()
    for (const day of days.slice(0, -MAX_DAYS)) await map.set(day, undefined)
  }

  function writeAll(): Promise<void> {
    writing = writing.then(async () => {
      try {
        for (const day of (await ledger.report()).days) await write(day)
      } catch (error) {
        // It is in the next writing: a run writes all that it came to.
        logger.debug({ reason: messageOf(error) }, 'the savings of this replica are not shared for now')
      }
    })
    return writing
  }

  const timer = setInterval(() => void writeAll(), everyMs)
  timer.unref()
  return {
    async others() {
      const entries = await map.entries().catch(() => undefined)
      return entries
        ?.map(([day, text]) => {
          const { [self]: _, ...runs } = parsed(text)
          return { day, tools: mergeRows(Object.values(runs).flat()) }
        })
        .sort((a, b) => (a.day < b.day ? -1 : 1))
    },
    close() {
      clearInterval(timer)
      return writeAll()
    },
  }
}

/** A text that cannot be read counts as nothing: a replica of a later release may have written it. */
function parsed(text: string | undefined): Runs {
  if (text === undefined) return {}
  const found = runsSchema.safeParse(JSON.parse(text))
  return found.success ? found.data : {}
}
