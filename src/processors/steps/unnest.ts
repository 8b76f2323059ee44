/** `unnest(items)` in any parameter: a record for each element of a list. */
import type { Document } from '../../documents/document.ts'
import { fromRows } from '../../documents/opening/derive.ts'
import type { JsonValue } from '../../protocol/json.ts'
import { resolveField } from '../../query/fields/fields.ts'
import { listOn, MOST_WORK, unwind } from '../../query/fields/lists.ts'
import type { Path } from '../../query/fields/path.ts'
import { type Records, requireRecords } from '../../query/fields/records.ts'
import { valuesAt } from '../../query/fields/walk.ts'
import { scan } from '../../query/language/scanner.ts'
import { Refusal } from '../../query/refusal.ts'
import { newWork, type Work } from '../../query/work.ts'
import { formatCount, formatPlural } from '../../text/format.ts'
import type { PipelineStep } from '../pipeline.ts'
import { applied, attempted, unchanged } from '../step.ts'

/** Parameters in which lists may be unnested. */
const ASKED = ['where', 'group_by', 'aggregate', 'sort', 'fields', 'exclude'] as const

const WORDS = /^(?:unnest|explode|unwind|flatten|cross_join_unnest)$/i

interface UnnestPlan {
  /** The lists, as they are named. */
  lists: string[]
  /** `item` of `unnest(items) as item`. */
  aliases: Map<string, string>
  /** The parameters with `items` in place of `unnest(items)`. */
  params: Record<string, unknown>
}

/** The plan of what to unnest; undefined for nothing. The same for the same parameters. */
function unnestPlan(params: unknown): UnnestPlan | undefined {
  const asked = params as Record<string, unknown>
  const texts = ASKED.flatMap((name) => (Array.isArray(asked[name]) ? asked[name] : []))
  if (
    !texts.some((text) => typeof text === 'string' && /\b(?:unnest|explode|unwind|flatten)\s*\(/i.test(text))
  )
    return undefined
  const plan: UnnestPlan = { lists: [], aliases: new Map(), params: { ...asked } }
  const changed = new Map<string, readonly string[]>()
  for (const name of ASKED) {
    const list = asked[name]
    if (Array.isArray(list))
      changed.set(
        name,
        list.map((text: string) => withoutCalls(text, plan)),
      )
  }
  for (const [name, list] of changed)
    plan.params[name] = list.map((text) =>
      [...plan.aliases].reduce((all, [alias, whole]) => withoutAlias(all, alias, whole), text),
    )
  return plan.lists.length > 0 ? plan : undefined
}

function withoutCalls(text: string, plan: UnnestPlan): string {
  const tokens = scan(text)
  let out = ''
  let from = 0
  tokens.forEach((token, at) => {
    const open = tokens[at + 1]
    const close = open && tokens[open.match]
    if (token.kind !== 'word' || !WORDS.test(token.text) || open?.text !== '(' || !close || token.from < from)
      return
    const list = text.slice(open.to, close.from).trim()
    if (!plan.lists.includes(list)) plan.lists.push(list)
    const [, alias] = /^\s+as\s+(\w{1,60})\s*$/i.exec(text.slice(close.to)) ?? []
    if (alias !== undefined) plan.aliases.set(alias, list)
    out += text.slice(from, token.from) + list
    from = close.to
  })
  return out + text.slice(from)
}

/** `item.price` is `items.price` where the list was called `item`. */
function withoutAlias(text: string, alias: string, list: string): string {
  return text.replaceAll(new RegExp(`(?<![\\w.])${alias}(?=\\.\\w)`, 'g'), () => list)
}

/** `unnest(items)` in any parameter: a record for each element, with the other fields of the record that it is in. */
export const unnest: Omit<PipelineStep, 'params'> = {
  name: 'unnest',
  wanted: (params) => unnestPlan(params) !== undefined,
  process(document, params) {
    const plan = unnestPlan(params)
    if (!plan) return unchanged(document)
    return attempted(document, () => {
      const records = requireRecords(document, 'unnest')
      const content = unnested(records, plan.lists, newWork(MOST_WORK))
      const { count } = content.rows()
      const said = `${formatPlural(records.values.length, 'record')} unnested by \`${plan.lists.join('`, `')}\`: ${formatCount(count)}.`
      return applied(content, { total: records.values.length, matched: count, notes: [said] })
    })
  },
}

/** A record for each element of the lists, by their names. Throws a `Refusal` for another name, and for too many elements. */
export function unnested(records: Records, names: readonly string[], work: Work): Document {
  const lists = names.map((name) => {
    const list = listOn(records, resolveField(records, name).path)
    if (!list || list.length === 0)
      throw new Refusal(`\`${name}\` is no list within the records, so it cannot be unnested.`)
    return list
  })
  const rows = lists.reduce<readonly JsonValue[]>(
    (all, list) => all.flatMap((row) => (isEmpty(row, list, work) ? [] : unwind(row, list, work))),
    records.values,
  )
  if (rows.length > MOST_ROWS)
    throw new Refusal('These lists hold too many elements. Narrow down with `path` first.')
  return fromRows({ noun: 'record', items: rows })
}

const MOST_ROWS = 1_000_000

/** True for a record that has no element there, which SQL and jq leave out as well. */
function isEmpty(row: JsonValue, list: Path, work: Work): boolean {
  return valuesAt(row, list, work).every(
    (value) => value === null || (Array.isArray(value) && value.length === 0),
  )
}

/** A step after lists were unnested: it sees their names in place of the calls. */
export function afterUnnest(step: PipelineStep): PipelineStep {
  const changed = (params: unknown): unknown => unnestPlan(params)?.params ?? params
  return {
    ...step,
    wanted: (params) => step.wanted(changed(params)),
    process: (document, params) => step.process(document, changed(params)),
  }
}
