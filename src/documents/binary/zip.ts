/** ZIP archives: their list of entries, and entries inflated as far as a limit allows. */
import { isUtf8 } from 'node:buffer'
import { inflateRawSync } from 'node:zlib'

/** An entry, as the central directory tells of it: nothing of that is true until it is inflated. */
export interface Entry {
  readonly name: string
  /** Bytes inflated, and in the archive. */
  readonly size: number
  readonly packed: number
  /** `2024-05-01 12:30:00`, local to the packer. */
  readonly modified: string
  readonly isEncrypted: boolean
  /** 0: stored, 8: deflated. */
  readonly method: number
  readonly at: number
}

/** Entries that are listed. */
export const MOST_ENTRIES = 20_000
const END = 0x06054b50
const CENTRAL = 0x02014b50
const LOCAL = 0x04034b50
/** Of the end with the longest comment. */
const LONGEST_END = 22 + 0xffff

/** The first entries, and how many there are. Undefined: no archive, or one in parts. */
export function listZip(bytes: Buffer): { entries: Entry[]; count: number } | undefined {
  const end = endOf(bytes)
  if (end < 0) return undefined
  const count = bytes.readUInt16LE(end + 10)
  let at = bytes.readUInt32LE(end + 16)
  const entries: Entry[] = []
  while (entries.length < Math.min(count, MOST_ENTRIES)) {
    if (at + 46 > end || bytes.readUInt32LE(at) !== CENTRAL) break
    const length = bytes.readUInt16LE(at + 28)
    const name = bytes.subarray(at + 46, at + 46 + length)
    entries.push({
      name: name.toString(isUtf8(name) ? 'utf8' : 'latin1'),
      size: bytes.readUInt32LE(at + 24),
      packed: bytes.readUInt32LE(at + 20),
      modified: timeOf(bytes.readUInt16LE(at + 14), bytes.readUInt16LE(at + 12)),
      isEncrypted: (bytes.readUInt16LE(at + 8) & 1) === 1,
      method: bytes.readUInt16LE(at + 10),
      at: bytes.readUInt32LE(at + 42),
    })
    at += 46 + length + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32)
  }
  return { entries, count: Math.max(count, entries.length) }
}

function endOf(bytes: Buffer): number {
  for (let at = bytes.length - 22; at >= Math.max(0, bytes.length - LONGEST_END); at--)
    if (bytes.readUInt32LE(at) === END) return at
  return -1
}

function timeOf(date: number, time: number): string {
  const two = (value: number): string => String(value).padStart(2, '0')
  const day = `${1980 + (date >> 9)}-${two((date >> 5) & 15)}-${two(date & 31)}`
  return `${day} ${two(time >> 11)}:${two((time >> 5) & 63)}:${two((time & 31) * 2)}`
}

/** An entry that is larger than it may be, or cannot be had. */
export class Unreadable extends Error {}

/** Bytes that the entries of one archive are inflated to, in all. */
export interface Allowance {
  left: number
}

/** The bytes of an entry, which `allowance` is charged with. Throws `Unreadable`. */
export function inflate(bytes: Buffer, entry: Entry, allowance: Allowance): Buffer {
  if (entry.isEncrypted) throw new Unreadable('it is encrypted')
  if (entry.at + 30 > bytes.length || bytes.readUInt32LE(entry.at) !== LOCAL)
    throw new Unreadable('it is damaged')
  const from = entry.at + 30 + bytes.readUInt16LE(entry.at + 26) + bytes.readUInt16LE(entry.at + 28)
  const packed = bytes.subarray(from, from + entry.packed)
  const made = entry.method === 0 ? packed : inflated(packed, entry, allowance.left)
  allowance.left -= made.length
  if (allowance.left < 0) throw new Unreadable(TOO_LARGE)
  return made
}

const TOO_LARGE = 'unpacked it is larger than what is read'

function inflated(packed: Buffer, { method }: Entry, most: number): Buffer {
  if (method !== 8) throw new Unreadable('it is packed in a way that is not read')
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, most) })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new Unreadable(code === 'ERR_BUFFER_TOO_LARGE' ? TOO_LARGE : 'it is damaged')
  }
}
