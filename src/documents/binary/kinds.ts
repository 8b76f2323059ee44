/** The kind of bytes, by how they begin: a row of the table for each kind, with the facts of its header. */
import { isUtf8 } from 'node:buffer'
import { formatCount, formatPlural } from '../../text/format.ts'

/** The facts of a blob. */
export interface Facts {
  /** The media type, as its bytes tell. */
  readonly type: string
  /** Of pictures. */
  readonly width?: number
  readonly height?: number
  /** Of sound. */
  readonly seconds?: number
  /** Of documents: pages, slides or sheets, and of archives their entries. */
  readonly count?: number
  readonly counted?: string
}

interface Kind {
  readonly type: string
  /** Bytes at the beginning, or at `at`. */
  readonly begins: string
  readonly at?: number
  /** Others that have to follow, and where. */
  readonly also?: readonly [at: number, bytes: string]
  readonly measure?: (bytes: Buffer) => Omit<Facts, 'type'> | undefined
}

/** Bytes as one character each. The first row that fits wins. */
const KINDS: readonly Kind[] = [
  {
    type: 'image/png',
    begins: '\x89PNG\r\n\x1a\n',
    measure: (b) => size(b.readUInt32BE(16), b.readUInt32BE(20)),
  },
  { type: 'image/jpeg', begins: '\xff\xd8\xff', measure: jpegSize },
  { type: 'image/gif', begins: 'GIF8', measure: (b) => size(b.readUInt16LE(6), b.readUInt16LE(8)) },
  { type: 'image/webp', begins: 'RIFF', also: [8, 'WEBP'], measure: webpSize },
  {
    type: 'image/bmp',
    begins: 'BM',
    also: [6, '\0\0\0\0'],
    measure: (b) => size(b.readUInt32LE(18), Math.abs(b.readInt32LE(22))),
  },
  { type: 'image/tiff', begins: 'II*\0' },
  { type: 'image/tiff', begins: 'MM\0*' },
  { type: 'image/avif', begins: 'ftypavif', at: 4 },
  { type: 'image/heic', begins: 'ftyphei', at: 4 },
  { type: 'application/pdf', begins: '%PDF-' },
  { type: 'application/zip', begins: 'PK\x03\x04' },
  { type: 'application/zip', begins: 'PK\x05\x06' },
  { type: 'application/gzip', begins: '\x1f\x8b\x08' },
  { type: 'application/x-7z-compressed', begins: "7z\xbc\xaf'\x1c" },
  { type: 'application/vnd.sqlite3', begins: 'SQLite format 3\0' },
  { type: 'application/wasm', begins: '\0asm' },
  { type: 'audio/wav', begins: 'RIFF', also: [8, 'WAVE'], measure: wavLength },
  { type: 'audio/mpeg', begins: 'ID3' },
  { type: 'audio/mpeg', begins: '\xff\xfb', measure: mp3Length },
  { type: 'audio/mpeg', begins: '\xff\xf3', measure: mp3Length },
  { type: 'audio/ogg', begins: 'OggS' },
  { type: 'audio/flac', begins: 'fLaC' },
  { type: 'audio/mp4', begins: 'ftypM4A', at: 4 },
  { type: 'video/mp4', begins: 'ftyp', at: 4 },
  { type: 'video/webm', begins: '\x1aE\xdf\xa3' },
]

/** Bytes of a blob that are enough to tell what it is. */
export const ENOUGH = 64 * 1024

/** Undefined: its bytes do not tell. `length`: of the whole, of which `head` is the beginning. */
export function factsOf(head: Buffer, length: number): Facts | undefined {
  const kind = KINDS.find((one) => fits(one, head))
  if (kind === undefined) return isPlainText(head, length) ? { type: 'text/plain' } : undefined
  try {
    const more = kind.measure?.(withLength(head, length))
    return { type: kind.type, ...more }
  } catch {
    // A header that is cut off.
    return { type: kind.type }
  }
}

function fits({ begins, at = 0, also }: Kind, head: Buffer): boolean {
  const has = (from: number, bytes: string): boolean =>
    head.toString('latin1', from, from + bytes.length) === bytes
  return has(at, begins) && (also === undefined || has(...also))
}

function isPlainText(head: Buffer, length: number): boolean {
  if (head.length === 0) return false
  // A character may be cut in two at the end.
  const whole = head.length < length ? head.subarray(0, lastStart(head)) : head
  return isUtf8(whole) && !whole.some(isControl)
}

/** Control characters that no text has: line breaks, tabs and the colours of terminals are others. */
function isControl(byte: number): boolean {
  return byte < 9 || (byte > 13 && byte < 32 && byte !== 27)
}

function lastStart(bytes: Buffer): number {
  let at = bytes.length - 1
  while (at > bytes.length - 4 && ((bytes[at] ?? 0) & 0xc0) === 0x80) at--
  return at
}

/** `1,200 × 800`, `12 pages`, `3 min 20 s`; nothing for what is not known. */
export function measures({ width, height, seconds, count, counted }: Facts): string[] {
  return [
    ...(width !== undefined && height !== undefined
      ? [`${formatCount(width)} × ${formatCount(height)}`]
      : []),
    ...(seconds === undefined ? [] : [duration(seconds)]),
    ...(count === undefined || counted === undefined ? [] : [formatPlural(count, counted)]),
  ]
}

function duration(seconds: number): string {
  const whole = Math.round(seconds)
  if (whole < 60) return `${seconds < 10 ? Number(seconds.toFixed(1)) : whole} s`
  const minutes = Math.floor(whole / 60)
  if (minutes < 60) return `${minutes} min ${whole % 60} s`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

// The facts of headers.

/** The length of the whole, for kinds that need it. */
const lengths = new WeakMap<Buffer, number>()

function withLength(head: Buffer, length: number): Buffer {
  lengths.set(head, length)
  return head
}

function size(width: number, height: number): Pick<Facts, 'width' | 'height'> | undefined {
  return width > 0 && height > 0 ? { width, height } : undefined
}

/** The frame comes after any number of other segments. */
function jpegSize(bytes: Buffer): Pick<Facts, 'width' | 'height'> | undefined {
  let at = 2
  while (at + 9 < bytes.length) {
    if (bytes[at] !== 0xff) return undefined
    const marker = bytes[at + 1] ?? 0
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return size(bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5))
    at += 2 + bytes.readUInt16BE(at + 2)
  }
  return undefined
}

function webpSize(bytes: Buffer): Pick<Facts, 'width' | 'height'> | undefined {
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return size(bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff)
    case 'VP8L': {
      const packed = bytes.readUInt32LE(21)
      return size((packed & 0x3fff) + 1, ((packed >>> 14) & 0x3fff) + 1)
    }
    case 'VP8X':
      return size(bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1)
    default:
      return undefined
  }
}

function wavLength(bytes: Buffer): Pick<Facts, 'seconds'> | undefined {
  let rate = 0
  for (let at = 12; at + 8 <= bytes.length; ) {
    const name = bytes.toString('latin1', at, at + 4)
    const length = bytes.readUInt32LE(at + 4)
    if (name === 'fmt ') rate = bytes.readUInt32LE(at + 16)
    if (name === 'data') {
      const there = Math.min(length, (lengths.get(bytes) ?? bytes.length) - at - 8)
      return rate > 0 ? { seconds: there / rate } : undefined
    }
    at += 8 + length + (length % 2)
  }
  return undefined
}

const MP3_RATES = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]

/** By the rate of its first frame: an estimate where the rate changes. Layer III of MPEG 1. */
function mp3Length(bytes: Buffer): Pick<Facts, 'seconds'> | undefined {
  const isFirstVersion = ((bytes[1] ?? 0) & 0x18) === 0x18
  const rate = MP3_RATES[(bytes[2] ?? 0) >> 4] ?? 0
  if (!isFirstVersion || rate === 0) return undefined
  return { seconds: (lengths.get(bytes) ?? bytes.length) / (rate * 125) }
}
