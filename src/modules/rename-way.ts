/** Which names items of a list get, and the way back from each to the name it has further in. */

import type { JsonObject } from '../protocol/json.ts'
import { originOf } from '../protocol/origin.ts'
import { shortHash } from '../text/short-hash.ts'
import { KINDS, type Kind, namesOf } from './roster.ts'

export type Renamed = Exclude<Kind, 'resourceTemplates'>

/** What becomes of an item. */
export interface Change {
  readonly name?: string | undefined
  readonly title?: string | undefined
  readonly description?: string | undefined
}

/** What is to become of items, by the names that a configuration knows them by. */
export interface Changes {
  readonly byName: ReadonlyMap<string, Change>
  /** All new names. Nobody else has them, whether or not their owners are listed. */
  readonly given: ReadonlySet<string>
}

/** From new names to old ones and back. */
export interface Way {
  readonly inward: ReadonlyMap<string, string>
  readonly outward: ReadonlyMap<string, string>
  /** Old names that nobody has any more. */
  readonly gone: ReadonlySet<string>
}

/** An item whose name was given to another one, and what it is called instead. */
export type Displaced = (name: string, item: JsonObject, instead: string) => void

export function changesOf(entries: Iterable<readonly [string, Change]>): Changes {
  const byName = new Map(entries)
  const given = [...byName.values()].flatMap(({ name }) => (name === undefined ? [] : [name]))
  return { byName, given: new Set(given) }
}

/**
 * The items under their new names. Who is not listed this time keeps the way that `before` knew: a server that is away for a
 * while comes back, and until then nobody else answers to its name.
 */
export function renameAll(
  kind: Renamed,
  items: readonly JsonObject[],
  changes: Changes,
  before: Way | undefined,
  displaced: Displaced,
): { renamed: readonly JsonObject[]; way: Way } {
  const { key } = KINDS[kind]
  const inward = new Map<string, string>()
  const wanted = items.map((item) => changeOf(item, kind, changes.byName))
  const taken = new Set(changes.given)
  items.forEach((item, at) => {
    if (wanted[at]?.name === undefined) taken.add(String(item[key]))
  })
  let isChanged = false
  const renamed = items.map((item, at) => {
    const { name, ...texts } = wanted[at] ?? {}
    const old = String(item[key])
    let now = name !== undefined && !inward.has(name) ? name : old
    if (now === old && name !== old && changes.given.has(old)) {
      now = instead(kind, item, taken)
      displaced(old, item, now)
    }
    const told = Object.entries(texts).filter(([, text]) => text !== undefined)
    if (now !== old || name === old) inward.set(now, old)
    if (now === old && told.length === 0) return item
    isChanged = true
    return { ...item, ...(Object.fromEntries(told) as JsonObject), [key]: now }
  })
  for (const [name, old] of before?.inward ?? [])
    if (changes.given.has(name) && !inward.has(name)) inward.set(name, old)
  const outward = new Map([...inward].map(([name, old]) => [old, name]))
  const names = new Set(renamed.map((item) => String(item[key])))
  const gone = new Set([...outward.keys()].filter((old) => !names.has(old)))
  return { renamed: isChanged ? renamed : items, way: { inward, outward, gone } }
}

function changeOf(item: JsonObject, kind: Kind, changes: ReadonlyMap<string, Change>): Change | undefined {
  for (const name of namesOf(item, kind).toReversed()) {
    const change = changes.get(name)
    if (change !== undefined) return change
  }
  return undefined
}

const LONGEST = 60

/** A name that tells whose it is, and that nobody has. */
function instead(kind: Renamed, item: JsonObject, taken: Set<string>): string {
  const old = String(item[KINDS[kind].key])
  const server = originOf(item)?.server ?? ''
  for (let salt = 0; ; salt++) {
    const mark = salt === 0 && server !== '' ? '' : shortHash(`${server}\n${old}\n${salt}`)
    const name = kind === 'resources' ? markedUri(old, server, mark) : markedName(old, server, mark)
    if (taken.has(name)) continue
    taken.add(name)
    return name
  }
}

function markedName(old: string, server: string, mark: string): string {
  const name = [server.replaceAll(/[^A-Za-z0-9_-]/gu, '_'), old].filter((part) => part !== '').join('_')
  if (mark === '' && name.length <= LONGEST) return name
  const suffix = `_${mark === '' ? shortHash(name) : mark}`
  return name.slice(0, LONGEST - suffix.length) + suffix
}

function markedUri(old: string, server: string, mark: string): string {
  const label = [server.toLowerCase().replaceAll(/[^a-z0-9-]+/gu, '-'), mark].filter((part) => part !== '')
  const [scheme = ''] = /^[a-z][a-z0-9+.-]*(?=:)/iu.exec(old) ?? []
  return scheme === ''
    ? `mcp+${label.join('-')}:${old}`
    : `${scheme}+${label.join('-')}${old.slice(scheme.length)}`
}
