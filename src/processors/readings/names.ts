/** Names that a question gives to what it computes, `price * qty as total`: every step knows them, whichever parameter says them. */

import { exactPath, resolveField } from '../../query/fields/fields.ts'
import { type Records, withNames } from '../../query/fields/records.ts'
import { holdsAggregate, parseNamed } from '../../query/language/parser.ts'
import { fieldsIn, type Named } from '../../query/language/tree.ts'
import { safely } from '../../query/refusal.ts'
import type { Asked } from '../parameters.ts'
import type { PipelineStep } from '../pipeline.ts'
import { failed } from '../step.ts'
import { columnOfCall } from '../steps/group.ts'
import { isWindow } from '../steps/window.ts'

/** `left.region` and `right.region` that a question about joined records is about. */
function sidesIn({ join_on = [], where, group_by, aggregate, sort, fields }: Asked): string[] {
  if (join_on.length === 0) return []
  const texts = [where, group_by, aggregate, sort, fields].flatMap((one) => one ?? [])
  return [...new Set(texts.flatMap((text) => text.match(/\b(?:left|right)(?:\.[\p{L}\p{N}_-]+)+/gu) ?? []))]
}

/** The field of one side of a join: of two that are called alike, that of the right has the name of its list before it. */
function ofSide(records: Records, name: string): string {
  const [, side, first = '', below = ''] = /^(left|right)\.([^.]+)(.*)$/s.exec(name) ?? []
  const end = `.${first}"]${below}`
  const [only, another] =
    side === 'right' ? [...records.names().keys()].filter((one) => one.endsWith(end)) : []
  return only !== undefined && another === undefined ? only : first + below
}

/** The meaning of the names, and the parameters with each name where it is computed. */
interface Plan {
  /** By name: what is computed of a record. */
  readonly sources: ReadonlyMap<string, string>
  readonly params: Asked
}

/**
 * A step that knows the names in `fields`. Beside `group_by` or `aggregate`, what is computed of groups there is an aggregate, and
 * what is computed of records is computed before they are grouped.
 */
export function knowingNames(step: PipelineStep): PipelineStep {
  return {
    ...step,
    wanted: (params) => step.wanted(planOf(params as Asked).params),
    process(document, asked) {
      const { sources, params } = planOf(asked as Asked)
      const failures = new Map<string, string>()
      const known = withNames(document, [...sources.keys(), ...sidesIn(asked as Asked)], (records, name) => {
        if (exactPath(records, name)) return undefined
        const source = sources.get(name) ?? ofSide(records, name)
        const field = safely(
          () => resolveField(records, source),
          (why) => failures.set(name, why),
        )
        return field && { name, path: field.path, ...(field.note !== undefined && { note: field.note }) }
      })
      const result = step.process(known, params)
      if (known !== document && result.content === known) result.content = document
      // A name that could not be computed is no field that is missing.
      const [, missing = ''] = /^No record has the field `(.+?)`\./.exec(result.error ?? '') ?? []
      const why = failures.get(missing)
      if (why !== undefined) return failed(result.content, `\`${missing}\` cannot be computed: ${why}`)
      return result
    },
  }
}

function planOf(asked: Asked): Plan {
  const { fields = [], aggregate = [], group_by: keys = [] } = asked
  const items = fields.map((text) => ({ text, ...(isWindow(text) ? undefined : namedIn(text)) }))
  const calls = aggregate.filter((text) => !isWindow(text))
  const areAggregates =
    items.some(({ named }) => named && hasAggregate(named)) &&
    items.every(({ named }) => named && (hasAggregate(named) || isCount(named)))
  if (keys.length + calls.length === 0 && !areAggregates) {
    const sources = new Map(
      items.flatMap(({ named, text }): [string, string][] =>
        named?.as ? [[named.as, named.source]] : assignedIn(text),
      ),
    )
    return { sources: mentioned(sources, asked), params: asked }
  }
  const sorted = sortedByColumns(asked)
  if (items.every(({ named }) => named === undefined))
    return {
      sources: new Map(),
      params: sorted.mode === 'exclude' ? sorted : { ...sorted, fields: withCalls(fields, calls) },
    }
  return grouped(sorted, items, calls)
}

/** Groups in an order: what is computed in it is a column by the name that it has. One that is not asked for is computed as well. */
function sortedByColumns(asked: Asked): Asked {
  const { aggregate = [], group_by: keys = [], sort } = asked
  if (sort === undefined) return asked
  const columns = new Map([
    ...aggregate.map((text): [string, string] => [squeezed(sourceIn(text)), columnNamed(text)]),
    ...keys.map((text): [string, string] => [squeezed(sourceIn(text)), keyNamed(text)]),
  ])
  const added: string[] = []
  const orders = sort.map((text) => {
    const [, sign = '', by = '', direction = ''] =
      /^(\s*[-+]?\s*)(.*?)((?:\s+|:)(?:asc|desc)(?:ending)?)?\s*$/is.exec(text) ?? []
    const column = columns.get(squeezed(by))
    if (column !== undefined) return `${sign}${column}${direction}`
    const named = namedIn(by)?.named
    if (!named || !hasAggregate(named)) return text
    added.push(by)
    return `${sign}${columnNamed(by)}${direction}`
  })
  const all = aggregate.length + added.length === 0 ? asked.aggregate : [...aggregate, ...added]
  return { ...asked, sort: orders, aggregate: all }
}

/** The expression of a call or a key, without its name. */
function sourceIn(text: string): string {
  return safely(() => parseNamed(text).source) ?? text
}

/** The fields that are shown of groups: also all that was asked to be computed, where they name nothing of it. */
function withCalls(shown: string[], calls: readonly string[]): string[] | undefined {
  if (shown.length === 0) return undefined
  const columns = calls.map(columnNamed)
  // Values of their own, `3 as a`, are asked for beside one row.
  const areValues = shown.every((field) => /^(?:'[^']*'|[-+]?[\d.]+) as /i.test(field))
  const isNamed =
    areValues || shown.some((field) => columns.some((column) => has(field, column) || /[*]/.test(field)))
  return isNamed ? shown : [...shown, ...columns]
}

/** An item of `fields` with an expression or another name; undefined for a plain field. */
function namedIn(text: string): { named: Named } | undefined {
  const plain = text.replace(/^\s*(?:select\s+)?distinct\s+/i, '')
  if (!/\sas\s|[(+*/%|-]|^count$/i.test(plain)) return undefined
  const named = safely(() => parseNamed(plain))
  const isNamed = named && (named.as !== undefined || named.expression.kind !== 'field' || isCount(named))
  return isNamed ? { named } : undefined
}

/** `total: price * qty`, `total = price * qty`. */
function assignedIn(text: string): [name: string, source: string][] {
  const [, name, source] = /^\s*([\p{L}_]\w*)\s*(?::\s|=(?![=~]))\s*(\S.*[-+*/(].*)$/su.exec(text) ?? []
  return name === undefined || source === undefined ? [] : [[name, source]]
}

const isCount = ({ source }: Named): boolean => /^count$/i.test(source)

function hasAggregate({ expression }: Named): boolean {
  return holdsAggregate(expression)
}

function grouped(
  asked: Asked,
  items: readonly { text: string; named?: Named }[],
  calls: readonly string[],
): Plan {
  const { aggregate = [], group_by: keys = [] } = asked
  const sources = new Map<string, string>()
  const added: string[] = []
  const columns = new Set([...calls.map(columnNamed), ...keys.map(keyNamed)])
  const groupedBy = new Map(keys.map((key) => [squeezed(key), key]))
  const shown: string[] = []
  for (const { text, named } of items) {
    if (!named) {
      shown.push(text)
      continue
    }
    const { as, source, expression } = named
    const column = as ?? columnNamed(source)
    const key = groupedBy.get(squeezed(source))
    const isKey = as !== undefined && keys.some((one) => keyNamed(one) === as)
    if (isKey && keys.includes(as)) sources.set(as, source)
    if (isKey || (as === undefined && columns.has(column))) shown.push(column)
    else if (key !== undefined && as !== undefined) {
      groupedBy.set(squeezed(source), `${key} as ${as}`)
      shown.push(as)
    } else if (hasAggregate(named) || isCount(named) || isOfColumns(fieldsIn(expression), columns)) {
      added.push(text)
      shown.push(column)
      columns.add(column)
    } else if (as !== undefined && isMentioned(as, [...keys, ...calls])) sources.set(as, source)
    else shown.push(text)
  }
  // Without any, groups are counted.
  const all = aggregate.length + added.length === 0 ? undefined : [...aggregate, ...added]
  const params = {
    ...asked,
    aggregate: all,
    group_by: keys.length === 0 ? undefined : [...groupedBy.values()],
    fields: added.length > 0 ? shown : withCalls(shown, calls),
  }
  return { sources, params }
}

/** The name of the column that a key makes: a key may be a field called `n`. */
function keyNamed(text: string): string {
  return safely(() => parseNamed(text).as) ?? text
}

/** The name of the column that a call or a key makes. */
function columnNamed(text: string): string {
  return safely(() => parseNamed(text).as) ?? columnOfCall(text) ?? text
}

function isOfColumns(names: readonly string[], columns: ReadonlySet<string>): boolean {
  return names.length > 0 && names.every((name) => columns.has(name) || /^count$/i.test(name))
}

const squeezed = (text: string): string => text.replaceAll(/\s/g, '').toLowerCase()

/** The names that another parameter, or another of the fields, has in it. */
function mentioned(sources: ReadonlyMap<string, string>, asked: Asked): Plan['sources'] {
  const { where: conditions = [], sort = [], fields = [] } = asked
  const used = [...sources.keys()].some(
    (name) =>
      isMentioned(name, [...conditions, ...sort]) || fields.filter((one) => has(one, name)).length > 1,
  )
  return used ? sources : new Map()
}

function isMentioned(name: string, texts: readonly string[]): boolean {
  return texts.some((text) => has(text, name))
}

function has(text: string, name: string): boolean {
  return text.toLowerCase().includes(name.toLowerCase())
}
