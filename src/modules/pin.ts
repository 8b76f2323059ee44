/**
 * Remembers what each tool said of itself. One that says something else later, or speaks to the model behind the user, is held back until
 * somebody approves it on the command line.
 */
import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import { pinOptions } from '../config/modules/pin.ts'
import { type Pins, pinFileIn, readPins, writePins } from '../config/pin-file.ts'
import { RPC, RpcError } from '../protocol/errors.ts'
import { isObject, type JsonObject, type JsonValue } from '../protocol/json.ts'
import { originOf } from '../protocol/origin.ts'
import { defineModule } from './module.ts'
import { withhold } from './withhold.ts'

/** Characters of a definition that are shown to whoever decides. */
const EXCERPT = 300

export const pin = defineModule({
  name: 'pin',
  options: pinOptions,
  messages: ['tools/list', 'tools/call'],
  create({ onChange, onNew, suspicious }, { dataDir, logger }) {
    const file = pinFileIn(dataDir)
    let pins: Pins = readPins(file)
    let read = changedAt(file)
    /** Definitions come from lists that are kept: the same object is asked about again and again. */
    const hashes = new WeakMap<JsonObject, string>()

    /** Somebody may have approved something. */
    function current(): Pins {
      const now = changedAt(file)
      if (now === read) return pins
      read = now
      pins = readPins(file)
      return pins
    }

    function keep(): void {
      writePins(file, pins)
      read = changedAt(file)
    }

    function isHeld(item: JsonObject): boolean {
      const origin = originOf(item)
      if (origin === undefined) return false
      const key = `${origin.server}/${origin.name}`
      const hash = hashes.get(item) ?? hashOf(item)
      hashes.set(item, hash)
      const { pinned, held } = current()
      const before = Object.hasOwn(pinned, key) ? pinned[key] : undefined
      if (before === hash) return false
      if (Object.hasOwn(held, key) && held[key]?.hash === hash) return true
      const reason = reasonOf(item, before)
      if (reason === undefined) {
        pins.pinned[key] = hash
        keep()
        return false
      }
      if (reason === CHANGED && onChange === 'warn') {
        logger.warn({ tool: key }, 'the definition of a tool changed')
        pins.pinned[key] = hash
        keep()
        return false
      }
      pins.held[key] = { hash, reason, excerpt: definitionOf(item).slice(0, EXCERPT) }
      keep()
      logger.warn(
        { tool: key, reason },
        `a tool is held back; approve it with: mcp-rlm-proxy pins approve ${key}`,
      )
      return true
    }

    function reasonOf(item: JsonObject, before: string | undefined): string | undefined {
      const found = suspicious ? suspicion(item) : undefined
      if (found !== undefined) return found
      if (before !== undefined) return CHANGED
      return onNew === 'hold' ? 'is new' : undefined
    }

    return {
      wrap: withhold({
        concerns: (kind) => kind === 'tools',
        listed: (item, kind) => kind === 'tools' && isHeld(item),
        unlisted: () => false,
        refusal: (item, name) => {
          const origin = item && originOf(item)
          const key = origin ? `${origin.server}/${origin.name}` : name
          const reason = current().held[key]?.reason ?? 'is not approved'
          return new RpcError(
            RPC.invalidParams,
            `The tool ${name} is held back: it ${reason}. Who runs the proxy can approve it: mcp-rlm-proxy pins approve ${key}`,
          )
        },
      }),
      health: () => {
        const count = Object.keys(current().held).length
        return {
          state: 'ok',
          message: count === 0 ? '' : `${count} held back: ${Object.keys(pins.held).slice(0, 10).join(', ')}`,
        }
      },
    }
  },
})

const CHANGED = 'changed since it was accepted'

/** All that a tool says of itself, whatever it is called here. */
function definitionOf({ name: _, ...rest }: JsonObject): string {
  return canonical(rest)
}

function hashOf(item: JsonObject): string {
  return createHash('sha256').update(definitionOf(item)).digest('hex')
}

/** JSON with sorted keys: servers write the same definition in another order. */
function canonical(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value)
  const keys = Object.keys(value).sort()
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key] as JsonValue)}`).join(',')}}`
}

/** What no description needs: characters that nobody sees, and orders to the model about the user or other tools. */
const SUSPICIONS: readonly [reason: string, regex: RegExp][] = [
  [
    'has characters that nobody sees',
    /[\u{e0000}-\u{e007f}\u202a-\u202e\u2066-\u2069]|[\u200b\u200c\u2060]{3}/u,
  ],
  [
    'tells the model to ignore its instructions',
    /\b(?:ignore|disregard|forget)\b.{0,40}\b(?:previous|prior|above|other|all|your)\b.{0,40}\b(?:instruction|prompt|rule|message)s?\b/is,
  ],
  [
    'tells the model to conceal something',
    /\b(?:do not|don['’]t|never|without)\b.{0,30}\b(?:tell|mention|inform|reveal|telling|mentioning|informing|notifying)\b.{0,40}\b(?:user|human|anyone|this)\b/is,
  ],
  ['gives orders in the name of the system', /<\s*\/?\s*(?:important|system|secret|instructions?)\s*>/i],
  [
    'asks for keys or files of the user',
    /\b(?:read|send|include|pass|provide|attach)\b.{0,60}(?:~\/\.ssh|id_rsa|\.env\b|\.aws\/credentials|mcp\.json|api[_ -]?keys?\b)/is,
  ],
]

function suspicion(item: JsonObject): string | undefined {
  // Escapes of JSON would hide what is looked for.
  const text = textsIn(item).join('\n').slice(0, 200_000)
  return SUSPICIONS.find(([, regex]) => regex.test(text))?.[0]
}

function textsIn(value: JsonValue): string[] {
  if (typeof value === 'string') return [value]
  if (Array.isArray(value)) return value.flatMap(textsIn)
  return isObject(value) ? Object.values(value).flatMap(textsIn) : []
}

/** Undefined: it is not there. */
function changedAt(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs
}
