/** Functions of JavaScript and Python around a condition: `x => x.a > 5`, `lambda x: x["a"] > 5`. */
import { scan } from '../scanner.ts'

/** The body, without the name of its argument, and with the functions that stand for its operators. */
export function fromLambda(text: string): string {
  const body = withLists(bodyOf(text))
  const given = body === text ? body : body.replaceAll(DEFAULT, 'coalesce($1, $2)')
  return given.replaceAll(COALESCED, 'coalesce($1, $2)').replaceAll(/\btypeof\s+([\w.?]+)/g, 'type($1)')
}

const PATH = String.raw`((?:[\w.?]|\["\w+"\]|\['\w+'\])+)`
const LITERAL = String.raw`(-?\d+(?:\.\d+)?|"[^"]*"|'[^']*')`
/** `(x.size ?? 0)`; in a function `(x.size || 0)` and `(x["size"] or 0)` as well, which join texts and conditions elsewhere. */
const COALESCED = new RegExp(String.raw`\(\s*${PATH}\s*\?\?\s*${LITERAL}\s*\)`, 'g')
const DEFAULT = new RegExp(String.raw`\(\s*${PATH}\s*(?:\|\||\sor\s)\s*${LITERAL}\s*\)`, 'g')

const GENERATED = new RegExp(
  String.raw`\bsum\(\s*\[?(.{1,200}?)\s+for\s+(\w+)\s+in\s+${PATH}\s*\]?\s*\)`,
  'g',
)
const REDUCED = new RegExp(
  String.raw`${PATH}\.reduce\(\(\s*(\w+)\s*,\s*(\w+)\s*\)\s*=>\s*\2\s*\+\s*(.{1,200}?),\s*0\s*\)`,
  'g',
)
const FILTERED = new RegExp(String.raw`${PATH}\.filter\(\(?\s*(\w+)\s*\)?\s*=>\s*(.{1,200}?)\)\.length`, 'g')
const COUNTED = new RegExp(
  String.raw`\blen\(\s*\[\s*(\w+)\s+for\s+\1\s+in\s+${PATH}\s+if\s+(.{1,200}?)\]\s*\)`,
  'g',
)

/** Sums and counts over the elements of a list, as functions of their members: `sum(i["n"] for i in x["items"])` as `sum(items.n)`. */
function withLists(text: string): string {
  if (!/\bfor\b|\.(?:reduce|filter)\(/.test(text)) return text
  const dotted = (path: string): string =>
    path
      .replaceAll(/\[["'](\w+)["']\]/g, '.$1')
      .replaceAll('?.', '.')
      .replace(/^\./, '')
  const among = (expression: string, name: string, by: string): string =>
    dotted(expression.replaceAll(new RegExp(`\\b${name}(?=[.[?])`, 'g'), by))
  return text
    .replaceAll(GENERATED, (_, each, name, list) => `sum(${among(each, name, dotted(list))})`)
    .replaceAll(REDUCED, (_, list, _sum, name, each) => `sum(${among(each, name, dotted(list))})`)
    .replaceAll(
      FILTERED,
      (_, list, name, condition) => `count(${dotted(list)}[?${among(condition, name, '@')}])`,
    )
    .replaceAll(
      COUNTED,
      (_, name, list, condition) => `count(${dotted(list)}[?${among(condition, name, '@')}])`,
    )
}

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
