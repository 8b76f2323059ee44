/** Parts of files that hold results, and of results as files would hold them. */
import { readback } from '../processors/readback.ts'
import { Refusal } from '../processors/refusal.ts'
import { countLines, decode } from '../text/byte-text.ts'
import { countTokens } from '../text/tokens.ts'
import { bytesHeld } from './export.ts'
import type { Readback, ReadbackResult } from './operation.ts'

/** `isResult`: `content` is a kept result. Opened anew for each question: a file may be larger than what is worth holding. */
export function readFile(content: Uint8Array, isResult: boolean, wanted: Readback): ReadbackResult {
  const bytes = isResult ? bytesHeld(content) : content
  if (wanted.op === 'stat') {
    const tokens = countTokens(decode(bytes, 0, bytes.length))
    return { byteSize: bytes.byteLength, lineCount: countLines(bytes), tokens }
  }
  try {
    return readback(bytes, wanted, wanted)
  } catch (error) {
    if (error instanceof Refusal) return { error: error.message }
    throw error
  }
}
