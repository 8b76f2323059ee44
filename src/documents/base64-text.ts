/** Text files that are carried as base64, as resources and blobs are. */
import { isUtf8 } from 'node:buffer'

/** Characters that tell that most files are no text, before all of them is decoded. A multiple of four. */
const HEAD = 64

/** What was encoded, where that is text in UTF-8. Undefined: pictures, archives, and what is no base64. */
export function textOfBase64(value: string): string | undefined {
  if (value.length === 0 || !/^[A-Za-z0-9+/_=\s-]{1,64}/.test(value)) return undefined
  if (Buffer.from(value.slice(0, HEAD), 'base64').includes(0)) return undefined
  const bytes = Buffer.from(value, 'base64')
  return isUtf8(bytes) && !bytes.includes(0) ? bytes.toString('utf8') : undefined
}

export function base64Of(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64')
}
