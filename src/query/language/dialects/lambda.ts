/** Functions of JavaScript and Python around a condition: `x => x.a > 5`, `lambda x: x["a"] > 5`. */
import { scan } from '../scanner.ts'

/** The body, without the name of its argument, and with the functions that stand for its operators. */
export function fromLambda(text: string): string {
  const body = bodyOf(text)
  const given = body === text ? body : body.replaceAll(DEFAULT, 'coalesce($1, $2)')
  return given.replaceAll(COALESCED, 'coalesce($1, $2)').replaceAll(/\btypeof\s+([\w.?]+)/g, 'type($1)')
}

const PATH = String.raw`((?:[\w.?]|\["\w+"\]|\['\w+'\])+)`
const LITERAL = String.raw`(-?\d+(?:\.\d+)?|"[^"]*"|'[^']*')`
/** `(x.size ?? 0)`; in a function `(x.size || 0)` and `(x["size"] or 0)` as well, which join texts and conditions elsewhere. */
const COALESCED = new RegExp(String.raw`\(\s*${PATH}\s*\?\?\s*${LITERAL}\s*\)`, 'g')
const DEFAULT = new RegExp(String.raw`\(\s*${PATH}\s*(?:\|\||\sor\s)\s*${LITERAL}\s*\)`, 'g')

function bodyOf(text: string): string {
  const [, name, body] =
    /^(?:\(\s*(\w+)\s*\)|(?:function\s*\(\s*)?(\w+)\)?)\s*=>\s*(.+)$/s
      .exec(text)
      ?.filter((part) => part !== undefined) ??
    /^lambda\s+(\w+)\s*:\s*(.+)$/s.exec(text) ??
    []
  if (name === undefined || body === undefined || /^["'\d-]/.test(body)) return text
  const returned = /^\{\s*return\s+(.+?);?\s*\}$/s.exec(body)?.[1] ?? body
  return withoutArgument(returned, name)
}

function withoutArgument(body: string, name: string): string {
  const tokens = scan(body)
  let out = ''
  let done = 0
  for (const [at, { kind, text, from, apart }] of tokens.entries()) {
    const [before, next] = [tokens[at - 1], tokens[at + 1]]
    if (kind !== 'word' || text !== name || (!apart && before?.text === '.')) continue
    const isMember = (next?.text === '.' || next?.text === '?.') && tokens[at + 2]?.kind === 'word'
    if (!isMember && next?.text !== '[') continue
    out += body.slice(done, from)
    done = isMember ? next.to : next.from
  }
  return out + body.slice(done)
}
