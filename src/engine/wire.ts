/**
 * Messages between the proxy and the process of a worker. Long byte arrays do not travel in the message. They follow through a pipe, in
 * pieces, so neither side holds up its event loop with them.
 */
import type { Duplex } from 'node:stream'

/** Shorter ones stay in the message. */
const LONG = 16 * 1024
/** Bytes that are written in one go. */
const PIECE = 256 * 1024
/** Levels of a message in which byte arrays may be: a list of objects in an object in the message. */
const DEPTH = 4

/** Where in a message a byte array belongs, and how long it is. */
type Hole = [place: (string | number)[], bytes: number]

interface Envelope {
  body: unknown
  holes: Hole[]
}

/** One end of the way to the other process. */
export interface Wire {
  /** Sends a message, after those before it. Rejects when the other process is gone. */
  send(body: unknown): Promise<void>
  /** Takes a message of the other process: to be called with every message of its channel. */
  received(message: unknown): void
}

/**
 * `post` hands a message to the channel, `pipe` carries the bytes beside it, `heard` is called with each whole message, in their order.
 */
export function createWire(
  post: (message: unknown) => void,
  pipe: Duplex,
  heard: (body: unknown) => void,
): Wire {
  let sending: Promise<unknown> = Promise.resolve()
  const waiting: Envelope[] = []
  /** Arrays of the first message that waits, and how much of the first of them is there. */
  let arrays: Uint8Array<SharedArrayBuffer>[] | undefined
  let at = 0
  let filled = 0
  const early: Buffer[] = []

  async function send(body: unknown): Promise<void> {
    const holes: Hole[] = []
    const long: Uint8Array[] = []
    const rest = without(body, [], (place, bytes) => {
      holes.push([place, bytes.byteLength])
      long.push(bytes)
    })
    post({ body: rest, holes } satisfies Envelope)
    for (const { buffer, byteOffset, byteLength } of long)
      for (let from = 0; from < byteLength; from += PIECE) {
        const piece = Buffer.from(buffer, byteOffset + from, Math.min(PIECE, byteLength - from))
        if (!pipe.write(piece)) await drained(pipe)
      }
  }

  function take(chunk: Buffer): void {
    let rest = chunk
    while (rest.length > 0) {
      const array = arrays?.[at]
      if (array === undefined) {
        // The message they belong to comes on another way.
        early.push(Buffer.from(rest))
        return
      }
      const part = rest.subarray(0, array.byteLength - filled)
      array.set(part, filled)
      filled += part.length
      rest = rest.subarray(part.length)
      if (filled === array.byteLength) {
        filled = 0
        at++
        settle()
      }
    }
  }

  /** Hands on the messages that are whole. */
  function settle(): void {
    for (;;) {
      const [first] = waiting
      if (first === undefined) return
      arrays ??= first.holes.map(([, bytes]) => new Uint8Array(new SharedArrayBuffer(bytes)))
      if (at < arrays.length) break
      for (const [nth, [place]] of first.holes.entries()) fill(first, place, arrays[nth])
      waiting.shift()
      arrays = undefined
      at = 0
      heard(first.body)
    }
    const before = early.splice(0)
    for (const chunk of before) take(chunk)
  }

  pipe.on('data', take)
  return {
    send(body) {
      const sent = sending.then(() => send(body))
      sending = sent.catch(() => {})
      return sent
    },
    received(message) {
      waiting.push(message as Envelope)
      if (waiting.length === 1) settle()
    },
  }
}

/** Also when the pipe is gone: the exit of the process says so. */
function drained(pipe: Duplex): Promise<void> {
  if (pipe.destroyed) return Promise.reject(new Error('the worker is gone'))
  return new Promise((resolve) => {
    const done = (): void => {
      pipe.off('drain', done)
      pipe.off('close', done)
      resolve()
    }
    pipe.on('drain', done)
    pipe.on('close', done)
  })
}

/** The same without its long byte arrays: copies along the way to them, everything else the same object. */
function without(
  value: unknown,
  place: (string | number)[],
  found: (place: (string | number)[], bytes: Uint8Array) => void,
): unknown {
  if (value instanceof Uint8Array) {
    if (value.byteLength < LONG) return value
    found(place, value)
    return null
  }
  if (typeof value !== 'object' || value === null || place.length >= DEPTH) return value
  if (Array.isArray(value)) {
    const copies = value.map((item, index) => without(item, [...place, index], found))
    return copies.every((copy, index) => copy === value[index]) ? value : copies
  }
  let copy: Record<string, unknown> | undefined
  for (const [key, member] of Object.entries(value)) {
    const other = without(member, [...place, key], found)
    if (other === member) continue
    copy ??= { ...value }
    copy[key] = other
  }
  return copy ?? value
}

function fill(envelope: Envelope, place: readonly (string | number)[], bytes: Uint8Array | undefined): void {
  const path = ['body', ...place]
  const last = path.pop()
  let into: unknown = envelope
  for (const key of path) into = (into as Record<string | number, unknown>)[key]
  ;(into as Record<string | number, unknown>)[last ?? ''] = bytes
}
