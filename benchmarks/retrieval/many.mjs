/** As many tools as a proxy may ever have, and what their index is compared with. */
const TOOLS = 5_000

/** Those of the set again and again; each copy of it has a word of its own in every description, those of parameters included. */
export function manyTools({ tools }, round) {
  return Array.from({ length: TOOLS }, (_, place) => {
    const { definition, ...tool } = tools[place % tools.length]
    const own = `variant${round}x${Math.floor(place / tools.length)}`
    const mark = (key, value) =>
      key === 'description' && typeof value === 'string' ? `${value} ${own}` : value
    return { ...tool, definition: JSON.parse(JSON.stringify(definition, mark)) }
  })
}

/** The least that can be done: the words of the definitions, as they stand. */
export function plainLoop(tools) {
  return tools.map(({ definition }) => JSON.stringify(definition).toLowerCase().match(/\w+/g))
}

/** Milliseconds of CPU of all threads of this process. */
export function cpu(run) {
  return cpuAndWall(run).cpu
}

/** Milliseconds of CPU, and by the clock. */
export function cpuAndWall(run) {
  const before = process.cpuUsage()
  const start = performance.now()
  run()
  const wall = performance.now() - start
  const { user, system } = process.cpuUsage(before)
  return { cpu: (user + system) / 1000, wall }
}
