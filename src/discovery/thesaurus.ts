/**
 * Words of questions and what definitions of tools call the same. Each line of `thesaurus.json` is a group of words that may all stand
 * for one another, or `words > words`: those on the left may stand for those on the right, never the other way round. General English,
 * nothing of any one server: `groups` the verbs of interfaces and the things they are about, `everyday` fields of life and work,
 * `families` words that no rule of endings brings together, `phrases` verbs of two words, `actions` verbs that say what is done.
 */
import { stemOf } from '../text/words.ts'
import data from './thesaurus.json' with { type: 'json' }

/** One line: the words that it gives for those on its left, and their stems once they were needed. */
interface Group {
  readonly words: string
  stems?: readonly string[]
}

/**
 * What stands on the left, by first letter: stems are made of one letter when a word with it is asked for, as those of all take longer
 * than anything else at the start. No rule of endings changes the first letter.
 */
const byLetter = new Map<string, [word: string, group: Group][]>()
for (const line of [...data.groups, ...data.everyday, ...data.families]) {
  const [left = '', right = left] = line.split(' > ')
  const group: Group = { words: right }
  for (const word of left.split(' ')) {
    const letter = word.slice(0, 1)
    const before = byLetter.get(letter)
    if (before) before.push([word, group])
    else byLetter.set(letter, [[word, group]])
  }
}

const none: readonly string[] = []
const stemmed = new Map<string, Map<string, Group[]>>()
const lists = new Map<string, readonly string[]>()

/** Stems that may stand for a stem. */
export function alikeTo(stem: string): readonly string[] {
  const known = lists.get(stem)
  if (known !== undefined) return known
  const groups = groupsOf(stem)
  if (groups === undefined) return none
  const others = new Set(groups.flatMap(stemsOf))
  others.delete(stem)
  const list = [...others]
  lists.set(stem, list)
  return list
}

function groupsOf(stem: string): Group[] | undefined {
  const letter = stem.slice(0, 1)
  const entries = byLetter.get(letter)
  if (entries === undefined) return undefined
  const known = stemmed.get(letter)
  if (known !== undefined) return known.get(stem)
  const made = new Map<string, Group[]>()
  for (const [word, group] of entries) {
    const key = stemOf(word)
    const before = made.get(key)
    if (before) before.push(group)
    else made.set(key, [group])
  }
  stemmed.set(letter, made)
  return made.get(stem)
}

function stemsOf(group: Group): readonly string[] {
  group.stems ??= group.words.split(' ').map(stemOf)
  return group.stems
}

// Verbs of two words: `call off` is neither a call nor off. In a question they stand for the one verb that
// they mean, so that tools are not found by their parts.

/** Words that may stand between the two: `shut the old machine down`. */
const mostBetween = 2

/** What each verb means by what follows it, all as stems. */
const meanings = new Map<string, Map<string, string>>()
for (const line of data.phrases) {
  const [phrase = '', meaning = ''] = line.split(' > ')
  const [verb = '', particle = ''] = phrase.split(' ').map(stemOf)
  const known = meanings.get(verb) ?? new Map<string, string>()
  meanings.set(verb, known.set(particle, stemOf(meaning)))
}

/** The stems of a question, in their order, with one for each verb of two words. */
export function withoutPhrases(words: readonly string[]): string[] {
  const left = [...words]
  for (let at = 0; at < left.length; at++) {
    const known = meanings.get(left[at] as string)
    if (known === undefined) continue
    for (let after = at + 1; after <= at + 1 + mostBetween && after < left.length; after++) {
      const meaning = known.get(left[after] as string)
      if (meaning === undefined) continue
      left[at] = meaning
      left.splice(after, 1)
      break
    }
  }
  return left
}

/** True for the stem of a verb that says what is done, not to what: most tools have one of them, and most questions that no tool answers, too. */
export function isAction(stem: string): boolean {
  actions ??= new Set(data.actions.flatMap((line) => line.split(' ').map(stemOf)))
  return actions.has(stem)
}

let actions: ReadonlySet<string> | undefined
