/** Large pictures as small as a model looks at them, where the optional package that scales them is installed. */

const PICTURE_PACKAGE = 'sharp'

/** A picture that may be shown in the place of a larger one. */
export interface SmallPicture {
  readonly type: 'image/jpeg' | 'image/webp'
  readonly bytes: Buffer
  readonly width: number
  readonly height: number
}

/** As much of the package as is used. */
interface Scale {
  (bytes: Uint8Array, options: object): Scaling
  cache(on: false): void
  concurrency(threads: number): void
}
interface Scaling {
  metadata(): Promise<{ hasAlpha?: boolean }>
  timeout(limit: { seconds: number }): Scaling
  rotate(): Scaling
  resize(options: object): Scaling
  jpeg(options: object): Scaling
  webp(options: object): Scaling
  toBuffer(options: {
    resolveWithObject: true
  }): Promise<{ data: Buffer; info: { width: number; height: number } }>
}

/** Pixels of the longer side: models of most providers scale what is larger down to about this. */
const LONGEST_SIDE = 1568
/** Pixels and seconds of one picture; the first frame of one that moves. */
const LIMITS = { limitInputPixels: 100_000_000, sequentialRead: true, failOn: 'error' }
const PATIENCE = { seconds: 8 }
const QUALITY = { quality: 85 }

/** Of at most `most` bytes. Undefined: the package is not installed, or the picture cannot be read within limits. Never throws. */
export async function shrink(bytes: Uint8Array, most: number): Promise<SmallPicture | undefined> {
  try {
    const scale = ((await import(PICTURE_PACKAGE)) as { default: Scale }).default
    // Its memory is that of the worker, where other documents are open.
    scale.cache(false)
    scale.concurrency(1)
    const { hasAlpha } = await scale(bytes, LIMITS).metadata()
    const scaled = scale(bytes, LIMITS)
      .timeout(PATIENCE)
      .rotate()
      .resize({ width: LONGEST_SIDE, height: LONGEST_SIDE, fit: 'inside', withoutEnlargement: true })
    const written = hasAlpha ? scaled.webp(QUALITY) : scaled.jpeg(QUALITY)
    const { data, info } = await written.toBuffer({ resolveWithObject: true })
    if (data.length > most) return undefined
    const { width, height } = info
    return { type: hasAlpha ? 'image/webp' : 'image/jpeg', bytes: data, width, height }
  } catch {
    return undefined
  }
}
