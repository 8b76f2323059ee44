/** Heads of log lines behind their time that were read before. Most lines of a log begin with one of a few. */
import type { JsonObject } from '../../protocol/json.ts'

/** The fields of a head, and how it is written. */
interface Head {
  readonly written: string
  readonly fields: JsonObject
}

/** Blanks and words of ASCII letters, digits and points, and the dash that may end a head: ` INFO app.cache - `. */
const PLAIN = /^(?: [A-Za-z\d.]{1,80}){2,6} (?:- )?$/
/** Places where heads are kept, by a hash of their characters. A head takes the place of another. */
const PLACES = 512
const LONGEST = 256
const BLANK = 32

export class KnownHeads {
  readonly #heads = new Array<Head | undefined>(PLACES).fill(undefined)
  /** How many blanks the head has that was kept last. */
  #blanks = 0
  #length = 0
  #place = 0

  /** The head that stands at `from`. */
  at(line: string, from: number): Head | undefined {
    if (!this.#measure(line, from, this.#blanks)) return undefined
    const head = this.#heads[this.#place]
    return head?.written.length === this.#length && line.startsWith(head.written, from) ? head : undefined
  }

  /**
   * Keeps a head of plain words with a level and a logger, before a letter. A word that begins with a letter is no part of a head that
   * has both. So no line that goes on with this head and a letter is read in another way.
   */
  keep(line: string, from: number, end: number, { time: _, ...fields }: JsonObject): void {
    if (fields.level === undefined || fields.logger === undefined || !isLetter(line.charCodeAt(end))) return
    const written = end - from > LONGEST ? '' : line.slice(from, end)
    if (!PLAIN.test(written)) return
    const blanks = written.split(' ').length - 1
    if (!this.#measure(line, from, blanks)) return
    this.#blanks = blanks
    this.#heads[this.#place] = { written, fields }
  }

  /** Finds the length and the place of what goes up to so many blanks with a letter behind them. */
  #measure(line: string, from: number, blanks: number): boolean {
    let hash = 0
    let left = blanks
    let at = from
    while (left > 0) {
      const code = line.charCodeAt(at++)
      if (code === BLANK) left -= 1
      // Of no character, which is NaN.
      else if (!(code > BLANK)) return false
      hash = (Math.imul(hash, 31) + code) | 0
    }
    this.#length = at - from
    this.#place = (hash ^ (hash >>> 15)) & (PLACES - 1)
    return blanks > 0 && isLetter(line.charCodeAt(at))
  }
}

function isLetter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90)
}
