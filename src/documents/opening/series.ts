/**
 * Series of points. Monitors and markets send pairs of a time and a value (Prometheus), or a list of times beside lists of values
 * (CloudWatch, Yahoo). Others send rows or columns under names (InfluxDB, Grafana). The points of all series are read as one list
 * of records. So are the lists that two or three records hold.
 */

import { isObject, type JsonObject, type JsonValue, own, setOwn } from '../../protocol/json.ts'
import { formatPlural } from '../../text/format.ts'
import { columnNames, sentAs } from '../columns/columnar.ts'
import { emptyRecord } from '../columns/record-maker.ts'
import { toJson } from '../json/stringify.ts'
import {
  areOfOneKind,
  type Collection,
  childAt,
  fieldNames,
  keyedRecords,
  listOfPages,
  OF_ALL,
  pathStep,
  stepsIn,
  withField,
} from '../shape/collections.ts'
import { IDS, LABELS, plainName } from '../shape/identity.ts'

/** Levels of objects between a series and its lists, points in all, and the mean of a series: fewer are a detail of a record. */
const DEEPEST = 4
const MOST_POINTS = 1_000_000
const FEWEST_EACH = 8
/** Elements of a list, and series, that are looked at to tell what they are. */
const SAMPLE = 20
/** Fields that say what a series is; of more, only those of the series itself. */
const MOST_LABELS = 12
/** Lists of one object that are read as one. */
const MOST_LISTS = 50
/** More series than these are records, of which each has its points. With more numbers beside its lists one is a record with a history. */
const FEW = 3
const MOST_NUMBERS = 2

/**
 * The points of the series that the main collection is, is in, or is a list of. Where it is a list in one of two or three records, these
 * are the records of all of them. Undefined where it is anything else.
 */
export function pointsIn(root: JsonValue, main: Collection): Collection | undefined {
  const places = [{ path: '$', value: root }]
  for (const step of stepsIn(main.path)) {
    const last = places[0] as { path: string; value: JsonValue }
    const value = childAt(last.value, step)
    if (value === undefined) return undefined
    places.unshift({ path: last.path + step, value })
  }
  if (main.keys !== undefined) return places[1] && ofLikeMaps(places[1].value, places[1].path, main)
  for (const [at, { path, value }] of places.entries()) {
    const around = places[at + 1]
    const points = Array.isArray(value)
      ? ofFew(value, path, main)
      : ((around && ofAllIn(around.value, around.path, main)) ??
        ofOne(value, path, main) ??
        ofLikeLists(value, path, main))
    if (points) return points
  }
  return undefined
}

/** The points of all series in a list, `ofDetails` where a series is but a detail of its record. Undefined where not all are series. */
export function pointsOf(list: readonly JsonValue[], ofDetails: boolean): Collection | undefined {
  return ofSeries(list, '$', { path: '$', keys: undefined, values: list }, undefined, ofDetails)
}

function ofAllIn(value: JsonValue, path: string, main: Collection): Collection | undefined {
  if (Array.isArray(value)) return ofFew(value, path, main)
  const keys = isObject(value) ? Object.keys(value) : []
  if (!isObject(value) || keys.length < 2 || keys.length > FEW) return undefined
  const values = keys.map((key) => own(value, key) ?? null)
  return ofSeries(values, path, main, keys)
}

function ofFew(list: readonly JsonValue[], path: string, main: Collection): Collection | undefined {
  if (list.length <= FEW || listOfPages(list) !== undefined)
    return ofSeries(list, path, main) ?? ofLists(list, path, main)
  return list.length <= MOST_LISTS && areTables(list) ? ofSeries(list, path, main) : undefined
}

/** True for tables of a name, columns and rows, as InfluxDB sends one for each set of tags: a question is about their rows. */
function areTables(list: readonly JsonValue[]): boolean {
  return list.every((one) => isObject(one) && columnNames(one).length > 0)
}

/** `keys`: those of the series, where they are the values of an object. */
function ofSeries(
  list: readonly JsonValue[],
  path: string,
  from: Collection,
  keys?: readonly string[],
  ofDetails = false,
): Collection | undefined {
  if (!list.slice(0, SAMPLE).every((one) => seriesOf(one) !== undefined)) return undefined
  const all = list.flatMap((one) => seriesOf(one) ?? [])
  const first = all.find(({ length }) => length > 0)
  if (!first || all.length < list.length) return undefined
  const names = JSON.stringify(first.fields)
  if (!all.every(({ fields, length }) => length === 0 || JSON.stringify(fields) === names)) return undefined
  if (!ofDetails && all.length > FEW && numbersIn(first.labels()) > MOST_NUMBERS) return undefined
  return together(all, `${path}${keys ? '.*' : '[*]'}${first.place}`, path, from, { keys })
}

/** The records of all lists of one kind, where the main one is in one of few records. */
function ofLists(list: readonly JsonValue[], path: string, main: Collection): Collection | undefined {
  const [which, ...steps] = main.path.startsWith(path) ? stepsIn(main.path.slice(path.length)) : []
  if (which === undefined || steps.length === 0 || list.length < 2) return undefined
  const place = steps.join('')
  const all = list.flatMap((one): Series[] => {
    const held = steps.reduce<JsonValue | undefined>(childAt, one)
    if (!isObject(one) || !Array.isArray(held) || !sampleOf(held).every(isObject)) return []
    const isLike = held.length === 0 || areOfOneKind(main.values, held)
    return isLike ? [{ ...ofRecords(held, place), labels: () => labelsIn(one, 0) }] : []
  })
  return all.length < list.length ? undefined : together(all, `${path}[*]${place}`, path, main)
}

/** The records of all lists of one object, where they are of one kind and one of them is the main one: `{"open": […], "closed": […]}`. */
function ofLikeLists(value: JsonValue, path: string, main: Collection): Collection | undefined {
  if (!isObject(value)) return undefined
  const keys = Object.keys(value).filter((key) => Array.isArray(own(value, key)))
  if (keys.length < 2 || keys.length > MOST_LISTS || !keys.some((key) => path + pathStep(key) === main.path))
    return undefined
  if (keys.some((key) => OF_ALL.test(key))) return undefined
  const all = keys.flatMap((key): Series[] => {
    const list = own(value, key)
    if (!Array.isArray(list) || !sampleOf(list).every(isObject)) return []
    const isLike = list.length === 0 || areAlike(main.values, list)
    return isLike ? [{ ...ofRecords(list, ''), time: undefined, labels: () => ({}) }] : []
  })
  // One list beside empty ones is known by its own path.
  const filled = all.filter(({ length }) => length > 0).length
  return filled < 2 ||
    all.length < keys.length ||
    isRepeated(keys.map((key) => own(value, key) as JsonValue[]))
    ? undefined
    : together(all, `${path}.*`, path, main, { keys, areLists: true })
}

/** True where the longest list has the records of the others as well: `tests` beside `passes` and `failures`. Together they would count twice. */
function isRepeated(lists: readonly JsonValue[][]): boolean {
  const longest = lists.reduce((one, other) => (other.length > one.length ? other : one))
  const others = lists.filter((list) => list !== longest && list.length > 0)
  return (
    others.length > 0 &&
    others.every((list) => {
      const some = [list[0], list[list.length >> 1], list.at(-1)]
      return some.every((record) => longest.some((one) => isSameRecord(one, record ?? null)))
    })
  )
}

function isSameRecord(one: JsonValue, other: JsonValue): boolean {
  if (!isObject(one) || !isObject(other)) return false
  const keys = Object.keys(one)
  // Most differ in a value that is no object.
  return (
    keys.every((key) => typeof own(one, key) === 'object' || own(one, key) === own(other, key)) &&
    toJson(one) === toJson(other)
  )
}

/** The records of all maps of one object, likewise: `{"red": {"ann": {…}}, "blue": {"bo": {…}}}`. */
function ofLikeMaps(value: JsonValue, path: string, main: Collection): Collection | undefined {
  if (!isObject(value)) return undefined
  const keys = Object.keys(value).filter((key) => isObject(own(value, key)))
  if (keys.length < 2 || keys.length > MOST_LISTS || !keys.some((key) => path + pathStep(key) === main.path))
    return undefined
  const maps = keys.map((key) => {
    const map = own(value, key) as JsonObject
    const inner = Object.keys(map)
    return { key, path: path + pathStep(key), keys: inner, values: inner.map((one) => own(map, one) ?? null) }
  })
  const areLike = maps.every(({ values }) => values.every(isObject) && areAlike(main.values, values))
  const count = maps.reduce((sum, { values }) => sum + values.length, 0)
  if (!areLike || count < FEWEST_EACH * maps.length || count > MOST_POINTS) return undefined
  const holder = holderOf(path)
  return {
    path: `${path}.*.*`,
    keys: undefined,
    values: maps.flatMap((map) => keyedRecords(map).map((record) => withField(holder, map.key, record))),
    gathered: {
      from: main,
      path,
      said: `${formatPlural(count, 'record')} of ${formatPlural(maps.length, 'map')}`,
      shown: `${path}.*.*`,
      fields: [],
      time: undefined,
      by: holder,
      placeOf(at) {
        let left = at
        for (const { path: place, keys } of maps) {
          if (left < keys.length) return place + pathStep(keys[left] ?? '')
          left -= keys.length
        }
        return path
      },
    },
  }
}

/** True where records of two lists are of one kind by more than what identifies them: `id` and `name` are in records of any kind. */
function areAlike(values: readonly JsonValue[], others: readonly JsonValue[]): boolean {
  const names = fieldNames(others)
  const isTelling = (name: string): boolean => names.has(name) && !IDENTIFYING.has(plainName(name))
  return areOfOneKind(values, others) && [...fieldNames(values)].some(isTelling)
}

const IDENTIFYING: ReadonlySet<string> = new Set([...IDS, ...LABELS])

/** The name of the field that says which of them a record is of, where `_key` is its own. */
function holderOf(path: string): string {
  return /\w+$/.exec(path)?.[0] ?? '_of'
}

function ofOne(value: JsonValue, path: string, from: Collection): Collection | undefined {
  const series = seriesOf(value)
  // Records are the main collection already.
  return series && !series.isRecords
    ? together([series], path + series.place, path, from, { isOne: true })
    : undefined
}

function together(
  all: readonly Series[],
  place: string,
  path: string,
  from: Collection,
  {
    keys,
    isOne = false,
    areLists = false,
  }: { keys?: readonly string[] | undefined; isOne?: boolean; areLists?: boolean } = {},
): Collection | undefined {
  const first = all.find(({ length }) => length > 0)
  const total = all.reduce((sum, { length }) => sum + length, 0)
  if (!first || total < FEWEST_EACH * all.length || total > MOST_POINTS) return undefined
  const { fields, time, isRecords } = first
  const isList = isRecords && time === undefined
  const { points, repeated } = flat(all, holderOf(path), keys)
  const said = `${formatPlural(total, isList ? 'record' : 'point')} of ${formatPlural(all.length, isList ? 'list' : 'series')}`
  return {
    path: `${place}[*]`,
    keys: undefined,
    values: points,
    gathered: {
      from,
      path,
      ...(repeated.some((one) => Object.keys(one).length > 0) && { repeated }),
      lists: new Set(all.flatMap(({ lists }) => lists)),
      said,
      shown: isList ? `${place}[*]` : path,
      fields,
      time,
      ...(areLists && { by: '_key' }),
      placeOf: placesIn(all, (at) => (isOne ? path : path + (keys ? pathStep(keys[at] ?? '') : `[${at}]`))),
    },
  }
}

/** The paths of the points, where each series has them in one list. `pathOf`: the path of a series. */
function placesIn(
  all: readonly Series[],
  pathOf: (series: number) => string,
): ((point: number) => string) | undefined {
  if (!all.every(({ isElement, length }) => isElement || length === 0)) return undefined
  return (point) => {
    let [series, left] = [0, point]
    for (const { length } of all) {
      if (left < length) break
      left -= length
      series += 1
    }
    return `${pathOf(series)}${all[series]?.place}[${left}]`
  }
}

/**
 * A record for each point: its own fields, then what its series has beside its lists, under `holder` where the name is taken. Where records
 * share more than an id with what they are in, all of that is there: `failures` of a suite would look like a field of its test.
 */
function flat(
  all: readonly Series[],
  holder: string,
  keys?: readonly string[],
): { points: JsonValue[]; repeated: JsonObject[] } {
  const points: JsonValue[] = []
  const labels = all.map((series) => told(series.labels(), all.length > 1))
  const known = new Set(all.flatMap((series) => [...namesIn(series)]))
  const areRecords = all.some(({ isRecords }) => isRecords)
  const isShared = ([key]: readonly [string, JsonValue]): boolean =>
    known.has(key) && !IDENTIFYING.has(plainName(key))
  const isTaken = areRecords && labels.some((some) => some.some(isShared))
  const repeated = all.map((_, which) => {
    const others: JsonObject = {}
    const within: JsonObject = {}
    if (keys) setOwn(others, '_key', keys[which] ?? '')
    for (const [key, value] of labels[which] ?? [])
      setOwn(isTaken || known.has(key) ? within : others, key, value)
    if (Object.keys(within).length > 0) setOwn(others, holder, within)
    return others
  })
  for (const [which, { fields, length, isRecords, put }] of all.entries()) {
    const others = repeated[which] ?? {}
    const names = Object.keys(others)
    const form = isRecords ? [] : [...fields, ...names]
    const empty = emptyRecord(form, form.length)
    for (let at = 0; at < length; at++) {
      const point = { ...empty }
      put(at, point)
      for (const key of names) setOwn(point, key, own(others, key) ?? null)
      points.push(point)
    }
  }
  return { points, repeated }
}

/** The names of fields in all points: a record may have one that few others have. */
function namesIn({ fields, isRecords, lists }: Series): Iterable<string> {
  if (!isRecords) return fields
  const names = new Set<string>()
  for (const record of lists[0] ?? [])
    if (isObject(record)) for (const key of Object.keys(record)) names.add(key)
  return names
}

/** The labels that each point repeats. */
function told(labels: JsonObject, isOneOfMany: boolean): [string, JsonValue][] {
  const all = Object.keys(labels).map((key): [string, JsonValue] => [key, own(labels, key) ?? null])
  if (leaves(labels) <= MOST_LABELS) return all
  return isOneOfMany ? all.filter(([, value]) => isScalar(value)).slice(0, MOST_LABELS) : []
}

/** The lists of one series, side by side. */
interface Lists {
  /** The fields of a point, and which of them has the time. */
  readonly fields: readonly string[]
  readonly time: string | undefined
  readonly length: number
  /** JSONPath from the series to the first of its lists. */
  readonly place: string
  /** The server sent a record for each point. */
  readonly isRecords: boolean
  /** Each point is an element of the list at `place`. */
  readonly isElement: boolean
  /** The lists that hold the points. */
  readonly lists: readonly (readonly JsonValue[])[]
  /** Puts the fields of a point into a record. */
  readonly put: (point: number, into: JsonObject) => void
}

interface Series extends Lists {
  /** The fields of the series beside its lists. */
  readonly labels: () => JsonObject
}

interface Column {
  readonly name: string
  /** The list that it is read of. */
  readonly list: readonly JsonValue[]
  readonly at: (point: number) => JsonValue
}

function ofColumns(columns: readonly Column[], length: number, place: string, isElement = false): Lists {
  const isTimed = ({ name, at }: Column): boolean =>
    OF_TIMES.test(name) || areTimes(positionsIn(length).map(at))
  return {
    fields: columns.map(({ name }) => name),
    time: length === 0 ? undefined : columns.find(isTimed)?.name,
    length,
    place,
    isRecords: false,
    isElement,
    lists: columns.map(({ list }) => list),
    put(point, into) {
      for (const { name, at } of columns) setOwn(into, name, at(point))
    },
  }
}

function ofRecords(list: readonly JsonValue[], place: string): Lists {
  const sample = sampleOf(list).filter(isObject)
  const fields = [...new Set(sample.flatMap((record) => Object.keys(record)))]
  return {
    fields,
    time: fields.find((name) => areTimes(sample.map((record) => own(record, name) ?? null))),
    length: list.length,
    place,
    isRecords: true,
    isElement: true,
    lists: [list],
    put(point, into) {
      const record = list[point] ?? null
      if (!isObject(record)) setOwn(into, '_value', record)
      else for (const key of Object.keys(record)) setOwn(into, key, own(record, key) ?? null)
    },
  }
}

/** A list below a series. */
interface Part {
  readonly key: string
  /** JSONPath from the series. */
  readonly place: string
  readonly list: readonly JsonValue[]
}

/** The object as a series; undefined for any other. One without a point is a series as well. */
function seriesOf(value: JsonValue): Series | undefined {
  if (!isObject(value)) return undefined
  const parts: Part[] = []
  collect(value, '', 0, parts)
  if (parts.length === 0) return undefined
  const lists = parts.every(({ list }) => list.length === 0)
    ? ofColumns([], 0, '')
    : (underNames(value, parts) ?? pairsIn(parts) ?? besideTimes(parts) ?? pointsAmong(parts))
  return lists && { ...lists, labels: () => labelsIn(value, 0) }
}

/** All lists that objects, and lists of one object, lead to. */
function collect(object: JsonObject, place: string, depth: number, parts: Part[]): void {
  for (const [key, value] of Object.entries(object)) {
    const at = place + pathStep(key)
    if (isObject(value)) {
      if (depth < DEEPEST) collect(value, at, depth + 1, parts)
    } else if (Array.isArray(value)) {
      const [only, another] = value
      if (isObject(only) && another === undefined && depth < DEEPEST)
        collect(only, `${at}[0]`, depth + 1, parts)
      else parts.push({ key, place: at, list: value })
    }
  }
}

/** Names of lists that say nothing of what is in them. */
const OF_POINTS = /^(?:values?|data|points?(?:list)?|data_?points?|samples?|series)$/i

/** Lists of a time and a value, at the same times where there are several. */
function pairsIn(parts: readonly Part[]): Lists | undefined {
  const timed = parts.flatMap((part) => {
    const time = timesOfPairs(part.list)
    return time === undefined ? [] : [{ ...part, time }]
  })
  const [first, another] = timed
  if (!first) return undefined
  const cell = (list: readonly JsonValue[], point: number, place: number): JsonValue => {
    const pair = list.at(point)
    return Array.isArray(pair) ? (pair[place] ?? null) : null
  }
  const isTogether = ({ list, time }: (typeof timed)[number]): boolean =>
    list.length === first.list.length &&
    [0, -1].every((point) => cell(list, point, time) === cell(first.list, point, first.time))
  if (!timed.every(isTogether)) return undefined
  const values = timed.map(
    ({ key, list, time }): Column => ({
      name: another || !OF_POINTS.test(key) ? key : areLines(list, 1 - time) ? 'line' : 'value',
      list,
      at: (point) => cell(list, point, 1 - time),
    }),
  )
  const times: Column = {
    name: 'time',
    list: first.list,
    at: (point) => cell(first.list, point, first.time),
  }
  return ofColumns([times, ...values], first.list.length, first.place, another === undefined)
}

/** True where the pairs hold texts, as logs have them. */
function areLines(pairs: readonly JsonValue[], place: number): boolean {
  return sampleOf(pairs).every((pair) => {
    const held = (pair as readonly JsonValue[])[place]
    return typeof held === 'string' && Number.isNaN(Number(held)) && !/^(?:NaN|[-+]?Inf)$/.test(held)
  })
}

/** Where the time is in pairs of a time and a scalar; undefined for other lists. */
function timesOfPairs(list: readonly JsonValue[]): 0 | 1 | undefined {
  const sample = sampleOf(list)
  const isPair = (pair: JsonValue): pair is JsonValue[] =>
    Array.isArray(pair) && pair.length === 2 && pair.every(isScalar)
  if (sample.length === 0 || !sample.every(isPair)) return undefined
  return ([0, 1] as const).find((place) => areTimes(sample.map((pair) => pair[place] ?? null)))
}

/** Rows of lists, or a list for each column, under names that are given beside them. */
function underNames(value: JsonObject, parts: readonly Part[]): Lists | undefined {
  const candidates = columnNames(value)
  for (const { list, place } of candidates.length > 0 ? parts : []) {
    const sample = sampleOf(list)
    if (sample.length === 0 || !sample.every(Array.isArray)) continue
    const lists = list as readonly (readonly JsonValue[])[]
    const length = lists[0]?.length ?? 0
    const areEven = (some: readonly JsonValue[]) =>
      some.every((one) => (one as JsonValue[]).length === length)
    const across = candidates.find((names) => names.length === length)
    if (across && areEven(sample)) {
      const columns = across.map((name, column) => ({
        name,
        list,
        at: (row: number) => lists[row]?.[column] ?? null,
      }))
      return ofColumns(columns, list.length, place, true)
    }
    const down = candidates.find((names) => names.length === list.length)
    if (down && areEven(list)) {
      const columns = down.map((name, column) => ({
        name,
        list: lists[column] ?? [],
        at: (row: number) => lists[column]?.[row] ?? null,
      }))
      return ofColumns(columns, length, `${place}[0]`)
    }
  }
  return undefined
}

/** Lists of scalars that are as long as one that holds times. */
function besideTimes(parts: readonly Part[]): Lists | undefined {
  const columns = parts.flatMap((part): (Part & Pick<Column, 'at'>)[] => {
    const { list } = part
    const [first] = list
    if (sentAs(list) === 'columns' && isObject(first))
      return Object.keys(first).map((key) => ({
        ...part,
        key,
        at: (point) => own(list[point] as JsonObject, key) ?? null,
      }))
    const isColumn = list.length > 0 && sampleOf(list).every(isScalar)
    return isColumn ? [{ ...part, at: (point) => list[point] ?? null }] : []
  })
  const timed = columns
    .filter(({ key, list, at }) => OF_TIMES.test(key) || areTimes(positionsIn(list.length).map(at)))
    .sort((one, other) => other.list.length - one.list.length)
  // Large numbers that only grow look like times as well.
  const time = timed.find(({ key }) => OF_TIMES.test(key)) ?? timed[0]
  const beside = columns.filter((column) => column !== time && column.list.length === time?.list.length)
  if (!time || beside.length === 0) return undefined
  const keys = beside.map(({ key }) => key)
  const isTwice = (key: string): boolean => keys.indexOf(key) !== keys.lastIndexOf(key) || key === time.key
  const all = [time, ...beside].map(
    (column): Column => ({
      name: column !== time && isTwice(column.key) ? column.place.replace(/^\./, '') : column.key,
      list: column.list,
      at: column.at,
    }),
  )
  return ofColumns(all, time.list.length, time.place)
}

/** The one list of records of few fields: a time, and numbers. */
function pointsAmong(parts: readonly Part[]): Lists | undefined {
  const [only, another] = parts.filter(({ list }) => list.length > 0 && !sampleOf(list).every(isScalar))
  if (!only || another || !sampleOf(only.list).every(isObject)) return undefined
  const lists = ofRecords(only.list, only.place)
  if (lists.time === undefined || lists.fields.length < 2 || lists.fields.length > MOST_FIELDS)
    return undefined
  const isNumber = (value: JsonValue): boolean => isScalar(value) && typeof value !== 'string'
  const isPoint = (record: JsonValue): boolean =>
    lists.fields.every((name) => name === lists.time || isNumber(own(record as JsonObject, name) ?? null))
  return sampleOf(only.list).every(isPoint) ? lists : undefined
}

const MOST_FIELDS = 6
/** Names of lists of times that are written in a form of their own. */
const OF_TIMES = /^(?:time(?:stamp)?s?|date(?:time)?s?)$/i
/** A date, or milli-, micro- or nanoseconds since 1970. */
const TIME = /^(?:\d{4}-\d\d-\d\d(?:$|[T ]\d\d:\d\d)|1\d{12}(?:\d{3}){0,2}$)/

/** True where all are times, and none goes back, or none goes on. */
function areTimes(values: readonly JsonValue[]): boolean {
  const isTime = (value: JsonValue): boolean =>
    typeof value === 'string' ? TIME.test(value) : typeof value === 'number' && value > 1e8 && value < 1e14
  if (values.length === 0 || !values.every(isTime)) return false
  const ordered = (holds: (one: JsonValue, before: JsonValue) => boolean): boolean =>
    values.every((value, at) => at === 0 || holds(value, values[at - 1] ?? null))
  return ordered((one, before) => isOver(one, before)) || ordered((one, before) => isOver(before, one))
}

function isOver(one: JsonValue, other: JsonValue): boolean {
  return typeof one === typeof other && (one as number | string) >= (other as number | string)
}

function isScalar(value: JsonValue): boolean {
  return typeof value !== 'object' || value === null
}

/** Some elements, the first and some to the last. */
function sampleOf(list: readonly JsonValue[]): readonly JsonValue[] {
  return list.length <= SAMPLE ? list : positionsIn(list.length).map((at) => list[at] ?? null)
}

function positionsIn(length: number): number[] {
  if (length <= SAMPLE) return Array.from({ length }, (_, at) => at)
  return Array.from({ length: SAMPLE }, (_, at) => Math.floor((at * (length - 1)) / (SAMPLE - 1)))
}

/** The fields of a series beside its lists. The labels of a frame of Grafana are in the fields that name its columns. */
function labelsIn(object: JsonObject, depth: number): JsonObject {
  const labels: JsonObject = {}
  for (const [key, value] of Object.entries(object)) {
    if (Array.isArray(value)) {
      if (areTags(value)) setOwn(labels, key, value)
      for (const one of value.length <= SAMPLE ? value : []) {
        const given = isObject(one) ? own(one, 'labels') : undefined
        if (isObject(given)) setOwn(labels, 'labels', { ...(own(labels, 'labels') as JsonObject), ...given })
      }
    } else if (isScalar(value)) setOwn(labels, key, value)
    else if (depth < DEEPEST) {
      const inner = labelsIn(value as JsonObject, depth + 1)
      if (Object.keys(inner).length > 0) setOwn(labels, key, inner)
    }
  }
  return labels
}

/** Pairs of a name and a value, as those of `resource` in OpenTelemetry. */
function areTags(list: readonly JsonValue[]): boolean {
  const isTag = (one: JsonValue): boolean => {
    const [name = '', value = '', ...more] = isObject(one) ? Object.keys(one) : []
    return more.length === 0 && /^(?:key|name)$/i.test(name) && /^value$/i.test(value)
  }
  return list.length > 0 && list.length <= SAMPLE && list.every(isTag)
}

function leaves(value: JsonValue): number {
  return isObject(value) ? Object.values(value).reduce<number>((sum, one) => sum + leaves(one), 0) : 1
}

function numbersIn(value: JsonValue): number {
  if (isObject(value)) return Object.values(value).reduce<number>((sum, one) => sum + numbersIn(one), 0)
  return typeof value === 'number' ? 1 : 0
}
