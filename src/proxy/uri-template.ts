/**
 * Tells whether a URI may be an expansion of a URI template (RFC 6570). Every expansion matches, and so does what people write by
 * hand: characters that an expansion would percent-encode. Time grows with the product of both lengths and with nothing else:
 * no backtracking, because templates come from servers and URIs from models.
 */

export interface UriTemplate {
  /** Characters outside of expressions: the more, the more exact is a match. */
  readonly literals: number
  /** The template without the names of its variables: templates that are equal in this match the same URIs. */
  readonly pattern: string
  /**
   * Takes what it costs from the steps that are left: where that is more, what stands before the first expression is compared alone.
   * A server may list thousands of templates. Default: enough for one template.
   */
  matches(uri: string, left?: Steps): boolean
}

/** Steps that may still be taken, each a character of a URI at one part of a template. */
export interface Steps {
  steps: number
}

/** Steps for all templates that one URI, or a whole list of them, is compared with: some tens of milliseconds. */
export const MOST_STEPS = 4_000_000

/** The expansion of an expression: nothing, or `first` (where there is one) and any number of characters but these. */
interface Expression {
  first: string
  but: string
}

/** By operator (RFC 6570, 2.2). Variables without a value expand to nothing, so every expression may be empty. */
const EXPRESSIONS: Readonly<Record<string, Expression>> = {
  '': { first: '', but: '/?#' },
  '+': { first: '', but: '' },
  '#': { first: '#', but: '' },
  '.': { first: '.', but: '/?#' },
  '/': { first: '/', but: '?#' },
  ';': { first: ';', but: '/?#' },
  '?': { first: '?', but: '#' },
  '&': { first: '&', but: '#' },
}

type Part = string | Expression

export function parseTemplate(template: string): UriTemplate {
  const { parts, pattern } = partsOf(template)
  const head = typeof parts[0] === 'string' ? parts[0] : ''
  const literals = parts.reduce((sum, part) => sum + (typeof part === 'string' ? part.length : 0), 0)
  const fixed = parts.every((part) => typeof part === 'string')
  return {
    literals,
    pattern,
    matches(uri, left = { steps: MOST_STEPS }) {
      const normal = normalise(uri)
      if (fixed) return normal === head
      if (!normal.startsWith(head)) return false
      const cost = parts.length * normal.length
      if (cost > left.steps) return true
      left.steps -= cost
      return reaches(parts, normal)
    },
  }
}

/** Expressions in braces, literals between them. A brace without its other half, and what is no expression, is taken as it stands. */
function partsOf(template: string): { parts: Part[]; pattern: string } {
  const parts: Part[] = []
  let pattern = ''
  let literal = ''
  let at = 0
  const flush = (): void => {
    if (literal !== '') parts.push(normalise(literal))
    pattern += literal
    literal = ''
  }
  for (let open = template.indexOf('{'); open !== -1; open = template.indexOf('{', at)) {
    const close = template.indexOf('}', open)
    const found = close === -1 ? undefined : expressionOf(template.slice(open + 1, close))
    literal += template.slice(at, open)
    at = close === -1 ? template.length : close + 1
    if (found === undefined) literal += template.slice(open, at)
    else {
      flush()
      parts.push(found.expression)
      pattern += `{${found.shape}}`
    }
  }
  literal += template.slice(at)
  flush()
  return { parts, pattern }
}

/** RFC 6570, 2.3 and 2.4: variables with modifiers, separated by commas. Names are taken widely: `{user-id}` is common. */
const VARIABLES = /^[^\s,{}:*=!@|]+(?::\d{1,4}|\*)?(?:,[^\s,{}:*=!@|]+(?::\d{1,4}|\*)?)*$/u

function expressionOf(inside: string): { expression: Expression; shape: string } | undefined {
  const [operator = ''] = /^[+#./;?&]/u.exec(inside) ?? []
  const variables = inside.slice(operator.length)
  const expression = EXPRESSIONS[operator]
  if (expression === undefined || !VARIABLES.test(variables)) return undefined
  // The expansion of `;`, `?` and `&` holds the names, so they belong to the pattern.
  const named = operator === ';' || operator === '?' || operator === '&'
  const modifiers = variables
    .split(',')
    .map((variable) => variable.replace(/^[^:*]*/u, ''))
    .join(',')
  return { expression, shape: operator + (named ? variables : modifiers) }
}

/** Walks the parts with all the places at which the text before may end. */
function reaches(parts: readonly Part[], uri: string): boolean {
  let places = new Uint8Array(uri.length + 1)
  places[0] = 1
  for (const part of parts) {
    places = typeof part === 'string' ? afterLiteral(part, uri, places) : afterExpression(part, uri, places)
  }
  return places[uri.length] === 1
}

function afterLiteral(literal: string, uri: string, places: Uint8Array): Uint8Array<ArrayBuffer> {
  const next = new Uint8Array(places.length)
  for (let at = uri.indexOf(literal); at !== -1; at = uri.indexOf(literal, at + 1)) {
    if (places[at] === 1) next[at + literal.length] = 1
  }
  return next
}

function afterExpression(
  { first, but }: Expression,
  uri: string,
  places: Uint8Array,
): Uint8Array<ArrayBuffer> {
  const next = Uint8Array.from(places)
  let inside = false
  for (let at = 0; at < uri.length; at++) {
    const character = uri[at] ?? ''
    const begins = places[at] === 1 && (first === '' || character === first)
    inside = begins ? first !== '' || !but.includes(character) : inside && !but.includes(character)
    if (inside) next[at + 1] = 1
  }
  return next
}

/** Percent-encodes what a URI cannot hold (RFC 3986, 2), so that a text and its encoded form are the same. */
function normalise(text: string): string {
  if (/^[\w\-.~:/?#[\]@!$&'()*+,;=]*$/.test(text)) return text
  return text
    .replace(/%[0-9a-f]{2}/giu, (encoded) => encoded.toUpperCase())
    .replace(/[^\w\-.~:/?#[\]@!$&'()*+,;=%]/gu, encode)
}

function encode(character: string): string {
  let encoded = ''
  for (const byte of Buffer.from(character)) encoded += `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  return encoded
}
