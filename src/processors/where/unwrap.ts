/** Conditions within what another language puts around them: SQL, jq, JSONPath, functions of JavaScript and Python. */

/** Layers taken off one condition. */
const mostLayers = 6

/** The condition alone. `note` gets what was around it and is told by another parameter. */
export function unwrapped(source: string, note: (text: string) => void = () => undefined): string {
  let text = source.trim()
  for (let layer = 0; layer < mostLayers; layer++) {
    const before = text
    text = withoutArrows(text)
    text = fromLambda(fromJq(fromJsonPath(fromSql(text.replace(/;\s*$/, '').trim(), note), note), note))
    if (text === before) return text
  }
  return text
}

function fromSql(text: string, note: (text: string) => void): string {
  const [, inner = text] =
    /^(?:select\b[^=<>]*?\bfrom\s+\S+\s+(?:as\s+\w+\s+|\w+\s+)??)?where\s+(.+)$/is.exec(text) ?? []
  const [, condition = inner, clause] =
    /^(.+?)\s+((?:order\s+by\s+[\w.]+|group\s+by\s+[\w.]+|limit\s+\d).*)$/is.exec(inner) ?? []
  if (clause !== undefined && isOpen(condition)) return inner
  if (clause !== undefined)
    note(`\`${clause.slice(0, 60)}\` was left out of \`where\`: use \`sort\`, \`group_by\` or \`limit\`.`)
  return condition.trim()
}

/** True where a quote is not closed. */
function isOpen(text: string): boolean {
  return text.split('"').length % 2 === 0 || text.split(/(?<!\w)'|'(?!\w)/).length % 2 === 0
}

/** `$[?(@.a == 1)]`, `$.items[?@.a]`, `?(@.a)`. A filter of a field with a comparison after it stays as it is. */
function fromJsonPath(text: string, note: (text: string) => void): string {
  const [, bare] = /^\?\s*(.+)$/s.exec(text) ?? []
  if (bare !== undefined) return bare
  const [, prefix = '', inner, rest = ''] =
    /^((?:\$|@|\*|\.|\[\*?\]|[\w-]+(?=[.[]))*)\[\?\s*(.+)\]((?:\.[\w.[\]*]+)?)$/s.exec(text) ?? []
  if (inner === undefined || !/^\$|^[.@*]?$|^\[/.test(prefix)) return text
  if (rest !== '') note(`\`${rest.replace(/^\./, '')}\` after the condition was left out: use \`fields\`.`)
  return inner
}

/** `.[] | select(.a == 1)`, `map(select(…)) | .name`, `.title | test("x")` as `.title.test("x")`. */
function fromJq(text: string, note: (text: string) => void): string {
  const enclosed = /^\[\s*(\.\S*\s*\|.+)\]$/s.exec(text)?.[1] ?? text
  const piped = enclosed.replace(/^(?:\.(?:[\w.[\]"]*\[\])?\s*\|\s*)(?=select\b|map\b)/, '')
  const call = /^(?:select|map|filter)\s*\(/.exec(piped)
  if (call) {
    const end = closingParenthesis(piped, call[0].length - 1)
    const rest = piped.slice(end + 1).trim()
    if (end > 0 && (rest === '' || rest.startsWith('|'))) {
      if (rest !== '') note(`\`${rest.slice(0, 60)}\` was left out of \`where\`.`)
      return piped.slice(call[0].length, end).trim()
    }
  }
  return asMethods(enclosed)
}

/** `x => x.a > 5`, `lambda x: x["a"] > 5`. */
function fromLambda(text: string): string {
  const [, name, body] =
    /^(?:\(\s*(\w+)\s*\)|(?:function\s*\(\s*)?(\w+)\)?)\s*=>\s*(.+)$/s
      .exec(text)
      ?.filter((part) => part !== undefined) ??
    /^lambda\s+(\w+)\s*:\s*(.+)$/s.exec(text) ??
    []
  if (name === undefined || body === undefined || /^["'\d-]/.test(body)) return text
  const returned = /^\{\s*return\s+(.+?);?\s*\}$/s.exec(body)?.[1] ?? body
  return outsideQuotes(returned, (part) =>
    part.replaceAll(new RegExp(`(?<![\\w.])${name}(?:\\?\\.|\\.(?=\\w)|(?=\\[))`, 'g'), ''),
  )
}

/** `a->b`, `a->>'b'` as `a.b`. */
function withoutArrows(text: string): string {
  if (!text.includes('->')) return text
  return text.replaceAll(
    /(?<=[\w\])])->>?(?:'([\w -]+)'|([a-z_]\w*))/gi,
    (_, quoted?: string, bare?: string) => `.${bare ?? quoted ?? ''}`,
  )
}

/** A pipe within one condition: `.labels | length > 1` as `.labels.length() > 1`. */
function asMethods(text: string): string {
  const [, head, name, rest = ''] = /^([^|]*[^|\s])\s*\|\s*([a-z_]\w*)(?!\w)(.*)$/s.exec(text) ?? []
  if (head === undefined || name === undefined || /[=<>]/.test(head) || !/^(?:\.|[\w$@])/.test(head))
    return text
  if (!known.has(name)) return text
  return rest.startsWith('(') ? `${head}.${name}${rest}` : `${head}.${name}()${rest}`
}

/** Functions of jq that make a condition or a value of one. */
const known: ReadonlySet<string> = new Set(
  'length test match contains inside startswith endswith has any all tostring tonumber ascii_downcase ascii_upcase not type keys select IN index'.split(
    ' ',
  ),
)

function outsideQuotes(text: string, change: (part: string) => string): string {
  return text
    .split(/("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')/)
    .map((part, at) => (at % 2 === 1 ? part : change(part)))
    .join('')
}

/** The position of the parenthesis that closes the one at `open`; -1 when none does. */
export function closingParenthesis(text: string, open: number): number {
  let depth = 0
  for (let at = open; at < text.length; at++) {
    const char = text.charAt(at)
    if ((char === '"' || char === "'") && /[\s(,;=<>~[:]/.test(text.charAt(at - 1))) {
      const end = text.indexOf(char, at + 1)
      if (end > 0) at = end
    } else if (char === '(') depth++
    else if (char === ')' && --depth === 0) return at
  }
  return -1
}
