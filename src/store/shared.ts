/** Bytes from which on a copy to a worker is worth avoiding. */
const SHARED_FROM = 64 * 1024

/** The same bytes, on a SharedArrayBuffer when they are many: then every worker reads them without a copy. */
export function shared(bytes: Uint8Array): Uint8Array {
  if (bytes.byteLength < SHARED_FROM || bytes.buffer instanceof SharedArrayBuffer) return bytes
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.byteLength))
  copy.set(bytes)
  return copy
}
