/** Handles: the only key to a kept result that a model ever holds. */
import { randomUUID } from 'node:crypto'
import type { Handle } from './store.ts'

const HANDLE = /^[0-9a-f]{12}$/

/** True for what may be a handle. Everything that becomes a file name has passed this. */
export function isHandle(value: string): value is Handle {
  return HANDLE.test(value)
}

/** A new handle: the first 48 bits of a random UUID (RFC 9562 version 4), which are random all of them. */
export function newHandle(): Handle {
  return randomUUID().replaceAll('-', '').slice(0, 12)
}
