/**
 * A graph of tools, to see whether neighbours of found tools are worth showing. An edge joins two tools that share a server or names of
 * parameters; rarer names weigh more. Measured, and not in the product: see `choices.mjs`.
 */

/** @param {{ server: string, definition: object }[]} tools */
export function graphOf(tools) {
  const parameters = tools.map(({ definition }) => Object.keys(definition.inputSchema?.properties ?? {}))
  const having = new Map()
  for (const [place, names] of parameters.entries())
    for (const name of names) having.set(name, [...(having.get(name) ?? []), place])

  /** The nearest first. */
  function neighbours(place) {
    const weights = new Map()
    const add = (other, weight) => other !== place && weights.set(other, (weights.get(other) ?? 0) + weight)
    for (const name of parameters[place]) {
      const others = having.get(name)
      for (const other of others) add(other, Math.log(tools.length / others.length))
    }
    for (const other of tools.keys()) if (tools[other].server === tools[place].server) add(other, 1)
    return [...weights].sort((a, b) => b[1] - a[1] || a[0] - b[0]).map(([other]) => other)
  }

  return {
    neighbours,
    /** The found tools, then `more` that are nearest to the first of them. */
    extend(found, more) {
      const places = found.map(({ index }) => index)
      const near = places.slice(0, 2).flatMap((place) => neighbours(place).slice(0, 10))
      const fresh = [...new Set(near)].filter((place) => !places.includes(place)).slice(0, more)
      return [...found, ...fresh.map((index) => ({ index, score: 0.01 }))]
    },
  }
}
