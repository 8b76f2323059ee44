/** From conditions to the records that fulfil them. */
import type { Pattern } from '../../text/pattern.ts'
import { resolveField } from '../fields.ts'
import { type Records, recordsOfValues } from '../records.ts'
import { Refusal, shown } from '../refusal.ts'
import { Remembered } from '../remembered.ts'
import { isOrdering } from './adapt.ts'
import type { Bound } from './bound.ts'
import { compare, type Findings } from './compare.ts'
import { type Comparison, type Condition, parseCondition, type Reading, type Within } from './condition.ts'
import { grouped, type Member, matcherOf } from './elements.ts'
import { heldBy } from './held-texts.ts'
import { knowing } from './knowing.ts'
import { elementsAt, listsOn, ofElements } from './lists.ts'
import { all, any, countOf, type Matcher, not } from './verdict.ts'

/** Everything that a set of conditions was bound to. */
export interface Binding {
  matches: Matcher
  comparisons: Bound[]
  patterns: Pattern[]
  notes: string[]
}

/** A pattern has a time for all its uses, so each question compiles its own. */
const isLasting = ({ patterns }: Pick<Findings, 'patterns'>): boolean => patterns.length === 0

const bindings = new Remembered<Binding>(8)

/** Reads conditions, finds the fields, compiles the patterns. Throws a `Refusal` for a field that no record has and a bad pattern. */
export function bind(conditions: readonly string[], records: Records): Binding {
  const find = (): Binding => {
    const binder = new Binder(records)
    const read = conditions.map((condition) => parseCondition(condition, binder.reading))
    const matches = binder.together(read)
    const { comparisons, patterns, notes } = binder
    return { matches, comparisons, patterns, notes: [...notes] }
  }
  const bound = bindings.of(records, JSON.stringify(conditions), find, isLasting)
  return { ...bound, notes: [...bound.notes] }
}

const deepestWithin = 3

/** Comparisons of some records as they were read, with what came up. */
const compared = new Remembered<{ bound: Bound; found: Findings }>(32)

class Binder implements Findings {
  readonly comparisons: Bound[] = []
  readonly patterns: Pattern[] = []
  readonly notes = new Set<string>()
  readonly reading: Reading
  private readonly records: Records
  private readonly depth: number

  constructor(records: Records, depth = 0) {
    this.records = records
    this.depth = depth
    this.reading = {
      knows: knowing(records),
      held: heldBy(records),
      note: (text) => this.notes.add(text),
    }
  }

  /** All conditions at once; those about the elements of one list are about the same element. */
  together(conditions: readonly Condition[]): Matcher {
    const flat = conditions.flatMap((condition) => (condition.kind === 'and' ? condition.parts : [condition]))
    const bounds: Bound[] = []
    const others: Matcher[] = []
    for (const condition of flat) {
      if (condition.kind === 'comparison') bounds.push(this.compare(condition))
      else others.push(this.bind(condition))
    }
    return all([...this.elementwise(bounds), ...others])
  }

  private bind(condition: Condition): Matcher {
    switch (condition.kind) {
      case 'not':
        return not(this.bind(condition.part))
      case 'and':
        return this.together(condition.parts)
      case 'or':
        return any(condition.parts.map((part) => this.bind(part)))
      case 'within':
        return this.within(condition, this)
      default:
        return this.compare(condition).matches
    }
  }

  private elementwise(bounds: readonly Bound[]): Matcher[] {
    const apart = bounds.map(({ matches }) => matches)
    if (bounds.length < 2) return apart
    const members = bounds.map((bound) => this.member(bound))
    if (members.filter(({ lists }) => lists.length > 0).length < 2) return apart
    const { members: each, joined } = grouped(members)
    if (joined.length === 0) return apart
    const matchers = each.map(matcherOf)
    const [loose, strict] = [apart, matchers].map((some) => all(some)(this.records.values))
    const lost = loose && strict ? countOf(loose.map((holds, at) => holds & ((strict[at] ?? 0) ^ 1))) : 0
    const gained = loose && strict ? countOf(strict.map((holds, at) => holds & ((loose[at] ?? 0) ^ 1))) : 0
    if (lost + gained > 0) {
      const names = [...new Set(joined.flatMap((member) => member.names))].map(
        (name) => `\`${shown(name, 40)}\``,
      )
      this.notes.add(
        `${names.join(' and ')} ${names.length > 1 ? 'are' : 'is'} compared in the same element of the list${lost > 0 ? `; ${lost} more ${lost === 1 ? 'record has' : 'records have'} it in different ones` : ''}.`,
      )
    }
    return matchers
  }

  private member({ comparison, field, test }: Bound): Member {
    const { operator, measure, negated } = comparison
    const aside =
      operator === 'exists' || operator === 'is null' || operator === 'is empty' || measure === 'length'
    const { path, lists } = aside ? { path: field.path, lists: [] } : listsOn(this.records, field.path)
    return { path, lists, negated, isBound: isOrdering(comparison), about: test, names: [field.name] }
  }

  private within(
    { field: written, quantifier, condition, written: whole }: Within,
    found: Findings,
  ): Matcher {
    if (this.depth >= deepestWithin) throw new Refusal(`The condition \`${whole}\` is nested too deeply.`)
    const field = resolveField(this.records, written)
    if (field.note !== undefined) found.notes.add(field.note)
    const { list } = elementsAt(this.records.values, field.path)
    if (list.length === 0) throw new Refusal(`\`${field.name}\` holds no elements.`)
    const inner = new Binder(recordsOfValues(list), this.depth + 1)
    const holds = inner.together([parseCondition(condition, inner.reading)])
    for (const text of inner.notes) found.notes.add(text)
    found.patterns.push(...inner.patterns)
    return ofElements(field.path, quantifier, holds)
  }

  private compare(written: Comparison): Bound {
    const find = (): { bound: Bound; found: Findings } => {
      const found: Findings = { notes: new Set(), patterns: [] }
      const { records, reading } = this
      const within = (condition: Within, into: Findings): Matcher => this.within(condition, into)
      return { bound: compare({ records, knows: reading.knows, within }, written, found), found }
    }
    const key = JSON.stringify([written, this.depth])
    const { bound, found } = compared.of(this.records, key, find, (one) => isLasting(one.found))
    this.comparisons.push(bound)
    for (const text of found.notes) this.notes.add(text)
    this.patterns.push(...found.patterns)
    return bound
  }
}
