/** SQL around a condition: `select … from … where`, and the clauses after it. */
import { scan } from '../scanner.ts'

/** The condition of a statement. `note` hears of clauses that belong to other parameters. */
export function fromSql(text: string, note: (text: string) => void): string {
  const [, inner = text] =
    /^(?:select\b[^=<>]*?\bfrom\s+\S+\s+(?:as\s+\w+\s+|\w+\s+)??)?where\s+(.+)$/is.exec(text) ?? []
  const tokens = scan(inner)
  const at = tokens.findIndex(({ kind, text: word, depth, apart }, place) => {
    if (place === 0 || kind !== 'word' || depth > 0 || !apart) return false
    const next = tokens[place + 1]?.text ?? ''
    return /^(?:order|group)$/i.test(word)
      ? /^by$/i.test(next) && tokens[place + 2]?.kind === 'word'
      : /^limit$/i.test(word) && /^\d/.test(next)
  })
  if (at < 0) return inner.trim()
  const from = tokens[at]?.from ?? 0
  // Within a quote that is not closed it is a part of a text.
  if (isOpen(inner.slice(0, from))) return inner
  note(
    `\`${inner.slice(from, from + 60)}\` was left out of \`where\`: use \`sort\`, \`group_by\` or \`limit\`.`,
  )
  return inner.slice(0, from).trim()
}

/** True where a quote is not closed. */
function isOpen(text: string): boolean {
  return text.split('"').length % 2 === 0 || text.split(/(?<!\w)'|'(?!\w)/).length % 2 === 0
}
