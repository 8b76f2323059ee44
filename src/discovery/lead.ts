/** The first sentence of a description, which says what a tool is for; what follows are conditions and examples. */

/** Says nothing by itself: a heading of Markdown, a tag, a line of dashes. */
const heading = /^(?:#{1,6}\s.*|<\/?[\w-]+>|[-=*_]{3,}|\*\*[^*]*\*\*:?)$/

/** A point ends a sentence, but not in `e.g.`, nor in `etc.` where the sentence goes on. */
const sentenceEnd = /(?<!\b(?:[Ee]\.g|[Ii]\.e))(?<!\b(?:etc|vs|incl|approx|cf)(?=\.\s+\p{Ll}))[.!?](?=\s|$)/u

/**
 * One line of at most `longest` characters, without characters that control something; what is cut off ends in `…`. Headings are left out,
 * and a line that breaks within a sentence or announces a list is read on.
 */
export function leadOf(description: string, longest: number): string {
  // Enough to see where the sentence ends, whatever the length of the whole.
  const { text, list } = beginning(description.trimStart().slice(0, 4 * longest))
  const line = text.replace(/[\s\p{Cc}]+/gu, ' ')
  const end = list ? null : sentenceEnd.exec(line)
  const sentence = (end === null ? line : line.slice(0, end.index + 1)).trim()
  if (sentence.length <= longest) return sentence
  const cut = sentence.slice(0, longest - 1)
  const space = cut.lastIndexOf(' ')
  return `${(space > longest / 2 ? cut.slice(0, space) : cut).replace(/[\uD800-\uDBFF]$/, '')}…`
}

/** The lines that the first sentence may stand in; `list`: what they announce is with them. */
function beginning(start: string): { text: string; list: boolean } {
  const lines = start.split(/\r\n?|\n/).map((line) => line.trim())
  const first = lines.findIndex((line) => line !== '' && !heading.test(line))
  let text = lines[Math.max(0, first)] ?? ''
  let list = false
  for (const line of lines.slice(first + 1)) {
    if (text.endsWith(':')) {
      if (line === '') continue
      list = true
    } else if (list ? !/^(?:[-*•]|\d+[.)])\s/.test(line) : !/^[\p{Ll}(]/u.test(line)) break
    text += ` ${line}`
  }
  return { text, list }
}
