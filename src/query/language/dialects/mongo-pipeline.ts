/**
 * Aggregation pipelines of MongoDB as the parameters of a filter: `[{"$match": {…}}, {"$group": {"_id": "$state", "n": {"$sum": 1}}}]`, also
 * as text, with `db.orders.aggregate(…)` around it. A pipeline of which some stage is not read is refused.
 */
import { isObject, valueOfJson } from '../../../protocol/json.ts'
import { Refusal, shown } from '../../refusal.ts'
import { aggregateOf, expressionOf } from './mongo-expression.ts'
import { conditionsIn } from './objects.ts'
import type { SelectParams } from './sql.ts'

/** The longest pipeline, in characters, and its stages. */
const LONGEST = 10_000
const MOST_STAGES = 20

type Stage = Readonly<Record<string, unknown>>

/** The question in a pipeline; undefined where it is none. Throws a `Refusal` where not all of it can be said by parameters. */
export function readPipeline(given: unknown): SelectParams | undefined {
  const stages = stagesIn(given)
  if (!stages) return undefined
  const pipeline = new Pipeline()
  const unread = stages.find((stage) => !pipeline.take(stage))
  if (unread)
    throw new Refusal(
      `The stage \`${shown(JSON.stringify(unread), 100)}\` of a pipeline of MongoDB is not read in this place. Write a SELECT in \`where\`, or \`where\`, \`group_by\`, \`aggregate\`, \`sort\` and \`limit\`.`,
    )
  return pipeline.params()
}

const STAGES: ReadonlySet<string> = new Set(
  '$match $group $project $sort $limit $skip $count $sortByCount $unwind $addFields $set $unset $lookup $facet $bucket $bucketAuto $replaceRoot $replaceWith $sample $setWindowFields $unionWith $out $merge'.split(
    ' ',
  ),
)

/** The stages of a list, or of a text of one. */
function stagesIn(given: unknown): readonly Stage[] | undefined {
  const list = Array.isArray(given) && given.length === 1 && typeof given[0] === 'string' ? given[0] : given
  const stages = typeof list === 'string' ? listIn(list) : list
  if (!Array.isArray(stages) || stages.length === 0 || stages.length > MOST_STAGES) return undefined
  const isStage = (one: unknown): one is Stage =>
    isObject(one) && Object.keys(one).length === 1 && STAGES.has(Object.keys(one)[0] ?? '')
  return stages.every(isStage) ? stages : undefined
}

function listIn(text: string): unknown {
  if (text.length > LONGEST || !text.includes('$')) return undefined
  const inner = /^(?:db\.)?[\w.]+\.aggregate\(\s*(\[.*\])\s*\)\s*;?$/s.exec(text.trim())?.[1] ?? text.trim()
  if (!/^\[\s*\{/.test(inner)) return undefined
  // The shell of MongoDB needs no quotes around names.
  const quoted = inner
    .replaceAll(/'([^'"\\]*)'/g, '"$1"')
    .replaceAll(/([{,]\s*)([A-Za-z_$][\w$.]*)\s*:/g, '$1"$2":')
  return valueOfJson(inner) ?? valueOfJson(quoted)
}

class Pipeline {
  readonly #params: SelectParams = {}
  /** The names of the groups' keys, which `_id` means. */
  #keys: string[] = []

  params(): SelectParams {
    return this.#params
  }

  /** False: a stage is not read. */
  take(stage: Stage): boolean {
    const [[name, given] = ['', undefined]] = Object.entries(stage)
    const isWhole = typeof given === 'number' && Number.isInteger(given) && given > 0
    switch (name) {
      case '$match':
        return this.#match(given)
      case '$group':
        return this.#group(given)
      case '$sortByCount':
        return this.#group({ _id: given, count: { $sum: 1 } }) && this.#sort({ count: -1 })
      case '$count':
        return this.#count(given)
      case '$unwind':
        return this.#unwind(isObject(given) && !given.preserveNullAndEmptyArrays ? given.path : given)
      case '$sort':
        return this.#sort(given)
      case '$limit':
        if (isWhole) this.#params.limit = given
        return isWhole
      case '$skip':
        if (isWhole) this.#params.offset = given
        return isWhole
      case '$project':
        return this.#project(given)
      default:
        return false
    }
  }

  #match(given: unknown): boolean {
    if (!isObject(given) || this.#params.fields || this.#isPaged()) return false
    const conditions = conditionsIn(given)
    if (!conditions.every((one): one is string => typeof one === 'string')) return false
    const about = this.#params.aggregate ? 'having ' : ''
    this.#also(conditions.map((one) => about + one))
    return true
  }

  #also(conditions: readonly string[]): void {
    this.#params.where = [...(this.#params.where ?? []), ...conditions]
  }

  #clear(...names: readonly ('sort' | 'fields' | 'group_by')[]): void {
    for (const name of names) delete this.#params[name]
  }

  /** Stages that count or choose are read before a page is cut out, not behind it. */
  #isPaged(): boolean {
    return this.#params.limit !== undefined || this.#params.offset !== undefined
  }

  #count(given: unknown): boolean {
    if (typeof given !== 'string' || this.#isPaged()) return false
    const [key, another] = this.#params.group_by ?? []
    const isOfSome = another !== undefined || this.#params.where?.some((one) => one.startsWith('having '))
    if (this.#params.aggregate && (key === undefined || isOfSome)) return false
    this.#clear('sort', 'fields', 'group_by')
    return this.#aggregate([`${key === undefined ? 'count' : `count(distinct ${key})`} as ${given}`])
  }

  /** Conditions before it are about whole records: those on the list itself would be about its elements. */
  #unwind(path: unknown): boolean {
    if (typeof path !== 'string' || !/^\$[\w.]+$/.test(path) || this.#params.aggregate || this.#params.fields)
      return false
    const list = path.slice(1)
    const isAsked = this.#params.where?.some((one) => one.includes(list))
    if (isAsked || this.#isPaged() || this.#params.sort) return false
    this.#also([`unnest(${list}) exists`])
    return true
  }

  #aggregate(calls: string[]): boolean {
    this.#params.aggregate = calls
    return true
  }

  #group(given: unknown): boolean {
    if (!isObject(given) || this.#params.aggregate || this.#isPaged()) return false
    if (this.#params.fields?.some((field) => field.includes(' as '))) return false
    const { _id: by, ...columns } = given
    const keys =
      by === null || by === undefined ? [] : isPlainObject(by) ? Object.entries(by) : [['', by] as const]
    const groups = keys.map(([name, key]) => {
      const source = expressionOf(key)
      return source && (name === '' || source === name ? source : `${source} as ${name}`)
    })
    const calls = Object.entries(columns).map(([name, one]) => aggregateOf(name, one))
    if ([...groups, ...calls].includes(undefined)) return false
    // The order of the records says which is the first, and nothing else of groups.
    if (this.#params.sort && calls.some((call) => /^(?:first|last|collect)\(/.test(call ?? ''))) return false
    this.#clear('sort', 'fields')
    this.#keys = groups.map((one) => / as (\w+)$/.exec(one ?? '')?.[1] ?? one ?? '')
    if (groups.length > 0) this.#params.group_by = groups as string[]
    return this.#aggregate(calls.length > 0 ? (calls as string[]) : ['count'])
  }

  #sort(given: unknown): boolean {
    if (!isObject(given)) return false
    this.#params.sort = Object.entries(given).flatMap(([name, direction]) =>
      this.#named(name).map((one) => `${direction === -1 ? '-' : ''}${one}`),
    )
    return this.#params.limit === undefined
  }

  /** `_id` is the keys of the groups, `_id.state` one of them. */
  #named(name: string): string[] {
    if (this.#params.aggregate && name === '_id') return this.#keys
    if (this.#keys.length === 0) return [name]
    return [name.replace(/^_id\./, '')]
  }

  #project(given: unknown): boolean {
    if (!isObject(given) || this.#params.fields) return false
    const wanted = Object.entries(given).filter(([, shown]) => shown !== 0 && shown !== false)
    const fields = wanted.flatMap(([name, shown]) => {
      const source = shown === 1 || shown === true ? undefined : expressionOf(shown)
      return source === undefined
        ? shown === 1 || shown === true
          ? this.#named(name)
          : [undefined]
        : this.#named(source).map((one) => (one === name ? one : `${one} as ${name}`))
    })
    if (fields.includes(undefined)) return false
    if (fields.length === 0) this.#params.exclude = Object.keys(given)
    else this.#params.fields = fields as string[]
    return true
  }
}

/** An object with names for its fields, and no operator. */
function isPlainObject(value: unknown): value is Record<string, unknown> {
  return isObject(value) && !Object.keys(value).some((name) => name.startsWith('$'))
}
