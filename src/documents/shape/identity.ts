/** The names by which records and objects are known: one list for previews, short rows, hits, groups and paths. */

interface Identifying {
  /** In small letters, without `_` and `-`. */
  readonly name: string
  /** Says what something is called, or tells it from others. */
  readonly as: 'label' | 'id'
  /** Identifies whatever it holds; the others do so where their values differ. */
  readonly alone: boolean
}

const label = (name: string, alone = false): Identifying => ({ name, as: 'label', alone })
const id = (name: string, alone = false): Identifying => ({ name, as: 'id', alone })

/** The best first. */
const IDENTIFYING: readonly Identifying[] = [
  label('login', true),
  label('title', true),
  label('name', true),
  label('fullname', true),
  label('displayname', true),
  label('username', true),
  label('subject'),
  label('summary'),
  label('message'),
  label('heading'),
  label('path'),
  label('filename'),
  label('file'),
  label('url'),
  label('text'),
  label('slug', true),
  label('email', true),
  id('number', true),
  id('id', true),
  id('key', true),
  id('line'),
  id('uuid', true),
  id('uid', true),
  id('sha'),
  id('ref'),
  id('sku', true),
  id('code'),
  id('ip'),
]

const RANKS: ReadonlyMap<string, number> = new Map(IDENTIFYING.map(({ name }, rank) => [name, rank]))

/** Names that say what something is called, the best first; in small letters, without `_` and `-`. */
export const LABELS: readonly string[] = IDENTIFYING.flatMap(({ name, as }) => (as === 'label' ? [name] : []))

/** Names that tell things apart, likewise. */
export const IDS: readonly string[] = IDENTIFYING.flatMap(({ name, as }) => (as === 'id' ? [name] : []))

/** A name as the list has it. */
export function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, '')
}

/** True for a name that identifies whatever it holds. */
export function isNaming(name: string): boolean {
  const rank = RANKS.get(plainName(name))
  return rank !== undefined && IDENTIFYING[rank]?.alone === true
}

/** Those of the names that identify something, the best first. */
export function identifying(names: Iterable<string>): string[] {
  const rank = (name: string): number => RANKS.get(plainName(name)) ?? Number.POSITIVE_INFINITY
  return [...new Set(names)]
    .filter((name) => RANKS.has(plainName(name)))
    .sort((one, other) => rank(one) - rank(other))
}
