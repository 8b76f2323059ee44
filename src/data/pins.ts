/** The remembered definitions of tools, and those to be looked at by a person. */

import { closeSync, mkdirSync, openSync, readFileSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { hasCode, messageOf, ProxyError } from '../protocol/errors.ts'
import { isObject, type JsonObject, type JsonValue, own } from '../protocol/json.ts'
import { writeDurably } from './private-files.ts'

/** A definition as it was accepted. */
export interface Accepted {
  hash: string
  /** All that it said, as JSON with sorted keys. Absent: too long to be kept, or accepted by an older release. */
  definition?: string
  /** Milliseconds since 1970 when a person accepted it in the place of another one. Absent: it was the first that was seen. */
  approved?: number
}

/** One that is held back. */
export interface Held extends Accepted {
  /** Why, for the person who decides: "changed since it was accepted". */
  reason: string
}

/** By `server/name`. */
export interface Pins {
  pinned: Record<string, Accepted>
  held: Record<string, Held>
}

const NAME = 'pins.json'
const VERSION = 2

export function pinFileIn(folder: string): string {
  return join(folder, NAME)
}

/** Empty where there is none. Throws ProxyError STORE_FAILED for a file that cannot be read: nothing in it counts as accepted. */
export function readPins(file: string): Pins {
  try {
    return pinsOf(JSON.parse(readFileSync(file, 'utf8')))
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return { pinned: {}, held: {} }
    throw new ProxyError(
      'STORE_FAILED',
      `The pins in ${file} cannot be read: ${messageOf(error)}`,
      'Restore the file from a copy. Or delete it: then every tool is taken for one that was never seen.',
    )
  }
}

function pinsOf(value: unknown): Pins {
  const { version, pinned, held }: JsonObject = isObject(value) ? value : {}
  if (version !== undefined && version !== VERSION) throw new SyntaxError('it is of another version')
  if (!isObject(pinned) || !isObject(held)) throw new SyntaxError('it is no list of pins')
  return { pinned: recordOf(pinned, acceptedOf), held: recordOf(held, heldOf) }
}

function recordOf<T>(from: JsonObject, read: (value: JsonValue) => T | undefined): Record<string, T> {
  return Object.fromEntries(
    Object.entries(from).map(([key, value]) => {
      const entry = read(value)
      if (entry === undefined)
        throw new SyntaxError(`the entry of ${JSON.stringify(key.slice(0, 200))} is none`)
      return [key, entry]
    }),
  )
}

/** An older release kept the hash alone. */
function acceptedOf(value: JsonValue): Accepted | undefined {
  if (typeof value === 'string') return { hash: value }
  if (!isObject(value) || typeof value.hash !== 'string') return undefined
  const { hash, definition, approved } = value
  return {
    hash,
    ...(typeof definition === 'string' && { definition }),
    ...(typeof approved === 'number' && { approved }),
  }
}

function heldOf(value: JsonValue): Held | undefined {
  const accepted = acceptedOf(value)
  const reason = isObject(value) ? own(value, 'reason') : undefined
  return accepted && { ...accepted, reason: typeof reason === 'string' ? reason : 'is not approved' }
}

/**
 * Changes the pins while no other process does: several proxies may share a file. `change` gets what stands there now and says
 * whether it changed anything. Returns what stands there after it. Throws as `readPins` does, and when nothing can be written.
 */
export function updatePins(file: string, change: (pins: Pins) => boolean): Pins {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  return locked(`${file}.lock`, () => {
    const pins = readPins(file)
    if (change(pins)) writeDurably(file, `${JSON.stringify({ version: VERSION, ...pins }, null, 1)}\n`)
    return pins
  })
}

/** The accepted tools, by `server/name`, or with the beginning of the hash that was looked at: `server/name@1a2b3c4d`. */
export interface Approval {
  approved: string[]
  /** Held back by another definition than the one that was looked at. */
  changed: string[]
}

/** Accepts those of `names` that are held back, or all. `now`: milliseconds since 1970. */
export function approve(file: string, names: readonly string[] | 'all', now = Date.now()): Approval {
  const approval: Approval = { approved: [], changed: [] }
  updatePins(file, (pins) => {
    const wanted = names === 'all' ? Object.keys(pins.held) : names
    for (const name of new Set(wanted)) {
      const [key, seen] = Object.hasOwn(pins.held, name) ? [name] : withHash(name)
      const held = Object.hasOwn(pins.held, key) ? pins.held[key] : undefined
      if (held === undefined) continue
      if (seen !== undefined && !held.hash.startsWith(seen)) {
        approval.changed.push(name)
        continue
      }
      const { reason: _, ...accepted } = held
      pins.pinned[key] = { ...accepted, approved: now }
      delete pins.held[key]
      approval.approved.push(name)
    }
    return approval.approved.length > 0
  })
  return approval
}

function withHash(name: string): [key: string, hash?: string] {
  const [, key, hash] = /^(.+)@([0-9a-f]{4,64})$/s.exec(name) ?? []
  return key === undefined || hash === undefined ? [name] : [key, hash]
}

/** Milliseconds after which a lock is taken for one of a process that is no more. Writing takes a few. */
const STALE_MS = 5000
const PAUSE_MS = 5

function locked<T>(lock: string, work: () => T): T {
  for (;;) {
    try {
      closeSync(openSync(lock, 'wx', 0o600))
      break
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error
      const since = statSync(lock, { throwIfNoEntry: false })?.mtimeMs
      if (since !== undefined && Math.abs(Date.now() - since) > STALE_MS) rmSync(lock, { force: true })
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS)
    }
  }
  try {
    return work()
  } finally {
    rmSync(lock, { force: true })
  }
}
