/** Undoes the compression of a response, also of one that nobody asked for (RFC 9110, 8.4). */

import type { Transform } from 'node:stream'
import { constants, createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib'
import type { BodyReader } from './body.ts'

/** Lets the rest of the response wait, or go on. */
export interface Brake {
  pause(): void
  resume(): void
}

const SYNC = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH }
const BROTLI = { flush: constants.BROTLI_OPERATION_FLUSH, finishFlush: constants.BROTLI_OPERATION_FLUSH }

/** The decoder a content-encoding needs: `none`, or undefined for one that is not known. */
export function encodingOf(header: string): 'gzip' | 'deflate' | 'br' | 'none' | undefined {
  const coding = header.trim().toLowerCase()
  if (coding === '' || coding === 'identity') return 'none'
  if (coding === 'gzip' || coding === 'x-gzip') return 'gzip'
  return coding === 'deflate' || coding === 'br' ? coding : undefined
}

/** Stands in front of a reader. */
export class Decoder implements BodyReader {
  readonly #encoding: 'gzip' | 'deflate' | 'br'
  readonly #to: BodyReader
  readonly #brake: Brake
  readonly #failed: (error: Error) => void
  #stream: Transform | undefined

  constructor(
    encoding: 'gzip' | 'deflate' | 'br',
    to: BodyReader,
    brake: Brake,
    failed: (error: Error) => void,
  ) {
    this.#encoding = encoding
    this.#to = to
    this.#brake = brake
    this.#failed = failed
  }

  data(chunk: Buffer): void {
    this.#stream ??= this.#start(chunk)
    if (this.#stream.write(chunk)) return
    this.#brake.pause()
    this.#stream.once('drain', () => this.#brake.resume())
  }

  end(): void {
    if (this.#stream) this.#stream.end()
    else this.#to.end()
  }

  /** Nothing comes out any more. */
  stop(): void {
    this.#stream?.destroy()
  }

  #start(first: Buffer): Transform {
    const stream = this.#create(first)
    stream.on('data', (chunk: Buffer) => this.#to.data(chunk))
    stream.once('end', () => this.#to.end())
    stream.once('error', this.#failed)
    return stream
  }

  #create(first: Buffer): Transform {
    if (this.#encoding === 'gzip') return createGunzip(SYNC)
    if (this.#encoding === 'br') return createBrotliDecompress(BROTLI)
    // Some servers mean zlib's format by "deflate", as they should, and some the bare one.
    return ((first[0] ?? 0) & 0x0f) === 0x08 ? createInflate(SYNC) : createInflateRaw(SYNC)
  }
}
