/** Lines of a text by position, so that a 60 MB text is never cut into a million strings. */

export interface LineIndex {
  readonly count: number
  /** Offset of the first character of line `index` (0-based). */
  start(index: number): number
  /** Offset after its last character, without `\n` or `\r\n`. */
  end(index: number): number
  at(index: number): string
  /** The line that holds the character at `offset`. */
  lineAt(offset: number): number
}
