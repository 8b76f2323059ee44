/** Pins that replicas share. The file of each replica and the store are brought to the same after each change of either. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Accepted, type Pins, updatePins } from '../../data/pins.ts'
import type { Logger } from '../../observe/log.ts'
import { messageOf } from '../../protocol/errors.ts'
import type { SharedMap } from '../../protocol/shared-map.ts'

interface SharedPins {
  /** Takes the definitions that this replica accepts now; the others are told when it is news. */
  saw(pins: Pins): void
  /** Resolves when the store was asked, at the latest after two seconds. Undefined: it was. */
  settling(): Promise<unknown> | undefined
  close(): void
}

interface SharePinsOptions {
  map: SharedMap
  file: string
  logger: Logger
  /** The file says something else now, as another replica did. */
  adopted(): void
}

/** The accepted definitions, by `server/name`. Definitions are not shared: each replica has what its own servers sent. */
type Shared = Record<string, Pick<Accepted, 'hash' | 'approved'>>

const KEY = 'pinned'
/** Milliseconds that a call waits for other replicas. */
const PATIENCE_MS = 2_000

export function sharePins({ map, file, logger, adopted }: SharePinsOptions): SharedPins {
  /** The text that this replica and the store agreed on last. */
  let agreed = ''
  let running: Promise<void> | undefined
  let isStale = false
  let isTold = false

  async function agree(): Promise<void> {
    const letGo = await map.hold(KEY)
    try {
      const before = await map.get(KEY)
      const there: Shared = before === undefined ? {} : JSON.parse(before)
      let hasAdopted = false
      const { pinned } = updatePins(file, (pins) => {
        hasAdopted = adopt(pins, there)
        return hasAdopted
      })
      agreed = textOf(pinned)
      if (agreed !== before) await map.set(KEY, agreed)
      if (hasAdopted) adopted()
      isTold = false
    } finally {
      await letGo()
    }
  }

  /** Again where something changed meanwhile. Pins that cannot be shared now are shared when the store is back. */
  async function run(): Promise<void> {
    while (isStale) {
      isStale = false
      await agree().catch((error: unknown) => {
        const reason = messageOf(error)
        if (!isTold) logger.warn({ reason }, 'this replica accepts definitions of tools by itself for now')
        isTold = true
      })
    }
  }

  function sync(): void {
    isStale = true
    running ??= run().finally(() => {
      running = undefined
    })
  }

  const stop = map.watch((key) => (key === undefined || key === KEY) && sync())
  sync()
  return {
    saw({ pinned }) {
      if (textOf(pinned) !== agreed) sync()
    },
    settling: () => running && Promise.race([running, sleep(PATIENCE_MS, undefined, { ref: false })]),
    close: stop,
  }
}

/** The same text for the same pins. */
function textOf(pinned: Pins['pinned']): string {
  const shared = Object.entries(pinned)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, { hash, approved }]) => [key, { hash, approved }])
  return JSON.stringify(Object.fromEntries(shared))
}

/**
 * Takes over what counts more than what this replica accepted: the approval that a person gave last, else what a replica saw first. True:
 * there was something.
 */
function adopt({ pinned, held }: Pins, there: Shared): boolean {
  let isOther = false
  for (const [key, { hash, approved }] of Object.entries(there)) {
    const mine = Object.hasOwn(pinned, key) ? pinned[key] : undefined
    const isKnown = mine?.hash === hash
    const [myTime, itsTime] = [mine?.approved ?? 0, approved ?? 0]
    if (mine && (isKnown ? myTime >= itsTime : myTime > itsTime)) continue
    const waiting = Object.hasOwn(held, key) && held[key]?.hash === hash ? held[key] : undefined
    const { definition } = (isKnown ? mine : waiting) ?? {}
    pinned[key] = {
      hash,
      ...(definition !== undefined && { definition }),
      ...(approved !== undefined && { approved }),
    }
    if (waiting) delete held[key]
    isOther = true
  }
  return isOther
}
