/** What to say of a field that no record has: the nearest names, with some of their values. */
import { nearest } from '../../text/edit-distance.ts'
import type { Records } from '../records.ts'
import { listed, shown } from '../refusal.ts'

/** What to say of a field that no record has. */
export function unknown(records: Records, reference: string): string {
  return missing(records, reference) + records.hint(reference)
}

function missing(records: Records, reference: string): string {
  const names = records.names()
  if (names.size === 0)
    return `The records have no fields; use \`@\` for the record itself instead of \`${reference}\`.`
  const outer = outerOf(records, reference)
  if (outer !== undefined) return outer
  const near = nearest(reference, names.keys(), 4)
  if (near.length === 0)
    return `No record has the field \`${reference}\`. There are: ${listed(outerFirst([...names.keys()]), 25)}.`
  return `No record has the field \`${reference}\`. Nearest: ${withSamples(records, near)}.`
}

/** `user.name`: what `user` has. */
function outerOf(records: Records, reference: string): string | undefined {
  const start = /^(.+)[.[][^.[]+$/.exec(reference)?.[1]
  const inside =
    start === undefined
      ? []
      : [...records.names().keys()].filter(
          (name) => name.startsWith(`${start}.`) || name.startsWith(`${start}[`),
        )
  if (inside.length === 0) return undefined
  return `No record has the field \`${reference}\`. \`${start}\` has: ${withSamples(records, inside.slice(0, 8))}.`
}

function outerFirst(names: readonly string[]): string[] {
  const depth = (name: string): number => name.split(/[.[]/).length
  return [...names].sort((a, b) => depth(a) - depth(b))
}

/** Names, each with two of its values. */
export function withSamples(records: Records, names: readonly string[]): string {
  return names
    .map(
      (name) =>
        `\`${shown(name)}\` (${(records.names().get(name) ?? []).slice(0, 2).map(sample).join(', ')})`,
    )
    .join(', ')
}

function sample(value: unknown): string {
  if (Array.isArray(value)) return 'list'
  return typeof value === 'object' && value !== null ? 'object' : shown(JSON.stringify(value) ?? '', 24)
}
