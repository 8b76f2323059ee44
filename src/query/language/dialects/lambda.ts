/**
 * Functions of JavaScript and Python around a condition: `x => x.a > 5`, `lambda x: x["a"] > 5`, `[r for r in rows if r["a"] > 5]`, and
 * the brackets of pandas: `df[df.a > 5]`.
 */
import { enclosed, replaced, scan, type Token } from '../scanner.ts'

/** The body, without the name of its argument, and with the functions that stand for its operators. */
export function fromLambda(text: string): string {
  const plain = withMembers(text)
    .replaceAll(TESTED, '($2 ~ $1)')
    .replaceAll(AMONG, '($2 in ($1))')
    .replaceAll(AT, (_, list, value, sign) => `(${/^(?:==|<)/.test(sign) ? 'not ' : ''}${list} has ${value})`)
  const body = withLists(bodyOf(plain))
  const given = body === plain ? body : body.replaceAll(DEFAULT, 'coalesce($1, $2)')
  return given
    .replaceAll(COALESCED, 'coalesce($1, $2)')
    .replaceAll(/\btypeof\s+([\w.?]+)/g, 'type($1)')
    .replaceAll(SEARCHED, '($2 ~ $1)')
    .replaceAll(DATED, '$1')
}

const PATH = String.raw`((?:[\w.?]|\["\w+"\]|\['\w+'\])+)`
const LITERAL = String.raw`(-?\d+(?:\.\d+)?|"[^"]*"|'[^']*')`
/** `(x.size ?? 0)`; in a function `(x.size || 0)` and `(x["size"] or 0)` as well, which join texts and conditions elsewhere. */
const COALESCED = new RegExp(String.raw`\(\s*${PATH}\s*\?\?\s*${LITERAL}\s*\)`, 'g')
const DEFAULT = new RegExp(String.raw`\(\s*${PATH}\s*(?:\|\||\sor\s)\s*${LITERAL}\s*\)`, 'g')

/** `/^a/i.test(x.title)`. */
const TESTED = /(\/(?:[^/\\\n]|\\.)+\/[dgimsuy]*)\.test\(\s*([\w.?[\]"']+)\s*\)/g

/** `["a", "b"].includes(x.state)`. */
const AMONG = /\[((?:\s*(?:"[^"]*"|'[^']*'|-?\d+(?:\.\d+)?)\s*,?){1,50})\]\.includes\(\s*([\w.?[\]"']+)\s*\)/g
/** `x.tags.indexOf("a") >= 0`, `=== -1`. */
const AT =
  /([\w.?[\]"']+)\.indexOf\(\s*("[^"]*"|'[^']*'|-?\d+)\s*\)\s*(>=\s*0|>\s*-1|!==?\s*-1|===?\s*-1|<\s*0)/g
/** `re.search(r"^a", x["title"])`. */
const SEARCHED = new RegExp(
  String.raw`\bre\.(?:search|match)\(\s*r?("[^"]*"|'[^']*')\s*,\s*${PATH}\s*(?:,[^()]*)?\)`,
  'g',
)
/** `new Date(x.created_at)`, also in milliseconds: dates are compared as they are. */
const DATED = new RegExp(String.raw`\bnew\s+Date\(\s*${PATH}\s*\)(?:\.(?:getTime|valueOf)\(\))?`, 'g')

/** `x.get("size", 0)` of a dictionary, also of one within another: `x.get("a", {}).get("b")`. */
const GOTTEN = new RegExp(
  String.raw`${PATH}\.get\(\s*("\w+"|'\w+')\s*(?:,\s*(?:(?:None|\{\}|\[\])|${LITERAL})\s*)?\)`,
)
const MOST_GOTTEN = 20

/** With the members of dictionaries in brackets. */
function withMembers(text: string): string {
  let read = text
  for (let count = 0; count < MOST_GOTTEN; count++) {
    const before = read
    read = before.replace(GOTTEN, (_, path, key, instead) =>
      instead === undefined ? `${path}[${key}]` : `coalesce(${path}[${key}], ${instead})`,
    )
    if (read === before) break
  }
  return read
}

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
export function withLists(text: string): string {
  if (!/\bfor\b|\.(?:reduce|filter)\(/.test(text)) return text
  const dotted = (path: string): string =>
    path
      .replaceAll(/\[["'](\w+)["']\]/g, '.$1')
      .replaceAll('?.', '.')
      .replace(/^\./, '')
  const among = (expression: string, name: string, by: string): string => {
    const tokens = scan(expression)
    const isName = ({ kind, text: word }: Token, at: number): boolean =>
      kind === 'word' && word === name && tokens[at - 1]?.text !== '.'
    return dotted(
      replaced(
        expression,
        tokens.filter(isName).map(({ from, to }) => ({ from, to, by })),
      ),
    )
  }
  return text
    .replaceAll(GENERATED, (_, each, name, list) => `sum(${among(each, name, dotted(list))})`)
    .replaceAll(REDUCED, (_, list, _sum, name, each) => `sum(${among(each, name, dotted(list))})`)
    .replaceAll(
      FILTERED,
      (_, list, name, condition) => `length(${dotted(list)}[?${among(condition, name, '@')}])`,
    )
    .replaceAll(
      COUNTED,
      (_, name, list, condition) => `length(${dotted(list)}[?${among(condition, name, '@')}])`,
    )
}

/** Each with the name of its argument, and its condition. */
const FUNCTIONS: readonly RegExp[] = [
  /^\(?\s*(?<name>\w+)\s*\)?\s*=>\s*(?<body>.+)$/s,
  /^function\s*\(\s*(?<name>\w+)\s*\)\s*(?<body>\{.+)$/s,
  /^lambda\s+(?<name>\w+)\s*:\s*(?<body>.+)$/s,
  /^\[\s*(?<name>\w+)\s+for\s+\k<name>\s+in\s+[\w.]+\s+if\s+(?<body>.+)\]$/s,
  /^(?<name>\w+)\[\s*(?<body>[(~]*\k<name>\b.+(?:[=<>]|\.(?:isin|str|is(?:na|null)|notn\w+)\b).*|~\(*\k<name>\b.+)\]$/s,
]
/** All rows, by the names that they have where there are no others: `data.filter(x => x.a > 5)`. The list of a record has its own name. */
const CHOSEN = /^(?:data|rows|records|results|list|array|arr|json|response|dataset)\.filter(?=\()/

/** `~` is not, and `.str` before a method says nothing. Quoted texts stay. */
const OF_PANDAS = /("[^"]*"|'[^']*')|~(?=[(\w])|\.str(?=\.\w+\()/g
/** `df.query("price > 5")`. */
const QUERIED = /^\w+\.query\(\s*(["'])(.+)\1\s*\)$/s

function bodyOf(text: string): string {
  const [rows] = CHOSEN.exec(text) ?? []
  const whole = (rows && enclosed(text.slice(rows.length))) ?? text
  const queried = QUERIED.exec(text)
  if (queried) return queried[2] ?? text
  for (const pattern of FUNCTIONS) {
    const { name, body } = pattern.exec(whole)?.groups ?? {}
    if (
      name === undefined ||
      body === undefined ||
      /^(?:["'](?![^"']*["']\s+(?:not\s+)?in\s)|[\d-])/.test(body)
    )
      continue
    const isOfPandas = whole.startsWith(`${name}[`)
    if (isOfPandas && enclosed(whole.slice(name.length), '[') === undefined) continue
    const plain = isOfPandas
      ? body.replaceAll(OF_PANDAS, (sign, quoted) => quoted ?? (sign === '~' ? '!' : ''))
      : body
    const returned = /^\{\s*return\s+(.+?);?\s*\}$/s.exec(plain)?.[1] ?? plain
    return withoutArgument(returned, name)
  }
  return text
}

/** Methods of texts. */
const METHODS =
  /^(?:includes|contains|(?:starts|ends)_?with|match|search|lower|upper|to(?:lower|upper)case|trim|strip)$/i

function withoutArgument(body: string, name: string): string {
  const tokens = scan(body)
  const parts = tokens.flatMap(({ kind, text, from, apart }, at) => {
    const [before, next, member, behind] = [-1, 1, 2, 3].map((step) => tokens[at + step])
    if (kind !== 'word' || text !== name || (!apart && before?.text === '.')) return []
    if ((next?.text === '.' || next?.text === '?.') && member?.kind === 'word') {
      // A method is that of the element itself, which is a text.
      const isMethod = behind?.text === '(' && METHODS.test(member.text)
      return [{ from, to: next.to, by: isMethod ? '_value.' : '' }]
    }
    if (next?.text !== '[') return []
    const isKey = member?.kind === 'text' && /^\w+$/.test(member.value) && behind?.text === ']'
    return [isKey ? { from, to: behind.to, by: member.value } : { from, to: next.from, by: '' }]
  })
  return replaced(body, parts)
}
