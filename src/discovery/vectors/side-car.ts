/**
 * The file of vectors beside the table of tools: a header, the numbers, the vectors, a digest of all that. Little-endian:
 * `MCPV`, version, numbers a vector, vectors (4 bytes each); a double for each number; a float for each part; SHA-256.
 */
import { webcrypto } from 'node:crypto'
import type { VectorMatrix } from './matrix.ts'
import type { IdentifiedVector } from './vector-index.ts'

const MAGIC = 0x5650434d
const VERSION = 1
const HEADER = 16
const DIGEST = 32
/** Floats are copied as they lie in memory; all machines that Node runs on but a few are little-endian. */
const LITTLE = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1

/** The bytes of the file. */
export async function encodeVectors({ ids, dimension, values }: VectorMatrix): Promise<Uint8Array> {
  const body = HEADER + ids.length * 8 + values.length * 4
  const bytes = new Uint8Array(body + DIGEST)
  const view = new DataView(bytes.buffer)
  for (const [index, value] of [MAGIC, VERSION, dimension, ids.length].entries())
    view.setUint32(index * 4, value, true)
  for (const [index, id] of ids.entries()) view.setFloat64(HEADER + index * 8, id, true)
  const start = HEADER + ids.length * 8
  if (LITTLE) new Float32Array(bytes.buffer, start, values.length).set(values)
  else for (const [index, value] of values.entries()) view.setFloat32(start + index * 4, value, true)
  // Off the event loop, unlike createHash.
  bytes.set(new Uint8Array(await webcrypto.subtle.digest('SHA-256', bytes.subarray(0, body))), body)
  return bytes
}

/** Throws what is wrong with the bytes. */
export async function decodeVectors(file: Uint8Array): Promise<IdentifiedVector[]> {
  // A copy that begins where floats may begin.
  const bytes = new Uint8Array(file)
  const view = new DataView(bytes.buffer)
  if (bytes.length < HEADER + DIGEST || view.getUint32(0, true) !== MAGIC)
    throw new TypeError('no file of vectors')
  if (view.getUint32(4, true) !== VERSION) throw new TypeError('a file of vectors of another version')
  const dimension = view.getUint32(8, true)
  const count = view.getUint32(12, true)
  const body = HEADER + count * 8 + count * dimension * 4
  if (body + DIGEST !== bytes.length) throw new TypeError('the file of vectors is not complete')
  const digest = new Uint8Array(await webcrypto.subtle.digest('SHA-256', bytes.subarray(0, body)))
  if (!digest.every((byte, index) => byte === bytes[body + index]))
    throw new TypeError('the file of vectors is damaged')
  return Array.from({ length: count }, (_, index) => ({
    id: view.getFloat64(HEADER + index * 8, true),
    vector: floats(view, HEADER + count * 8 + index * dimension * 4, dimension),
  }))
}

function floats(view: DataView<ArrayBuffer>, at: number, count: number): Float32Array {
  if (LITTLE) return new Float32Array(view.buffer, at, count)
  return Float32Array.from({ length: count }, (_, index) => view.getFloat32(at + index * 4, true))
}
