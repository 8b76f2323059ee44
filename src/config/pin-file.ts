/** What is remembered of the definitions of tools, and what waits for somebody to look at it. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** A definition that is held back. */
export interface Held {
  hash: string
  /** For the person who decides: why, and the beginning of what it says. */
  reason: string
  excerpt: string
}

/** By `server/name`. */
export interface Pins {
  /** Hashes of the definitions that were accepted. */
  pinned: Record<string, string>
  held: Record<string, Held>
}

const NAME = 'pins.json'

export function pinFileIn(folder: string): string {
  return join(folder, NAME)
}

/** Empty where there is none, or nothing that can be read. */
export function readPins(file: string): Pins {
  try {
    const value = JSON.parse(readFileSync(file, 'utf8')) as Partial<Pins> | null
    return { pinned: { ...value?.pinned }, held: { ...value?.held } }
  } catch {
    return { pinned: {}, held: {} }
  }
}

/** Whole or not at all. */
export function writePins(file: string, pins: Pins): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const temporary = `${file}.${process.pid}.tmp`
  writeFileSync(temporary, `${JSON.stringify(pins, null, 1)}\n`, { mode: 0o600 })
  renameSync(temporary, file)
}

/** The names that were approved: those of `names` that wait, or all that do. */
export function approve(file: string, names: readonly string[] | 'all'): string[] {
  const pins = readPins(file)
  const approved = Object.keys(pins.held).filter((name) => names === 'all' || names.includes(name))
  for (const name of approved) {
    pins.pinned[name] = pins.held[name]?.hash ?? ''
    delete pins.held[name]
  }
  if (approved.length > 0) writePins(file, pins)
  return approved
}
