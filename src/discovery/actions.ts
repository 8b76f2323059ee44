/** Verbs that say what is done, not to what. Most tools have one of them, and most questions that no tool answers, too. */
import { stemOf } from '../text/words/words.ts'
import lines from './actions.json' with { type: 'json' }

let actions: ReadonlySet<string> | undefined

/** True for the stem of such a verb. */
export function isAction(stem: string): boolean {
  actions ??= new Set(lines.flatMap((line) => line.split(' ').map(stemOf)))
  return actions.has(stem)
}
