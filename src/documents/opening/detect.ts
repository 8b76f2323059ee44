/** The format of a text: the first format that takes it. */
import type { JsonValue } from '../../protocol/json.ts'
import type { Format, Traits } from '../document.ts'
import { FORMATS } from '../formats/index.ts'

/** A text's format and how to read it as data. */
export interface Recognised {
  /** The text that a reader would see: without the control sequences of a terminal. */
  text: string
  traits: Traits
  /** The name of the format in previews. */
  format: Format
  /** Undefined for prose. Called once at most, unless the format is `renewed`. */
  json?: () => JsonValue | undefined
  /** The records for a first look. */
  glimpse?: () => JsonValue[] | undefined
  asides: readonly string[]
}

/** Recognises a text by its beginning and, for JSON, by parsing it. Linear in its length. */
export function recognise(written: string): Recognised {
  const text = withoutCodes(written)
  for (const format of FORMATS) {
    const evidence = format.detect(text)
    if (evidence === undefined) continue
    const asides = [...(format.asides?.(text, evidence) ?? [])]
    if (text.length < written.length - 1) asides.push('codes for colours, left out here')
    const recognised = { text, traits: format, format: format.family, asides }
    if (format.family === 'text') return recognised
    const glimpse = format.glimpse && (() => format.glimpse?.(text, evidence))
    return { ...recognised, json: () => format.read(text, evidence), ...(glimpse && { glimpse }) }
  }
  throw new Error('the last format takes any text')
}

const [ESCAPE, BELL] = ['\u001b', '\u0007']
// CSI and OSC sequences and the short ones (ECMA-48). An OSC ends before the next escape: linear on any text.
const SEQUENCE = new RegExp(
  `${ESCAPE}(?:\\[[0-?]*[ -/]*[@-~]|\\][^${BELL}${ESCAPE}]*(?:${BELL}|${ESCAPE}\\\\)?|[()][0-9A-Za-z]|[@-Z\\\\^_])`,
  'g',
)

/** The text without them; the same string without any. Lines stay lines; a CR alone becomes LF. */
function withoutCodes(text: string): string {
  const written = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
  const start = written.includes('\r') && !written.includes('\n') ? written.replaceAll('\r', '\n') : written
  return start.includes(ESCAPE) ? start.replace(SEQUENCE, '') : start
}
