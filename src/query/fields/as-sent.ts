/** Paths as the server's data has them, where it is read as records: `temp[3]` of lists for columns, `rows[3][1]` of rows under names. */
import { CELLS_OF_ROW, headOf, sentAs, wereInOneList } from '../../documents/columns/columnar.ts'
import { isType, wereTyped } from '../../documents/columns/encodings.ts'
import { isObject, type JsonValue, own } from '../../protocol/json.ts'
import { named, nameOf, type Path, type Segment, type Selector } from './path.ts'

/**
 * The path in records that were made of columns, of rows of lists, or of values with the names of their types around them. The same path
 * where it goes through none.
 */
export function asSent(root: JsonValue, path: Path): Path {
  let turned = path
  let here: JsonValue = root
  let isTyped = false
  for (let at = 0; at < turned.length; at++) {
    isTyped ||= wereTyped(here)
    const sent = Array.isArray(here) ? sentAs(here) : undefined
    if (Array.isArray(here) && wereInOneList(here) && isFirst(turned[at + 1]))
      turned = turned.toSpliced(at + 1, 1)
    const [segment, next] = [turned[at], turned[at + 1]]
    if (segment && next && sent === 'columns' && isName(segment) && isPlace(next))
      turned = turned.toSpliced(at, 2, ...exchanged(segment, next))
    else if (segment && next && sent !== undefined && sent !== 'columns' && isPlace(segment)) {
      const name = cell(next, sent)
      const within = turned[at + 2]
      const inRow = nameOf(next) === CELLS_OF_ROW && within ? cell(within, sent) : undefined
      if (name !== undefined) turned = turned.with(at + 1, named(name))
      else if (inRow !== undefined) turned = turned.toSpliced(at + 1, 2, named(inRow))
    }
    const below = child(here, turned[at])
    if (below === undefined) return isTyped ? withoutTypes(turned, at) : turned
    here = below
  }
  return turned
}

/** The path in the value as it was sent, where it goes through rows that had their names above them: `values[4]` is record 3. */
export function amongSentRows(root: JsonValue, path: Path): Path {
  let turned = path
  let here: JsonValue | undefined = root
  for (let at = 0; at < path.length && here !== undefined; at++) {
    const rows = Array.isArray(here) ? headOf(here)?.rows : undefined
    const [only] = path[at]?.selectors ?? []
    if (rows !== undefined && only)
      turned = turned.with(at, { ...(path[at] as Segment), selectors: [below(only, rows)] })
    here = child(here, path[at])
  }
  return turned
}

function below(place: Selector, rows: number): Selector {
  const moved = (index: number | undefined): number | undefined =>
    index === undefined || index < 0 ? index : index + rows
  if (place.kind === 'index') return { ...place, index: moved(place.index) ?? 0 }
  if (place.kind === 'slice') return { ...place, from: moved(place.from) ?? rows, to: moved(place.to) }
  return place.kind === 'all' ? { kind: 'slice', from: rows, to: undefined, step: 1 } : place
}

/** The path without the names of types from `start` on, where the first of them has no value. */
function withoutTypes(path: Path, start: number): Path {
  const names = path.map(nameOf)
  const isTyped = (at: number): boolean => at > 0 && isType(names[at] ?? '', names[at - 1])
  return isTyped(start) ? path.filter((_, at) => at < start || !isTyped(at)) : path
}

/** `items[0:2].name` for `items.name[0:2]`, where the name is that of a single value in each element. Undefined where it is not. */
export function ofEach(root: JsonValue, path: Path): Path | undefined {
  let here: JsonValue = root
  for (const [at, segment] of path.entries()) {
    const next = path[at + 1]
    if (Array.isArray(here) && isName(segment)) {
      const [first] = here.flatMap((element) => child(element, segment) ?? [])
      const isSingle = first !== undefined && (typeof first !== 'object' || first === null)
      return next && isPlace(next) && isSingle
        ? path.toSpliced(at, 2, ...exchanged(segment, next))
        : undefined
    }
    const below = child(here, segment)
    if (below === undefined) return undefined
    here = below
  }
  return undefined
}

/** The target of a name or place: of several elements the first. */
function child(value: JsonValue, segment: Segment | undefined): JsonValue | undefined {
  const only = segment?.selectors[0]
  if (!segment || segment.deep || segment.selectors.length > 1) return undefined
  if (only?.kind === 'name' && isObject(value)) return own(value, only.name)
  if (!Array.isArray(value)) return undefined
  if (only?.kind === 'index') return value.at(only.index)
  if (only?.kind === 'name' && isObject(value[0])) return own(value[0], only.name)
  return only?.kind === 'all' || only?.kind === 'slice' ? value[0] : undefined
}

function isName(segment: Segment): boolean {
  const name = nameOf(segment)
  return name !== undefined && !/^-?\d+$/.test(name)
}

function isPlace({ selectors: [only, another], deep }: Segment): boolean {
  if (deep || another !== undefined || only === undefined) return false
  return only.kind !== 'name' || /^-?\d+$/.test(only.name)
}

function isFirst(segment: Segment | undefined): boolean {
  const [only, another] = segment?.selectors ?? []
  return another === undefined && only?.kind === 'index' && only.index === 0
}

function cell({ selectors: [only, another], deep }: Segment, names: readonly string[]): string | undefined {
  if (deep || another !== undefined) return undefined
  const index =
    only?.kind === 'index'
      ? only.index
      : only?.kind === 'name' && /^\d+$/.test(only.name)
        ? Number(only.name)
        : undefined
  return index === undefined ? undefined : names.at(index)
}

/** First the elements, then the value in each; a condition on the values is one on the elements. */
function exchanged(name: Segment, place: Segment): Segment[] {
  const [value, only] = [name.selectors[0], place.selectors[0]]
  if (only?.kind !== 'filter' || value?.kind !== 'name') return [place, bare(name)]
  const holds: typeof only.holds = (element, root, work) => {
    const held = isObject(element) ? own(element, value.name) : undefined
    return held !== undefined && only.holds(held, root, work)
  }
  return [{ ...place, selectors: [{ ...only, holds }] }, bare(name)]
}

/** A name that is not the beginning of one with dots in it any more. */
function bare(segment: Segment): Segment {
  return { ...segment, dotted: [] }
}
