/** Parts of files that hold results. */
import { decodeUtf8 } from '../documents/utf8.ts'
import { readback } from '../processors/readback.ts'
import { Refusal } from '../processors/refusal.ts'
import { indexLines } from '../text/lines.ts'
import { countTokens } from '../text/tokens.ts'
import type { Readback, ReadbackResult } from './operation.ts'

/** Opened anew for each question: a file may be larger than what is worth holding. */
export function readFile(content: Uint8Array<SharedArrayBuffer>, wanted: Readback): ReadbackResult {
  const text = decodeUtf8(content)
  if (wanted.op === 'stat')
    return { byteSize: content.byteLength, lineCount: indexLines(text).count, tokens: countTokens(text) }
  try {
    return readback(text, wanted, wanted)
  } catch (error) {
    if (error instanceof Refusal) return { error: error.message }
    throw error
  }
}
