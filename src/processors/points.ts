/** The points of all series as records, where a question about a list of series is one about times, or about an order of points. */
import { fromTable } from '../documents/derive.ts'
import { placed } from '../documents/make.ts'
import { pointsOf } from '../documents/series.ts'
import { tableOf } from '../documents/table.ts'
import { recordsOf } from '../query/records.ts'
import { listed } from '../query/refusal.ts'
import { formatCount, formatPlural } from '../text/format.ts'
import { conditionFields, fieldsNamed } from './elsewhere.ts'
import type { PipelineStep } from './pipeline.ts'
import { unchanged } from './step.ts'

/**
 * A condition on a time and a value is about one point, and so is an order. Where the records are series, each of them has many points:
 * the condition would hold for the time of one and the value of another.
 */
export const points: Omit<PipelineStep, 'params'> = {
  name: 'points',
  wanted: (params) => {
    const { where, sort, group_by } = params as Record<string, unknown>
    return [where, sort, group_by].some((given) => given !== undefined)
  },
  process(document, params) {
    const { where, sort, group_by, aggregate } = params as Record<string, unknown>
    const records = document.json() === undefined ? undefined : recordsOf(document)
    if (!records) return unchanged(document)
    const found = records.table.derived('points', () => {
      const { values, series } = pointsOf(records.values) ?? {}
      return values && series && { series, table: tableOf(values, '$', { path: '$', scattered: true }) }
    })
    if (!found) return unchanged(document)
    const { table, series } = found
    const { count, fields, time } = series
    const timed = [...conditionFields(where), ...fieldsNamed(group_by)]
    const ordered = aggregate === undefined && group_by === undefined ? fieldsNamed(sort) : []
    if (!timed.some((name) => name === time) && !ordered.some((name) => fields.includes(name)))
      return unchanged(document)
    const content = placed(fromTable('record', table), table.provenance)
    return {
      content,
      metadata: {
        total: records.values.length,
        matched: table.count,
        notes: [
          `Each of the ${formatCount(table.count)} points of ${formatPlural(count, 'series')} is a record here: ${listed(fields)}.`,
        ],
      },
      applied: true,
      get originalSize() {
        return document.characters
      },
      get processedSize() {
        return content.characters
      },
    }
  },
}
