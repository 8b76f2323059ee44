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

/**
 * Indexes the lines of `text` in one pass: 4 bytes a line. A newline ends a line, so a text that ends in one has
 * no empty line after it; the empty text has none. Lines that do not exist are empty and lie at the end.
 */
export function indexLines(text: string): LineIndex {
  if (text.length < LONG) return newIndex(text)
  if (last?.text !== text) {
    last = { text, index: newIndex(text) }
    setImmediate(forget)
  }
  return last.index
}

/**
 * From this length on, the lines of the text that was indexed last are remembered for the rest of the turn. Each format that
 * looks at the text asks for them.
 */
const LONG = 65_536
let last: { text: string; index: LineIndex } | undefined

function forget(): void {
  last = undefined
}

function newIndex(text: string): LineIndex {
  const starts = lineStarts(text)
  const startOf = (index: number) => starts[index] ?? text.length
  const endOf = (index: number) => {
    if (index < 0 || index >= starts.length) return text.length
    const next = starts[index + 1]
    let end = next ?? text.length
    if (end > startOf(index) && text.charCodeAt(end - 1) === NEWLINE) end -= 1
    if (end > startOf(index) && end < text.length && text.charCodeAt(end - 1) === RETURN) end -= 1
    return end
  }
  return {
    count: starts.length,
    start: startOf,
    end: endOf,
    at: (index) => text.slice(startOf(index), endOf(index)),
    lineAt: (offset) => lastAtMost(starts, offset),
  }
}

const NEWLINE = 10
const RETURN = 13

function lineStarts(text: string): Int32Array {
  let starts = new Int32Array(Math.max(16, text.length >> 6))
  let count = 0
  for (let from = 0; from < text.length; ) {
    if (count === starts.length) {
      const larger = new Int32Array(count * 2)
      larger.set(starts)
      starts = larger
    }
    starts[count++] = from
    const newline = text.indexOf('\n', from)
    if (newline < 0) break
    from = newline + 1
  }
  return starts.slice(0, count)
}

/** Index of the last element at or below `value`; 0 when there is none. */
export function lastAtMost(sorted: Int32Array, value: number): number {
  let low = 0
  let high = sorted.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((sorted[middle] ?? 0) <= value) low = middle
    else high = middle - 1
  }
  return low
}

/** The line at an index, and `instead` of one with more characters. */
export function linesUpTo(longest: number, instead: string): (lines: LineIndex, index: number) => string {
  return (lines, index) => (lines.end(index) - lines.start(index) > longest ? instead : lines.at(index))
}

/** Characters of white space that a line begins with. */
export function indentOf(line: string): number {
  return line.length - line.trimStart().length
}
