/** How large a blob may be that stays in a result. */

export interface UnpackLimits {
  /** Bytes of a file, sound, or base64 in a text that stays where it is. */
  maxBlobSize: number
  /** The same of a picture. */
  maxImageSize: number
  /** A larger picture is shown smaller, where it can be scaled, beside its link. */
  shrinksImages?: boolean
}

/** Characters of base64 that are looked for, for these limits. */
export function leastBase64({ maxBlobSize, maxImageSize }: Omit<UnpackLimits, 'shrinksImages'>): number {
  return Math.max(1024, Math.floor((Math.min(maxBlobSize, maxImageSize) * 4) / 3))
}
