/** Which records a question is about, where those of a document were put together of several places: the whole ones or their parts. */

import type { Document } from '../../documents/document.ts'
import { fromTable } from '../../documents/opening/derive.ts'
import { placed } from '../../documents/opening/make.ts'
import { pointsOf } from '../../documents/opening/series.ts'
import { childAt, fieldNames, keyedRecords, pathStep, stepsIn } from '../../documents/shape/collections.ts'
import { type Table, tableOf } from '../../documents/table.ts'
import { isObject, type JsonValue } from '../../protocol/json.ts'
import { resolveName } from '../../query/fields/fields.ts'
import { asksMain, type Records, recordsOf } from '../../query/fields/records.ts'
import { listed, safely } from '../../query/refusal.ts'
import type { PipelineStep } from '../pipeline.ts'
import type { ProcessorResult } from '../processor.ts'
import { applied, unchanged, withNotes } from '../step.ts'
import { conditionFields, fieldsNamed, namedIn } from './elsewhere.ts'

type Asked = Readonly<Record<string, unknown>>

/**
 * A condition on a time and a value is about one point, and so is an order. Where the records are series, each of them has many points:
 * the condition would hold for the time of one and the value of another. A question about the methods of paths is about the paths.
 */
export const gathered: Omit<PipelineStep, 'params'> = {
  name: 'gathered',
  wanted: (params) =>
    ['where', 'sort', 'group_by', 'aggregate', 'fields'].some(
      (name) => (params as Asked)[name] !== undefined,
    ),
  process(document, params) {
    const records = document.json() === undefined ? undefined : recordsOf(document)
    if (!records) return unchanged(document)
    return (
      outerOf(document, params as Asked) ??
      pointsFor(document, records, params as Asked) ??
      oneOf(document, params as Asked) ??
      withAll(document, params as Asked)
    )
  },
}

/** The one list of several that a question names before its fields: `staging.cpu > 90`. */
function oneOf(document: Document, asked: Asked): ProcessorResult | undefined {
  const { by, path = '$' } = document.records()?.gathered ?? {}
  const root = document.json()
  if (by === undefined || root === undefined || !asksMain(document)) return undefined
  const holder = stepsIn(path).reduce<JsonValue | undefined>(childAt, root)
  const names = namedIn(asked)
  const fields = fieldNames(document.records()?.values ?? [])
  const [key, another] = (isObject(holder) ? Object.keys(holder) : []).filter(
    (one) => !fields.has(one) && names.some((name) => name.startsWith(`${one}.`)),
  )
  if (key === undefined || another !== undefined) return undefined
  const place = path + pathStep(key)
  const held = childAt(holder, pathStep(key))
  if (typeof held !== 'object' || held === null) return undefined
  const keys = isObject(held) ? Object.keys(held) : undefined
  const records = keyedRecords({ path: place, keys, values: Object.values(held) })
  return about(tableOf(records, place, { path: place, keys }), `The records of \`${place}\` were asked.`)
}

/** Says that the records of all lists of an object were asked, where the answer does not show it. */
function withAll(document: Document, { where, group_by, aggregate }: Asked): ProcessorResult {
  const { by, said, path } = document.records()?.gathered ?? {}
  const made = unchanged(document)
  if (by === undefined || group_by !== undefined || aggregate === undefined) return made
  if (conditionFields(where).includes(by) || !asksMain(document)) return made
  return withNotes(made, [`All ${said} in \`${path}\` were asked; \`${by}\` says which one each is of.`])
}

/** True where records are counted, in all or in groups, and nothing else is asked of them. */
function isCounted({ aggregate, group_by }: Asked): boolean {
  return aggregate === undefined
    ? group_by !== undefined
    : /^count(?:\(\*?\))?$/i.test([aggregate].flat().join())
}

function pointsFor(document: Document, records: Records, asked: Asked): ProcessorResult | undefined {
  const found = records.table.derived('points', () => {
    const own = pointsOf(records.values, false)
    const { values, gathered: of } = own ?? pointsOf(records.values, true) ?? {}
    const areDetails = own === undefined
    return values && of && { of, areDetails, table: tableOf(values, '$', { path: '$', scattered: true }) }
  })
  if (!found) return undefined
  const { said, fields, time } = found.of
  const points = recordsOf(fromTable('record', found.table))
  /** The field of a point that is called so, or means the same: `timestamp` for `time`. */
  const ofPoint = (name: string): string | undefined =>
    fields.includes(name) ? name : points && safely(() => resolveName(points, name))?.name
  const timed = [...conditionFields(asked.where), ...fieldsNamed(asked.group_by)]
  const ordered = asked.aggregate === undefined && asked.group_by === undefined ? fieldsNamed(asked.sort) : []
  // A name that the series have no field for may be one of their points.
  const isOfPoints = (name: string): boolean =>
    safely(() => resolveName(records, name)) === undefined && fields.includes(ofPoint(name) ?? '')
  const asksOfTime = timed.some((name) => name === time) || ordered.some((name) => fields.includes(name))
  const isAsked = (asksOfTime && !found.areDetails) || namedIn(asked).some(isOfPoints)
  if (!isAsked) {
    const told = `Each record is a series, of ${said} in all. A condition on ${listed(fields)} is about the points.`
    return isCounted(asked) && !found.areDetails ? withNotes(unchanged(document), [told]) : undefined
  }
  return about(found.table, `Each of the ${said} is a record here: ${listed(fields)}.`)
}

/** The records of which the ones at hand are parts, where a question names their fields: `post.tags` of the paths of an interface. */
function outerOf(document: Document, asked: Asked): ProcessorResult | undefined {
  const { isOfRecords, from: outer } = document.records()?.gathered ?? {}
  if (!isOfRecords || !outer || !asksMain(document)) return undefined
  const own = fieldNames(outer.values)
  if (!namedIn(asked).some((name) => name === '_key' || own.has(/^\w+/.exec(name)?.[0] ?? '')))
    return undefined
  const { path, keys } = outer
  return about(tableOf(keyedRecords(outer), path, { path, keys }), `The records of \`${path}\` were asked.`)
}

function about(table: Table, note: string): ProcessorResult {
  const content = placed(fromTable('record', table), table.provenance)
  return applied(content, { total: table.count, matched: table.count, notes: [note] })
}
