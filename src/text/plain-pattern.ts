/**
 * Patterns that V8 provably matches in linear time, several times faster than a linear engine.
 *
 * The proof: without unbounded repetition, the number of ways to match at one position is a product of choices and
 * counts that is known from the pattern alone. It is computed while parsing, and a pattern over the limit is not plain.
 */

/** What V8 shall compile, and what is known about it. */
export interface PlainPattern {
  /** Source for the `u` flag; `.` and classes spelled as RE2 means them. */
  regex: string
  /** True when every match in a line alone is one in the whole text too, so that the text tells which lines to look at. */
  finds: boolean
  /** True when there is one way to match at any place. */
  single: boolean
}

/** Steps at one position, at most. */
const mostSteps = 500

/** Size of a part: `ways` to match at one position, `steps` to try them all. */
interface Part {
  regex: string
  ways: number
  steps: number
  /** May match nothing. Repeating such a part means different things to V8 and RE2. */
  nullable: boolean
}

const empty: Part = { regex: '', ways: 1, steps: 1, nullable: true }

/** Undefined when the pattern is not plain; that says nothing about whether it is valid. */
export function plainPattern(source: string, caseInsensitive: boolean): PlainPattern | undefined {
  // V8 folds U+212A and U+017F into `\w` when case is ignored, RE2 does not.
  if (caseInsensitive && /\\[wWbB]/.test(source)) return undefined
  const reader = new Reader(source)
  const part = reader.alternation(0)
  if (part === undefined || !reader.finished) return undefined
  return { regex: part.regex, finds: !reader.seesEnds, single: part.ways === 1 }
}

class Reader {
  #at = 0
  readonly #source: string
  /** Whether `$` was seen: a line ends before `\r\n`, a text goes on there. */
  seesEnds = false

  constructor(source: string) {
    this.#source = source
  }

  get finished(): boolean {
    return this.#at === this.#source.length
  }

  alternation(depth: number): Part | undefined {
    let whole = this.#sequence(depth)
    while (whole !== undefined && this.#take('|')) {
      const next = this.#sequence(depth)
      whole =
        next &&
        bounded({
          regex: `${whole.regex}|${next.regex}`,
          ways: whole.ways + next.ways,
          steps: whole.steps + next.steps,
          nullable: whole.nullable || next.nullable,
        })
    }
    return whole
  }

  #sequence(depth: number): Part | undefined {
    let whole: Part | undefined = empty
    while (whole !== undefined && !this.finished && !this.#sees('|') && !this.#sees(')')) {
      const next = this.#repeated(depth)
      whole =
        next &&
        bounded({
          regex: whole.regex + next.regex,
          ways: whole.ways * next.ways,
          steps: whole.steps + whole.ways * next.steps,
          nullable: whole.nullable && next.nullable,
        })
    }
    return whole
  }

  #repeated(depth: number): Part | undefined {
    const part = this.#atom(depth)
    const count = /^(?:\?|\{(\d{1,3})(?:,(\d{1,3}))?\})(\??)/.exec(
      this.#source.slice(this.#at, this.#at + 12),
    )
    if (part === undefined) return undefined
    if (count === null) return /[*+?{]/.test(this.#source.charAt(this.#at)) ? undefined : part
    this.#at += count[0].length
    if (part.nullable || /[*+?{]/.test(this.#source.charAt(this.#at))) return undefined
    const least = count[1] === undefined ? 0 : Number(count[1])
    const most = count[1] === undefined ? 1 : Number(count[2] ?? count[1])
    if (most < least) return undefined
    let ways = 0
    let steps = 1
    for (let times = 0; times <= most; times++) {
      if (times >= least) ways += part.ways ** times
      if (times > 0) steps += part.ways ** (times - 1) * part.steps
    }
    return bounded({ regex: part.regex + count[0], ways, steps, nullable: least === 0 })
  }

  #atom(depth: number): Part | undefined {
    const character = String.fromCodePoint(this.#source.codePointAt(this.#at) ?? 0)
    if (character === '(') return this.#group(depth)
    if (character === '[') return this.#class()
    if (character === '\\') return this.#escape()
    if (/[*+?{})\]]/.test(character) || /\p{Cs}/u.test(character)) return undefined
    this.#at += character.length
    if (character === '.') return one('[^\\n]')
    if (character === '^') return nothing('(?<![^\\n])')
    if (character === '$') {
      this.seesEnds = true
      return nothing('(?![^\\n])')
    }
    return one(character)
  }

  #group(depth: number): Part | undefined {
    if (depth >= 20) return undefined
    this.#at += this.#source.startsWith('(?:', this.#at) ? 3 : 1
    if (this.#sees('?')) return undefined
    const inner = this.alternation(depth + 1)
    return inner !== undefined && this.#take(')') ? { ...inner, regex: `(?:${inner.regex})` } : undefined
  }

  /** Single characters and ranges of letters or digits; what is rarer takes the slower way. */
  #class(): Part | undefined {
    const found = /^\[\^?(?:[a-z]-[a-z]|[A-Z]-[A-Z]|\d-\d|\\[dw]|[^\\\]^[&~|\s-]| )+\]/.exec(
      this.#source.slice(this.#at, this.#at + 200),
    )
    if (found === null || /[^\0-\x7f]|[a-zA-Z\d]-\]/.test(found[0])) return undefined
    this.#at += found[0].length
    return valid(found[0]) ? one(found[0]) : undefined
  }

  #escape(): Part | undefined {
    const name = this.#source.charAt(this.#at + 1)
    this.#at += 2
    if (name === 'b') return nothing('\\b')
    if (name === 'd' || name === 'w' || name === 't') return one(`\\${name}`)
    if (name === 's') return one('[\\t\\n\\f\\r ]')
    if (!/[!-/:-@[-`{-~]/.test(name)) return undefined
    return one(/[\^$\\.*+?()[\]{}|/]/.test(name) ? `\\${name}` : name)
  }

  #sees(character: string): boolean {
    return this.#source[this.#at] === character
  }

  #take(character: string): boolean {
    const seen = this.#sees(character)
    if (seen) this.#at++
    return seen
  }
}

const one = (regex: string): Part => ({ regex, ways: 1, steps: 1, nullable: false })

/** A place rather than a character. */
const nothing = (regex: string): Part => ({ ...one(regex), nullable: true })

const bounded = (part: Part): Part | undefined =>
  part.steps <= mostSteps && part.ways <= mostSteps ? part : undefined

/** A class may hold a range that runs backwards. */
function valid(regex: string): boolean {
  try {
    new RegExp(regex, 'u')
    return true
  } catch {
    return false
  }
}
