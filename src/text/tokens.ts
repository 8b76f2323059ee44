/** How many tokens a text costs a model, by OpenAI's o200k encoding. */
import { type BytePairs, loadO200k } from './byte-pairs.ts'

/** Up to this length the count is exact (windows cut at white space change it by a token now and then). */
const EXACT = 65_536
/** The characters that are counted in one go. */
const WINDOW = 4096
/** Many short windows: what differs from part to part, such as folders in a list of paths, is then met more evenly. */
const SAMPLE = 1024
const SAMPLES = 40

/** A text of which parts are made as they are asked for, by their UTF-16 code units. */
export interface LongText {
  readonly length: number
  slice(from: number, to: number): string
}

let encoding: BytePairs | undefined

/**
 * Tokens of `text`. The count is exact up to 64 KB. Above that, 40 windows of 1 KB, spread evenly, are counted and scaled (error at most
 * 3 % on real data).
 */
export function countTokens(text: string | LongText): number {
  if (text.length === 0) return 0
  encoding ??= loadO200k()
  return text.length <= EXACT ? countAll(text.slice(0, text.length), encoding) : countSampled(text, encoding)
}

function countAll(text: string, encoding: BytePairs): number {
  let tokens = 0
  for (let from = 0; from < text.length; ) {
    const to = windowEnd(text, from, WINDOW)
    tokens += encoding.count(text.slice(from, to))
    from = to
  }
  return tokens
}

function countSampled(text: LongText, encoding: BytePairs): number {
  let tokens = 0
  let characters = 0
  const stride = (text.length - SAMPLE) / (SAMPLES - 1)
  for (let sample = 0; sample < SAMPLES; sample++) {
    const start = Math.max(0, Math.round(sample * stride) - 1)
    // With a character more on either side, by which a pair is known that must not be parted.
    const around = text.slice(start, start + SAMPLE + 2)
    const from = windowStart(around, Math.round(sample * stride) - start)
    const to = windowEnd(around, from, SAMPLE)
    tokens += encoding.count(around.slice(from, to))
    characters += to - from
  }
  return Math.round((tokens * text.length) / characters)
}

/** The end of a window from `from`: before the last white space, where the encoding would split as well. */
function windowEnd(text: string, from: number, size: number): number {
  const limit = from + size
  if (limit >= text.length) return text.length
  for (let at = limit; at > from + size / 2; at--) if (isSplit(text, at)) return at
  return wholeCharacter(text, limit)
}

/** The begin of a sample at or behind `from`: before white space, so that it does not begin within a word. */
function windowStart(text: string, from: number): number {
  for (let at = from; at < from + SAMPLE / 4; at++) if (at > 0 && isSplit(text, at)) return at
  return wholeCharacter(text, from)
}

function isSplit(text: string, at: number): boolean {
  return isSpace(text.charCodeAt(at)) && !isSpace(text.charCodeAt(at - 1))
}

function isSpace(code: number): boolean {
  return code === 32 || code === 10 || code === 9 || code === 13
}

/** Moves `at` off the second half of a surrogate pair. */
function wholeCharacter(text: string, at: number): number {
  const code = text.charCodeAt(at)
  return code >= 0xdc00 && code <= 0xdfff && at > 0 ? at - 1 : at
}
