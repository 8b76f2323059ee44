/** All questions about a set of payloads. */

import { absent } from './absent.mjs'
import { count } from './count.mjs'
import { filter } from './filter.mjs'
import { group } from './group.mjs'
import { join } from './join.mjs'
import { log } from './log.mjs'
import { lookup } from './lookup.mjs'
import { needle } from './needle.mjs'
import { chance } from './random.mjs'
import { relevance } from './relevance.mjs'
import { structure } from './structure.mjs'
import { average, sum } from './sum.mjs'
import { topK } from './top-k.mjs'

const MAKERS = {
  lookup,
  filter,
  count,
  group,
  sum,
  average,
  'top-k': topK,
  needle,
  join,
  structure,
  absent,
  relevance,
  log,
}

/**
 * The same questions for the same payloads and seed; all forms of one file are asked the same ones where they can be.
 * @param {import('../contract.mjs').Payload[]} payloads
 * @param {{seed?: number | string, perType?: number}} [options] perType: at most so many of a type for each payload
 * @returns {import('../contract.mjs').Question[]}
 */
export function questionsOf(payloads, { seed = 1, perType = 3 } = {}) {
  return payloads.flatMap((payload) =>
    Object.entries(MAKERS).flatMap(([type, make]) => {
      const random = chance(`${seed} ${payload.source} ${type}`)
      return make(payload, { random, count: perType, payloads }).map((question, at) => ({
        id: `${payload.name} ${type} ${at + 1}`,
        type,
        payload: payload.name,
        ...question,
      }))
    }),
  )
}
