/**
 * Remembers what each tool said of itself. One that says something else later, or speaks to the model behind the user, is held back until
 * somebody approves it on the command line.
 */

import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import { type Accepted, type Pins, pinFileIn, readPins, updatePins } from '../../data/pins.ts'
import { defineModule } from '../../module-runtime/module.ts'
import type { Logger } from '../../observe/log.ts'
import type { Destination } from '../../protocol/effects.ts'
import { messageOf, RPC, RpcError } from '../../protocol/errors.ts'
import type { ShowList } from '../../protocol/exchange.ts'
import { isObject, type JsonObject, type JsonValue } from '../../protocol/json.ts'
import { originOf } from '../../protocol/origin.ts'
import type { SharedMap } from '../../protocol/shared-map.ts'
import { suspicionOf } from '../../text/suspicion.ts'
import { pinOptions } from './options.ts'
import { sharePins } from './shared.ts'

export const pin = defineModule({
  name: 'pin',
  options: pinOptions,
  messages: ['tools/list', 'tools/call'],
  async create(options, { dataDir, logger, listsChanged: changed, shared }) {
    const book = openPinBook({ ...options, file: pinFileIn(dataDir), logger, changed, shared })
    await book.settling()

    const list: ShowList = ({ items }) => {
      const tools = items.map(toolOf)
      const reasons = book.judge(tools.filter((tool) => tool !== undefined))
      let at = 0
      const left = items.filter((_, index) => tools[index] === undefined || reasons[at++] === undefined)
      return left.length === items.length ? items : left
    }

    /** The current definition of its server decides, whatever the client was listed. */
    async function admit({ server, name, definition }: Destination, asked: string): Promise<void> {
      const said = await definition?.()
      if (said === undefined) throw new RpcError(RPC.invalidParams, `Unknown tool: ${asked.slice(0, 200)}.`)
      const key = `${server}/${name}`
      let [reason] = book.judge([{ key, said }])
      const settling = book.settling()
      if (settling !== undefined) {
        await settling
        reason = book.judge([{ key, said }])[0]
      }
      if (reason === undefined) return
      throw new RpcError(
        RPC.invalidParams,
        `The tool ${asked.slice(0, 200)} is held back: it ${reason}. The person who runs the proxy can approve it: ${commandFor(key)}`,
      )
    }

    return {
      list,
      wrap: (next) => (exchange) =>
        next({
          ...exchange,
          async admit(destination) {
            await admit(destination, String(exchange.params.name))
            await exchange.admit?.(destination)
          },
        }),
      health() {
        const names = book.held()
        const broken = book.broken()
        if (broken !== '') return { state: 'failed', message: broken }
        const more = names.length > 10 ? ', …' : ''
        const message = `${names.length} held back: ${names.slice(0, 10).join(', ')}${more}`
        return { state: 'ok', message: names.length === 0 ? '' : message }
      },
      async close() {
        book.close()
      },
    }
  },
})

/** Undefined for the proxy's own. Changes of modules further in are theirs, and nothing that a server changed. */
function toolOf(item: JsonObject): PinnedTool | undefined {
  const origin = originOf(item)
  return origin && { key: `${origin.server}/${origin.name}`, said: origin.said ?? item }
}

// The accepted definitions of tools, by the file that proxies and the command line share, and the tools to hold back.

/** A tool by its server's name for it. */
interface PinnedTool {
  /** `server/name`. */
  readonly key: string
  /** All that its server says of it. */
  readonly said: JsonObject
}

interface PinBook {
  /** Why each of them is held back, as the end of a sentence; undefined for tools that are not. They are remembered from then on. */
  judge(tools: readonly PinnedTool[]): (string | undefined)[]
  /** The held back tools. */
  held(): readonly string[]
  /** Resolves once other replicas accept the same as this one, or soon where they cannot be asked. Undefined: they do, or there are none. */
  settling(): Promise<unknown> | undefined
  /** The fault of the file, empty when it has none. */
  broken(): string
  close(): void
}

interface PinBookOptions {
  file: string
  onChange: 'hold' | 'warn'
  onNew: 'accept' | 'hold'
  suspicious: boolean
  logger: Logger
  /** Something was approved elsewhere, or is held back there. */
  changed(): void
  /** The definitions that replicas accept together. Absent: this one accepts by itself. */
  shared: SharedMap | undefined
}

/** Characters of a definition that are kept for comparison. Longer ones are known by their hash. */
const MOST_KEPT = 32_768
/** Milliseconds between looks at the file while something is held back: somebody may have approved it. */
const LOOK_MS = 1000
/** Warnings that are told once. */
const MOST_TOLD = 10_000

const CHANGED = 'changed since it was accepted'
const UNREMEMBERED = 'could not be compared with what was accepted'

/** Throws ProxyError STORE_FAILED when there is a file that cannot be read. */
function openPinBook(options: PinBookOptions): PinBook {
  const { file, onChange, onNew, suspicious, logger, changed, shared } = options
  // Replicas that accept every change would change each other's minds for ever while their servers differ.
  const isSharing = shared !== undefined && onChange === 'hold'
  const sharing = isSharing ? sharePins({ map: shared, file, logger, adopted: () => look(true) }) : undefined
  let pins: Pins = readPins(file)
  let stamp = stampOf(file)
  /** The current fault of the file. */
  let broken = ''
  /** Definitions come from lists that are kept: the same object is asked about again and again. */
  const known = new WeakMap<JsonObject, Definition>()
  const told = new Set<string>()
  let looking: NodeJS.Timeout | undefined

  function take(read: Pins): void {
    pins = read
    stamp = stampOf(file)
    broken = ''
    sharing?.saw(read)
    const isHolding = Object.keys(read.held).length > 0
    if (isHolding) looking ??= setInterval(() => look(), LOOK_MS).unref()
    else {
      clearInterval(looking)
      looking = undefined
    }
  }

  /** Somebody may have approved something, or another proxy have seen something. `isOther`: something else is accepted. */
  function look(isOther = false): void {
    const found = stampOf(file)
    if (found === stamp) return
    const before = heldIn(pins)
    try {
      take(readPins(file))
    } catch (error) {
      // Definitions that were accepted before stay accepted, and nothing is added to them.
      stamp = found
      broken = messageOf(error)
      logger.error({ error: broken }, 'the pins cannot be read; those of before count')
    }
    if (isOther || heldIn(pins) !== before) changed()
  }

  function definitionOf(said: JsonObject): Definition {
    const before = known.get(said)
    if (before) return before
    const made = defined(said)
    known.set(said, made)
    return made
  }

  /** The verdict of these pins on a tool; `remember` puts it there. */
  function judge({ key, said }: PinnedTool, by: Pins): Verdict {
    const { hash, definition } = definitionOf(said)
    if (hash === undefined) return { reason: 'is nested too deeply to be checked' }
    const before = Object.hasOwn(by.pinned, key) ? by.pinned[key] : undefined
    const held = Object.hasOwn(by.held, key) ? by.held[key] : undefined
    const accepted: Accepted = { hash, ...(definition.length <= MOST_KEPT && { definition }) }
    const accept = (into: Pins): void => {
      const { approved } = before?.hash === hash ? before : {}
      into.pinned[key] = { ...accepted, ...(approved !== undefined && { approved }) }
      delete into.held[key]
    }
    if (before?.hash === hash) {
      // It is again what it was: there is nothing left to decide.
      if (held) return { remember: (into) => void delete into.held[key] }
      // An older release kept no definition.
      if (before.definition !== undefined || accepted.definition === undefined) return {}
      return { remember: accept }
    }
    if (held?.hash === hash) return { reason: held.reason }
    const reason =
      (suspicious ? suspicionOf(said) : undefined) ??
      (before ? CHANGED : onNew === 'hold' ? 'is new' : undefined)
    if (reason === undefined) return { remember: accept }
    if (reason === CHANGED && onChange === 'warn') {
      tell(key, hash, 'the definition of a tool changed')
      return { remember: accept }
    }
    tell(key, hash, `a tool is held back; approve it with: ${commandFor(key)}`, reason)
    const hold = (into: Pins): void => {
      into.held[key] = { ...accepted, reason }
    }
    return { reason, remember: hold }
  }

  function tell(tool: string, hash: string, message: string, reason?: string): void {
    if (told.has(`${hash} ${tool}`)) return
    if (told.size >= MOST_TOLD) told.clear()
    told.add(`${hash} ${tool}`)
    logger.warn({ tool, ...(reason !== undefined && { reason }) }, message)
  }

  function judgeAll(tools: readonly PinnedTool[]): (string | undefined)[] {
    look()
    const verdicts = tools.map((tool) => judge(tool, pins))
    if (verdicts.every(({ remember }) => remember === undefined)) return verdicts.map(({ reason }) => reason)
    try {
      return remembered(tools)
    } catch (error) {
      logger.error({ error: messageOf(error) }, 'the pins could not be written')
      // A definition that cannot be remembered is not accepted either, or it could say something else next time.
      return verdicts.map(({ reason, remember }) => reason ?? (remember && UNREMEMBERED))
    }
  }

  function remembered(tools: readonly PinnedTool[]): (string | undefined)[] {
    let reasons: (string | undefined)[] = []
    take(
      updatePins(file, (into) => {
        // Another proxy may have written meanwhile: what stands there decides.
        let isChanged = false
        reasons = tools.map((tool) => {
          const { reason, remember } = judge(tool, into)
          remember?.(into)
          isChanged ||= remember !== undefined
          return reason
        })
        return isChanged
      }),
    )
    return reasons
  }

  take(pins)
  return {
    judge: judgeAll,
    held() {
      look()
      return Object.keys(pins.held)
    },
    broken: () => broken,
    settling: () => sharing?.settling(),
    close() {
      clearInterval(looking)
      sharing?.close()
    },
  }
}

interface Verdict {
  /** Why it is held back. */
  reason?: string
  remember?(into: Pins): void
}

interface Definition {
  /** Undefined: it cannot be told. */
  hash: string | undefined
  definition: string
}

function heldIn({ held }: Pins): string {
  return JSON.stringify(Object.entries(held).map(([key, { hash }]) => [key, hash]))
}

/** All that a tool says of itself, whatever it is called. */
function defined({ name: _, ...rest }: JsonObject): Definition {
  try {
    const definition = canonical(rest)
    return { hash: createHash('sha256').update(definition).digest('hex'), definition }
  } catch (error) {
    if (error instanceof RangeError) return { hash: undefined, definition: '' }
    throw error
  }
}

/** JSON with sorted keys: servers write the same definition in another order. Throws RangeError when it is nested too deeply. */
function canonical(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value)
  const keys = Object.keys(value).sort()
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key] as JsonValue)}`).join(',')}}`
}

/** To be copied into a shell, whatever the server calls its tool. */
function commandFor(key: string): string {
  const word = /^[\w./:@+-]+$/.test(key) ? key : `'${key.slice(0, 200).replaceAll("'", `'\\''`)}'`
  return `mcp-rlm-proxy pins approve ${word}`
}

/** Another one whenever the file is another one, also within one tick of its clock. Undefined: it is not there. */
function stampOf(file: string): string | undefined {
  const stat = statSync(file, { throwIfNoEntry: false })
  return stat && `${stat.mtimeMs} ${stat.ino} ${stat.size}`
}
