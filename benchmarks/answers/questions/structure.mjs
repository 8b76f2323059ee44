/** How many records a collection has, and which fields. */
import { evaluate } from './evaluate.mjs'
import { sayIn } from './words.mjs'

/** As many names as a person would list. */
const MOST_FIELDS = 25

export function structure(payload, { random, count }) {
  const asks = payload.collections.flatMap((collection) => [
    { collection: collection.at, structure: 'records' },
    { collection: collection.at, structure: 'fields' },
  ])
  const [first, ...others] = asks.filter((ask) => payload.kind !== 'log' || ask.structure === 'records')
  if (first === undefined) return []
  return [first, ...random.shuffled(others)]
    .flatMap((ask) => {
      const gold = evaluate(ask, payload)
      if (ask.structure === 'records') {
        const what = payload.kind === 'log' ? 'lines' : 'records'
        return [{ text: `How many ${what} are there${sayIn(ask.collection)} in all?`, ask, gold }]
      }
      const names = gold.set
      if (names.length > MOST_FIELDS || names.some((name) => name.length > 60 || /["\\\n]/.test(name)))
        return []
      return [
        {
          text: `Which fields do the records${sayIn(ask.collection)} have, all that occur in at least one of them?`,
          ask,
          gold,
        },
      ]
    })
    .slice(0, count)
}
