/** The content of a blob: its text, as far as it can be read within limits of size and time. */
import { isUtf8 } from 'node:buffer'
import { gunzipSync } from 'node:zlib'
import type { JsonValue } from '../../protocol/json.ts'
import { ENOUGH, type Facts, factsOf } from './kinds.ts'
import { readOffice } from './office.ts'
import { readPdf } from './pdf.ts'
import { listZip, Unreadable } from './zip.ts'

/** `text` or `data`: what can be asked about. `unread`: why there is neither, for what should have one. */
export interface Inside {
  readonly facts: Facts
  readonly text?: string
  readonly data?: JsonValue
  readonly unread?: string
}

/** Bytes of a blob that is read, and what those are unpacked to at most. */
export const LARGEST_READ = 64 * 1024 * 1024
const LARGEST_UNPACKED = 64 * 1024 * 1024

/** Never throws on what a server sent. */
export async function lookInside(bytes: Buffer, facts: Facts): Promise<Inside> {
  const read = READERS[facts.type]
  if (read === undefined) return { facts }
  if (bytes.length > LARGEST_READ) return { facts, unread: 'it is larger than what is read' }
  try {
    return await read(bytes, facts)
  } catch (error) {
    return { facts, unread: error instanceof Unreadable ? error.message : 'it is damaged' }
  }
}

/** By media type, as bytes tell it. */
const READERS: Readonly<Record<string, (bytes: Buffer, facts: Facts) => Inside | Promise<Inside>>> = {
  'text/plain': (bytes, facts) =>
    isUtf8(bytes) ? { facts, text: bytes.toString('utf8') } : { facts, unread: 'it is no UTF-8' },
  'application/zip': readZip,
  'application/gzip': readGzip,
  'application/pdf': async (bytes, { type }) => {
    const { pages, text } = await readPdf(bytes)
    const facts = { type, count: pages, counted: 'page' }
    return text === '' ? { facts, unread: 'it has none, as scans have none' } : { facts, text }
  },
}

function readZip(bytes: Buffer, { type }: Facts): Inside {
  const list = listZip(bytes)
  if (list === undefined) return { facts: { type }, unread: 'its list of entries is damaged' }
  const { entries, count } = list
  const archive: Facts = { type, count, counted: 'entry' }
  try {
    const office = readOffice({ entries, bytes, allowance: { left: LARGEST_UNPACKED } })
    if (office !== undefined) {
      const { text, data, ...facts } = office
      return { facts, ...(text !== undefined && { text }), ...(data !== undefined && { data }) }
    }
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    return { facts: archive, unread: error.message }
  }
  const data = entries.map(({ name, size, packed, modified }) => ({ name, size, packed, modified }))
  return { facts: archive, data }
}

function readGzip(bytes: Buffer, facts: Facts): Inside {
  let unpacked: Buffer
  try {
    unpacked = gunzipSync(bytes, { maxOutputLength: LARGEST_UNPACKED })
  } catch (error) {
    const isLarge = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
    throw new Unreadable(isLarge ? 'unpacked it is larger than what is read' : 'it is damaged')
  }
  const isText =
    factsOf(unpacked.subarray(0, ENOUGH), unpacked.length)?.type === 'text/plain' && isUtf8(unpacked)
  return isText ? { facts, text: unpacked.toString('utf8') } : { facts }
}
