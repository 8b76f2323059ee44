/**
 * Near twins: tools of one server with names that differ in one word, as `list_issues` and `get_issues`, or `list_pools` and `list_nodes`.
 */
import { round } from './score.mjs'

/** Of the questions that a tool with twins answers, how many find that tool before its twins. */
export function toldApart(set, answers) {
  const twins = twinsOf(set)
  let questions = 0
  let apart = 0
  for (const { right, found } of answers) {
    const others = new Set([...right].flatMap((id) => twins.get(id) ?? []).filter((id) => !right.has(id)))
    if (others.size === 0) continue
    questions++
    const best = found.findIndex((id) => right.has(id))
    const wrong = found.findIndex((id) => others.has(id))
    if (best >= 0 && (wrong < 0 || best < wrong)) apart++
  }
  return { twinQuestions: questions, apart: questions === 0 ? null : round(apart / questions) }
}

/** For each tool that has some the others that differ from it in one word. */
function twinsOf({ tools, ids }) {
  const gaps = new Map()
  tools.forEach(({ server, name }, place) => {
    const words = wordsOf(name)
    if (words.length < 2) return
    for (let gap = 0; gap < words.length; gap++) {
      const key = JSON.stringify([server, words.with(gap, '')])
      gaps.set(key, [...(gaps.get(key) ?? []), ids[place]])
    }
  })
  const twins = new Map()
  for (const group of gaps.values())
    for (const id of group)
      if (group.length > 1)
        twins.set(id, [...(twins.get(id) ?? []), ...group.filter((other) => other !== id)])
  return twins
}

const wordsOf = (name) =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== '')
