/** The words of a filter condition. */
import type { JsonPrimitive } from '../../protocol/json.ts'
import { Refusal, shown } from '../refusal.ts'

export type Token =
  | { kind: 'literal'; text: string; value: JsonPrimitive }
  /** A member name, or `@` and `$`. */
  | { kind: 'name'; text: string }
  | { kind: 'operator'; text: string }

const pieces = new RegExp(
  [
    /\s+/,
    /(?<number>\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)/,
    /(?<quoted>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`[^`]*`)/,
    /(?<name>[@$]|(?<=\.)[\p{L}_][\p{L}\p{N}_]*(?:-\p{L}[\p{L}\p{N}_]*)+|[\p{L}_][\p{L}\p{N}_]*)/u,
    /(?<operator>===|!==|==|!=|<=|>=|&&|\|\||[-+*/%<>!().[\]])/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'uy',
)

/** Words that models use for signs, and other spellings. */
const spellings: Readonly<Record<string, string>> = {
  and: '&&',
  or: '||',
  not: '!',
  '===': '==',
  '!==': '!=',
}
const constants: Readonly<Record<string, JsonPrimitive>> = { true: true, false: false, null: null }

/** Throws a `Refusal` at anything that belongs to no condition, assignment included. */
export function tokenize(source: string): Token[] {
  const tokens: Token[] = []
  let at = 0
  while (at < source.length) {
    pieces.lastIndex = at
    const groups = pieces.exec(source)?.groups
    if (!groups) throw new Refusal(complaint(source, at))
    at = pieces.lastIndex
    const token = tokenOf(groups, tokens.at(-1))
    if (token) tokens.push(token)
  }
  return tokens
}

/** An integer that a double does not hold stays the text of its digits. */
function asNumber(written: string): number | string {
  return Number.isSafeInteger(Number(written)) || !/^\d{16,}$/.test(written) ? Number(written) : written
}

function tokenOf(groups: Record<string, string | undefined>, before: Token | undefined): Token | undefined {
  const { number, quoted, name, operator } = groups
  if (number !== undefined) return { kind: 'literal', text: number, value: asNumber(number) }
  if (quoted?.startsWith('`'))
    return { kind: 'literal', text: quoted, value: jsonLiteral(quoted.slice(1, -1)) }
  if (quoted !== undefined) {
    return { kind: 'literal', text: quoted, value: quoted.slice(1, -1).replaceAll(/\\(.)/gs, '$1') }
  }
  if (operator !== undefined) return { kind: 'operator', text: spellings[operator] ?? operator }
  if (name === undefined) return undefined
  const member = before?.text === '.'
  if (!member && Object.hasOwn(constants, name))
    return { kind: 'literal', text: name, value: constants[name] ?? null }
  const word = name.toLowerCase()
  if (!member && Object.hasOwn(spellings, word)) return { kind: 'operator', text: spellings[word] ?? word }
  return { kind: 'name', text: name }
}

/** In backticks, as JMESPath has it: a number, a constant, or a text with or without quotes. */
function jsonLiteral(text: string): JsonPrimitive {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? text : (value as JsonPrimitive)
  } catch {
    return text
  }
}

function complaint(source: string, at: number): string {
  const rest = source.slice(at)
  if (rest.startsWith('=~')) return 'A condition in brackets has no `=~`; use `where`: "name ~ pattern".'
  if (rest.startsWith('='))
    return `\`${shown(source)}\`: write \`==\` to compare; \`=\` alone is assignment, which is not allowed.`
  return `The condition \`${shown(source)}\` has \`${shown(rest, 12)}\`, which it cannot read. Write like \`[?@.x == 1]\`.`
}
