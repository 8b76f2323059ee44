/** Names that differ from a reference in spelling only: case, `_` and `-`, plural, levels left out, a slip of the pen. */

import { keptFor } from '../../text/kept.ts'
import { bareName } from '../../text/words/bare-name.ts'
import { editDistance } from '../../text/words/edit-distance.ts'
import { namesOn, parsePath } from './path.ts'

/** The names of fields that a reference may mean, best first, or several that are as good as each other. */
export type Candidates =
  | { one: string; others: readonly string[] }
  | { several: readonly string[] }
  | undefined

/** A name with its parts spelled plainly, the marks of lists and maps left out. */
interface Spelled {
  name: string
  parts: readonly string[]
}

const spelledNames = new WeakMap<ReadonlyMap<string, unknown>, readonly Spelled[]>()

/** Whether and how one of `names` is meant by `reference`. Looked for in order, from the most alike. */
export function alike(names: ReadonlyMap<string, unknown>, reference: string): Candidates {
  const all = spelled(names)
  const parts = partsOf(reference)
  const whole = parts.join('.')
  const last = parts.at(-1) ?? ''
  if (whole === '') return undefined
  const joined = whole.replaceAll('.', '')
  const tries: ((name: Spelled) => boolean)[] = [
    (name) => name.parts.join('.') === whole,
    (name) => name.parts.join('.').endsWith(`.${whole}`),
    (name) => skips(name.parts, parts),
    (name) => within(name.parts).join('.').endsWith(whole) && ends(within(name.parts), parts),
    (name) => name.parts.join('') === joined,
    (name) => parts.length === 1 && endsJoined(name.parts, joined),
    (name) => name.name.toLowerCase().endsWith(`(${whole})"]`),
    // Its unit or limit left out: `CPU(cores)`, `Cost ($)`, `CPU %`, `MEM USAGE / LIMIT`.
    (name) => {
      const part = name.parts.at(-1) ?? ''
      return part.startsWith(whole) && /^[(/%]/.test(part.slice(whole.length))
    },
    (name) => sameBut(name, parts, singular),
    (name) =>
      last.length > 2 &&
      sameBut(name, parts, (part) => singular(affixed(part).core)) &&
      compatible(name, last) &&
      // `orders` are things, and no `order_id`.
      (singular(last) === last || affixed(name.parts.at(-1) ?? '').kind !== 'id'),
  ]
  for (const fits of tries) {
    const found = all.filter(fits).map(({ name }) => name)
    if (found.length > 0) return shallowest(found)
  }
  return undefined
}

/** The one name a slip away. */
export function typo(names: ReadonlyMap<string, unknown>, reference: string): string | undefined {
  const wanted = partsOf(reference).join('.')
  if (wanted.length < 4) return undefined
  const allowed = wanted.length < 8 ? 1 : 2
  const scored = spelled(names).map(({ name, parts }) => ({
    name,
    edits: Math.min(slips(parts.join('.'), wanted), slips(parts.at(-1) ?? '', wanted)),
  }))
  const least = Math.min(...scored.map(({ edits }) => edits))
  const [one, another] = scored.filter(({ edits }) => edits === least)
  return least > allowed || another ? undefined : one?.name
}

/** One that lies less deep than all others, or all that lie as deep. */
export function shallowest(found: readonly string[]): Candidates {
  const depths = found.map((name) => parsePath(name).length)
  const least = Math.min(...depths)
  const shallow = found.filter((_, at) => depths[at] === least)
  const [one] = shallow
  if (one === undefined || shallow.length > 1) return { several: found }
  return { one, others: found.filter((name) => name !== one) }
}

/** `labels.name` for `labels.nodes.name`: levels in between left out. */
function skips(parts: readonly string[], wanted: readonly string[]): boolean {
  if (wanted.length < 2 || parts.at(-1) !== wanted.at(-1)) return false
  let next = 0
  for (const part of parts) if (part === wanted[next]) next++
  return next === wanted.length
}

/** Without the marks of XML and the prefixes of names: `@id` as `id`, `kubernetes.io/arch` as `arch`. */
function within(parts: readonly string[]): readonly string[] {
  return parts.map((part) => part.replace(/^[@#$]+/, '').replace(/^.*[/:](?=[^/:]+$)/, ''))
}

function ends(parts: readonly string[], wanted: readonly string[]): boolean {
  return wanted.every((part, at) => parts[parts.length - wanted.length + at] === part)
}

/** `userLogin` for `head.user.login`: the last parts, at least two, written as one. */
function endsJoined(parts: readonly string[], joined: string): boolean {
  for (let from = 1; from < parts.length - 1; from++) if (parts.slice(from).join('') === joined) return true
  return false
}

/** The same after `change` of the last part, at any depth. */
function sameBut({ parts }: Spelled, wanted: readonly string[], change: (part: string) => string): boolean {
  const changed = (list: readonly string[]): string[] =>
    list.map((part, at) => (at === list.length - 1 ? change(part) : singular(part)))
  const [own, other] = [changed(parts.slice(-wanted.length)), changed(wanted)]
  return own.length === other.length && own.every((part, at) => part === other[at])
}

/** Things before and after a name that tell what it is: a time, a count, a yes or no. */
const AFFIXES: readonly (readonly [RegExp, string])[] = [
  [/(?:at|on|date|time|timestamp|datetime)$/, 'time'],
  [/(?:count|cnt)$/, 'count'],
  [/^(?:num|numberof|countof|nb|n(?=um))/, 'count'],
  [/^(?:is|has)/, 'flag'],
  [/(?:id)$/, 'id'],
  [/(?:name)$/, 'name'],
]

function affixed(part: string): { core: string; kind: string } {
  for (const [affix, kind] of AFFIXES) {
    const core = part.replace(affix, '')
    if (core !== part && core.length > 2) return { core, kind }
  }
  return { core: part, kind: '' }
}

/** A customer's id is not its name. */
function compatible({ parts }: Spelled, wanted: string): boolean {
  const [own, other] = [affixed(parts.at(-1) ?? '').kind, affixed(wanted).kind]
  return own === other || own === '' || other === ''
}

/** The singular of an English word, by its ending. */
export function singular(part: string): string {
  if (/ies$/.test(part)) return part.replace(/ies$/, 'y')
  if (/(?:sses|xes|ches|shes)$/.test(part)) return part.replace(/es$/, '')
  return /[^s]s$/.test(part) && part.length > 3 ? part.slice(0, -1) : part
}

function spelled(names: ReadonlyMap<string, unknown>): readonly Spelled[] {
  const make = () => [...names.keys()].map((name) => ({ name, parts: partsOf(name) }))
  return keptFor(spelledNames, names, make)
}

/** The names on a path, without case, blanks, `_` and `-`. */
function partsOf(name: string): string[] {
  return namesOn(parsePath(name)).flatMap((part) => {
    const plain = bareName(part)
    // The keys of rows that an earlier step made are paths in themselves.
    return /^[\w.]+$/.test(plain) ? plain.split('.').filter((each) => each !== '') : [plain]
  })
}

/** Edit distance, with two letters exchanged as one slip; in short words another letter makes another word. */
function slips(a: string, b: string): number {
  const edits = editDistance(a, b)
  const letters = (text: string): string => [...text].sort().join('')
  if (edits === 2 && a.length === b.length && letters(a) === letters(b)) return 1
  return edits === 1 && a.length === b.length && a.length < 6 ? 2 : edits
}
