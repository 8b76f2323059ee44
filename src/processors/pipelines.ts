/** The three pipelines: which steps a query tool runs, in which order. */
import * as z from 'zod'
import type { Document } from '../documents/document.ts'
import { fromRows } from '../documents/opening/derive.ts'
import { placed } from '../documents/opening/make.ts'
import { isObject, type JsonObject } from '../protocol/json.ts'
import { listed } from '../query/refusal.ts'
import { formatCount, formatPlural } from '../text/format.ts'
import {
  type Asked,
  aggregateParams,
  fieldsParams,
  filterParams,
  joinParams,
  projectionParams,
  sortParams,
  whereParams,
} from './parameters.ts'
import { type PipelineStep, runPipeline } from './pipeline.ts'
import type { Processor, ProcessorResult } from './processor.ts'
import { asksOfNodes, orElsewhere, tellingOfNested, whereAllIs, withNodes } from './readings/elsewhere.ts'
import { gathered } from './readings/gathered.ts'
import { aggregateWithHaving, whereOfRecords } from './readings/having.ts'
import { withHolders } from './readings/holders.ts'
import { aggregatesInWords, fieldsInWords, ordersInWords, orInWords } from './readings/in-words.ts'
import { orByLastWords } from './readings/last-words.ts'
import { knowingNames } from './readings/names.ts'
import { tellingElements } from './readings/stray.ts'
import { bm25 } from './search/bm25.ts'
import { context } from './search/context.ts'
import { fuzzy } from './search/fuzzy.ts'
import { grep } from './search/grep.ts'
import { applied, unchanged, withNotes } from './step.ts'
import { join } from './steps/join.ts'
import { namesEntries, withEntries } from './steps/map-entries.ts'
import { projection } from './steps/projection.ts'
import { select, selectAlone } from './steps/select.ts'
import { sort } from './steps/sort.ts'
import { structure } from './steps/structure.ts'
import { afterUnnest, unnest } from './steps/unnest.ts'
import { afterWindows, beforeWindows, windowStep } from './steps/window.ts'

const fields: PipelineStep = { ...projection, params: fieldsParams }

/** Parameters of other steps: one of them says what is wrong with it. */
const beside = z.object(
  Object.fromEntries(
    Object.entries(filterParams.shape).map(([name, schema]) => [
      name,
      (schema as z.ZodType).catch(undefined),
    ]),
  ),
)

/** A join takes the path itself, because what it joins with may lie elsewhere. */
const part: PipelineStep = {
  ...select,
  params: beside.extend(joinParams.shape),
  wanted: (params) =>
    !join.wanted(params as never) &&
    (select.wanted(params as never) || asksOfNodes(params as Asked) || computes(params as Asked)),
  process(document, params) {
    const asked = params as Asked
    if (!select.wanted(params as never)) {
      if (computes(asked) && document.json() === undefined) return linesOf(document)
      if (!asksOfNodes(asked)) return unchanged(document)
    }
    // A result in which nothing repeats is a map where its keys are asked.
    const isMap = namesEntries(asked) && document.json() !== undefined && !document.records()
    const path = select.wanted(params as never)
      ? (params as { path?: string })
      : isMap
        ? { path: '$' }
        : undefined
    const selected = path
      ? withEntries(select.process(document, path), asked)
      : withNodes(document, asked, (nodes) => answerOf(nodes, params))
    return withHolders(document, selected, params as Readonly<Record<string, unknown>>)
  },
}

/** True where fields are computed: `extract(line, '(\\d+) ms') as ms`. */
function computes({ fields = [] }: Asked): boolean {
  return fields.some((text) => /[(]|\sas\s/i.test(text))
}

/** The lines of a text as records, so that something can be computed of each. */
function linesOf(document: Document): ProcessorResult {
  const { noun, items } = document.rows()
  return applied(fromRows({ noun, items: items.map((line, at) => ({ line, line_number: at + 1 })) }))
}

/** The steps that work on records. */
const ofRecords: readonly PipelineStep[] = [
  beforeWindows(
    whereAllIs({
      ...whereOfRecords,
      params: beside.extend(whereParams.shape).extend(aggregateParams.shape),
    }),
  ),
  { ...windowStep(true), params: beside.extend(whereParams.shape).extend(aggregateParams.shape) },
  beforeWindows(
    orInWords(
      orElsewhere(
        tellingOfNested(
          { ...aggregateWithHaving, params: beside.extend(whereParams.shape).extend(aggregateParams.shape) },
          ['where', 'join_on'],
        ),
        ['group_by', 'aggregate'],
        ['path', 'where', 'join_on'],
      ),
      aggregatesInWords,
    ),
  ),
  { ...windowStep(false), params: beside.extend(whereParams.shape).extend(aggregateParams.shape) },
  afterWindows(
    orInWords(
      orElsewhere(
        tellingOfNested(byKeys({ ...sort, params: beside.extend(sortParams.shape) }), [
          'where',
          'group_by',
          'aggregate',
          'join_on',
        ]),
        ['sort'],
        ['path', 'where', 'group_by', 'aggregate', 'join_on'],
      ),
      ordersInWords,
    ),
  ),
  afterWindows(
    orInWords(
      orElsewhere(
        ofGroups(
          tellingElements({
            ...projection,
            params: beside
              .extend(projectionParams.shape)
              .extend(whereParams.shape)
              .extend(aggregateParams.shape),
          }),
        ),
        ['fields'],
        ['path', 'where', 'group_by', 'aggregate', 'join_on', 'sort'],
      ),
      fieldsInWords,
    ),
  ),
]

/** Groups are put in order by their keys as `group_by` writes them, whatever the columns are called. */
function byKeys(step: PipelineStep): PipelineStep {
  return {
    ...step,
    process(document, params) {
      const asked = params as Asked
      const { group_by: keys = [], sort: orders = [] } = asked
      const [row] = keys.length > 0 ? document.rows().items : []
      if (!isObject(row ?? null)) return step.process(document, params)
      const columns = Object.keys(row as JsonObject)
      const read = orders.map((text) => {
        // `desc` alone is about what was computed last, where no column is called so.
        if (/^\s*(?:asc|desc)(?:ending)?\s*$/i.test(text) && !columns.includes(text.trim()))
          return `[${JSON.stringify(columns.at(-1))}] ${text}`
        const [, sign = '', name = '', order = ''] =
          /^([-+]?)(.+?)((?::|\s+)(?:asc|desc)(?:ending)?)?$/is.exec(text.trim()) ?? []
        const column = columns[keys.indexOf(name)]
        return column === undefined || columns.includes(name)
          ? text
          : `${sign}[${JSON.stringify(column)}]${order}`
      })
      return step.process(document, { ...asked, sort: read })
    },
  }
}

/** Groups and totals are shown with all they have where `fields` names what only records have: these are what was asked for. */
function ofGroups(step: PipelineStep): PipelineStep {
  return {
    ...step,
    process(document, params) {
      const asked = params as Asked
      const isOfGroups = [...(asked.group_by ?? []), ...(asked.aggregate ?? [])].length > 0
      const [row] = isOfGroups ? document.rows().items : []
      if (!isObject(row ?? null)) return step.process(document, params)
      const columns = Object.keys(row as JsonObject)
      const isKnown = (name: string): boolean =>
        !/^\w[\w.]*$/.test(name) ||
        columns.some((column) => column.toLowerCase().endsWith(name.toLowerCase()))
      const left = (asked.fields ?? []).filter((name) => !isKnown(name))
      if (left.length === 0) return step.process(document, params)
      const note = `Left out: ${listed(left)}. The ${asked.group_by?.length ? 'groups' : 'totals'} have ${listed(columns)}.`
      return withNotes(unchanged(document), [note])
    },
  }
}

const behind: readonly PipelineStep[] = [
  { ...unnest, params: beside },
  { ...gathered, params: beside },
  ...ofRecords.map(knowingNames).map(orByLastWords).map(afterUnnest),
]

/** The outcome of the steps behind a path for a document; undefined where one of them refuses. */
function answerOf(document: Document, params: unknown): Document | undefined {
  const { document: answer, error } = runPipeline(document, behind, params as Record<string, unknown>)
  return error === undefined ? answer : undefined
}

export const filterSteps: readonly PipelineStep[] = [join, part, ...behind]
/** A hit among records that were chosen says where it is in the whole list. */
const amongChosen: PipelineStep = {
  ...whereOfRecords,
  params: beside.extend(whereParams.shape),
  process(document, params) {
    const found = whereOfRecords.process(document, params as never)
    const table = found.applied ? found.content.table() : undefined
    if (!table) return found
    const { matched = 0, total = 0 } = found.metadata
    const said = `\`where\` chose ${formatCount(matched)} of ${formatPlural(total, 'record')} to search.`
    return withNotes({ ...found, content: placed(found.content, table.provenance) }, [said])
  },
}

/** The documents before only some of their fields were left to be searched. */
const whole = new WeakMap<Document, Document>()

const searchedFields: PipelineStep = {
  ...fields,
  process(document, params) {
    const done = fields.process(document, params)
    if (done.applied) whole.set(done.content, document)
    return done
  },
}

/** Says how much would match without `fields`, where nothing does. */
function tellingOfOthers<P>(step: Processor<P>): PipelineStep {
  return {
    ...step,
    wanted: (params) => step.wanted(params as P),
    process(document, params) {
      const found = step.process(document, params as P)
      const others = found.metadata.matched === 0 ? whole.get(document) : undefined
      const { matched = 0 } = others ? step.process(others, params as P).metadata : {}
      return matched === 0
        ? found
        : withNotes(found, [
            `Only the named fields were searched: without \`fields\` and \`exclude\` ${formatCount(matched)} match.`,
          ])
    },
  }
}

export const searchSteps: readonly PipelineStep[] = [
  select,
  orByLastWords(amongChosen),
  searchedFields,
  ...[grep, bm25, fuzzy, context].map(tellingOfOthers),
]
export const exploreSteps: readonly PipelineStep[] = [selectAlone, structure]
