import type { IncomingMessage } from 'node:http'

/**
 * The body of a request, read once. Undefined when it is longer than `maxBytes`: nothing of it is kept, and the rest is read and
 * thrown away, because a client that is hung up on while it writes may not see the answer. Rejects when the client leaves.
 */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) {
    request.resume()
    return Promise.resolve(undefined)
  }
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = []
    let length = 0
    request.on('data', (chunk: Buffer) => {
      length += chunk.length
      if (length <= maxBytes) return void chunks.push(chunk)
      chunks = []
      resolve(undefined)
    })
    let complete = false
    request.once('end', () => {
      complete = true
      resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, length))
    })
    request.once('error', reject)
    request.once('close', () => {
      // An error is dear to make, and every request closes.
      if (!complete) reject(new Error('the client left before its request was complete'))
    })
  })
}
