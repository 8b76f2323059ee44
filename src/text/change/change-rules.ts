/** Changes of text, as data: they cross the border to a worker. */
import type { SensitiveKind } from './scan.ts'

/** One change. `name`: what it is counted as. */
export type TextRule =
  /** RE2; `with` may hold `$1`, `$<name>`, `$&` and `$$`. */
  | { kind: 'pattern'; name: string; pattern: string; with: string; ignoreCase: boolean }
  | { kind: 'text'; name: string; text: string; with: string; ignoreCase: boolean }
  | { kind: 'before' | 'after'; name: string; text: string }
  | SensitiveRule

/** `{kind}` in `replacement` is filled in. */
export interface SensitiveRule {
  kind: 'sensitive'
  kinds: readonly SensitiveKind[]
  /** RE2 by the name it is counted as. */
  patterns: Readonly<Record<string, string>>
  /** Bits a character; 0: never. */
  entropy: number
  replacement: string
  /** Texts that are left alone. */
  allow: readonly string[]
}

/** A change, and its place in a result. */
export interface TextChange {
  rules: readonly TextRule[]
  /**
   * `texts`: what a model reads: text blocks, texts of resources and prompts, and all strings of `structuredContent`. `strings`:
   * everything in the message but what only the server understands, such as cursors.
   */
  where: 'texts' | 'strings'
}

/** `prose`: something to be read by itself. `data`: a value among others. `identifier`: what others go by, such as a URI. */
export type TextSort = 'prose' | 'data' | 'identifier'

/** Characters that the changes of one message may add to it. A rule that multiplies what it finds must not fill the memory. */
const MOST_ADDED = 1024 * 1024

/** How often each change was made in a message, by its name. */
export class Tally extends Map<string, number> {
  #left: number

  /** `size` of the message, in characters or bytes: a large one may grow by as much again. */
  constructor(size = 0) {
    super()
    this.#left = MOST_ADDED + size
  }

  add(name: string, times: number): void {
    if (times > 0) this.set(name, (this.get(name) ?? 0) + times)
  }

  /** Adds `characters` to the length. Throws RangeError when the message has become too long. */
  grow(characters: number): void {
    this.#left -= characters
    if (this.#left < 0) throw new RangeError('the changes would make the message many times as long')
  }
}

/**
 * The text as it is then; the same string where nothing had to be changed. `sort`: `prose` where it is not said. `name`: what data has
 * the text beside. Throws RangeError as `Tally`.
 */
export type ChangeText = (text: string, counts: Tally, sort?: TextSort, name?: string) => string
