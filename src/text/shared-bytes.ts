/** The UTF-8 bytes of a text where every thread reads them without a copy. */
export function sharedBytes(text: string): Uint8Array<SharedArrayBuffer> {
  const bytes = new Uint8Array(new SharedArrayBuffer(Buffer.byteLength(text)))
  Buffer.from(bytes.buffer).write(text)
  return bytes
}
