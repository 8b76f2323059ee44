/** The first sentence of a description, which says what a tool is for; what follows are conditions and examples. */

/** One line of at most `longest` characters, without characters that control something; what is cut off ends in `…`. */
export function leadOf(description: string, longest: number): string {
  const start = description.trimStart()
  // Enough to see where the sentence ends, whatever the length of the whole.
  const line = (/^[^\r\n]*/.exec(start.slice(0, 4 * longest))?.[0] ?? '').replace(/[\s\p{Cc}]+/gu, ' ')
  const end = /[.!?](?=\s|$)/.exec(line)
  const sentence = (end === null ? line : line.slice(0, end.index + 1)).trim()
  if (sentence.length <= longest) return sentence
  const cut = sentence.slice(0, longest - 1)
  const space = cut.lastIndexOf(' ')
  return `${(space > longest / 2 ? cut.slice(0, space) : cut).replace(/[\uD800-\uDBFF]$/, '')}…`
}
