/** SELECTs within a statement: in FROM, after WITH, joined by UNION, and as values in a condition. */
import { Refusal, shown } from '../../refusal.ts'
import { enclosed, scan, type Token } from '../scanner.ts'

/** A question, and the one that is asked before it. */
export type Stage =
  | { readonly kind: 'select'; readonly text: string; readonly of?: Stage }
  | { readonly kind: 'union'; readonly parts: readonly Stage[]; readonly distinct: boolean }

/** A SELECT in brackets that stands for a value or, behind IN, for a list of values. */
export interface ValueSelect {
  readonly text: string
  /** The name after its FROM, in small letters. */
  readonly of: string | undefined
  readonly isList: boolean
  /** Where it stands, brackets included. */
  readonly from: number
  readonly to: number
}

/** SELECTs within each other at most, and in all: one that has a name counts each time that it is asked. */
const MOST_DEEP = 8
const MOST_SELECTS = 50
/** The name of what a SELECT in FROM answers. */
const ANSWER = 'answer'

/** Statements by their names after WITH, and the ones that they may use. */
type Named = ReadonlyMap<string, { text: string; before: Named }>

/** How far a SELECT stands within others, and how many may still be read. */
interface Depth {
  readonly within: number
  readonly left: { count: number }
}

/** Takes a statement apart. Throws a `Refusal` for what is not read. */
export function stageOf(text: string): Stage {
  return read(text, new Map(), { within: 0, left: { count: MOST_SELECTS } })
}

function read(written: string, named: Named, depth: Depth): Stage {
  if (depth.within > MOST_DEEP) throw new Refusal(`At most ${MOST_DEEP} SELECTs may stand within each other.`)
  if (depth.left.count-- <= 0) throw new Refusal(`A statement may ask at most ${MOST_SELECTS} SELECTs.`)
  const text = bare(written)
  const tokens = scan(text)
  if (isWord(tokens[0], 'with')) return afterWith(text, tokens, named, depth)
  const unions = outer(tokens, 'union')
  if (unions.length > 0) return union(text, tokens, unions, named, depth)
  const [from] = outer(tokens, 'from')
  const next = from === undefined ? undefined : tokens[from + 1]
  const joins = outer(tokens, 'join')
  const known = next && named.get(next.value.toLowerCase())
  const isSelect = next?.kind === 'open' && isQuestion(tokens[(from ?? 0) + 2])
  const joined = joins.some(
    (at) => named.has(tokens[at + 1]?.value.toLowerCase() ?? '') || isQuestion(tokens[at + 2]),
  )
  if (joined || (joins.length > 0 && (known || isSelect)))
    throw new Refusal(
      'A JOIN with another SELECT is not read. Ask that SELECT first; then join its answer: `"cache_id": ["…", "…"], "join_on": "id = id"`.',
    )
  if (known) return { kind: 'select', text, of: read(known.text, known.before, deeper(depth)) }
  const close = isSelect ? tokens[next.match] : undefined
  if (!next || !close) return { kind: 'select', text }
  const of = read(text.slice(next.to, close.from), named, deeper(depth))
  return { kind: 'select', text: `${text.slice(0, next.from)} ${ANSWER} ${text.slice(close.to)}`, of }
}

function deeper({ within, left }: Depth): Depth {
  return { within: within + 1, left }
}

/** `WITH a AS (SELECT …), b AS (SELECT … FROM a) SELECT … FROM b`. */
function afterWith(text: string, tokens: readonly Token[], named: Named, depth: Depth): Stage {
  const all = new Map(named)
  let at = 1
  for (;;) {
    const [name, as, open] = tokens.slice(at, at + 3)
    const close = open?.kind === 'open' ? tokens[open.match] : undefined
    if (!name || !isWord(as, 'as') || !open || !close)
      throw new Refusal(
        `WITH cannot be read at \`${shown(text.slice(name?.from), 40)}\`: write \`WITH a AS (SELECT …) SELECT … FROM a\`.`,
      )
    all.set(name.value.toLowerCase(), { text: text.slice(open.to, close.from), before: new Map(all) })
    at = open.match + 1
    if (tokens[at]?.text !== ',') break
    at += 1
  }
  return read(text.slice(tokens[at]?.from), all, depth)
}

/** ORDER BY and LIMIT behind the last SELECT of a union are about all of it. */
function union(
  text: string,
  tokens: readonly Token[],
  unions: readonly number[],
  named: Named,
  depth: Depth,
): Stage {
  const last = unions.at(-1) ?? 0
  const [order, limit] = ['order', 'limit'].map((word) => outer(tokens, word).find((at) => at > last))
  const end = tokens[order ?? limit ?? tokens.length]?.from ?? text.length
  const isAll = unions.map((at) => isWord(tokens[at + 1], 'all'))
  const starts = [0, ...unions.map((at, nth) => tokens[at + (isAll[nth] ? 1 : 0)]?.to ?? text.length)]
  const ends = [...unions.map((at) => tokens[at]?.from ?? 0), end]
  const parts = starts.map((start, nth) => read(text.slice(start, ends[nth]), named, deeper(depth)))
  const whole: Stage = { kind: 'union', parts, distinct: !isAll.every(Boolean) }
  return end === text.length
    ? whole
    : { kind: 'select', text: `SELECT * FROM ${ANSWER} ${text.slice(end)}`, of: whole }
}

/** The SELECTs in a statement that stand for values. */
export function valueSelects(text: string): ValueSelect[] {
  const tokens = scan(text)
  return tokens.flatMap((open, at) => {
    const close = tokens[open.match]
    const before = tokens[at - 1]
    const isValue =
      open.text === '(' &&
      close &&
      isQuestion(tokens[at + 1]) &&
      !['from', 'join', 'exists'].some((word) => isWord(before, word))
    if (!isValue) return []
    const isList = isWord(before, 'in')
    const inner = text.slice(open.to, close.from)
    return [{ text: inner, of: listOf(inner), isList, from: open.from, to: close.to }]
  })
}

/** The name after FROM of a statement, in small letters. */
export function listOf(text: string): string | undefined {
  const tokens = scan(text)
  const [from] = outer(tokens, 'from')
  return from === undefined ? undefined : tokens[from + 1]?.value.toLowerCase()
}

/** Without a semicolon at the end, and without brackets around all of it. */
function bare(text: string): string {
  let source = text.trim().replace(/;\s*$/, '').trim()
  for (let inner = enclosed(source); inner !== undefined; inner = enclosed(source)) source = inner.trim()
  return source
}

function outer(tokens: readonly Token[], word: string): number[] {
  return tokens.flatMap((token, at) => (token.depth === 0 && isWord(token, word) ? [at] : []))
}

function isQuestion(token: Token | undefined): boolean {
  return isWord(token, 'select') || isWord(token, 'with')
}

function isWord(token: Token | undefined, word: string): boolean {
  return token?.kind === 'word' && token.text.toLowerCase() === word
}
