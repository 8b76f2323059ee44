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

/** Of the longer words of a description, which each copy of the set has words of its own for. */
const OTHER_WORDS = 0.4

/** As many, of as many authors: copies of the set. All but the first have descriptions in partly other words. */
export function variedTools({ tools }) {
  return Array.from({ length: TOOLS }, (_, place) => {
    const { definition, ...tool } = tools[place % tools.length]
    const copy = Math.floor(place / tools.length)
    const vary = (key, value) =>
      copy > 0 && key === 'description' && typeof value === 'string'
        ? value.replace(/[a-z]{4,}/gi, (word) => otherWord(word, copy))
        : value
    return { ...tool, definition: JSON.parse(JSON.stringify(definition, vary)) }
  })
}

/** The same for the same word: its beginning and end with other letters between, or the word itself. */
function otherWord(word, copy) {
  let hash = copy * 7919
  for (const letter of word.toLowerCase()) hash = (hash * 31 + letter.charCodeAt(0)) >>> 0
  if ((hash % 1000) / 1000 >= OTHER_WORDS) return word
  const consonant = (bits) => 'bcdfglmnprstvz'[(hash >>> bits) % 14]
  const vowel = (bits) => 'aeiou'[(hash >>> bits) % 5]
  return word.slice(0, 2) + consonant(1) + vowel(4) + consonant(7) + vowel(11) + word.slice(-2)
}

/** Different words of definitions, in any spelling. */
export function countWords(tools) {
  return new Set(
    tools.flatMap(({ definition }) =>
      JSON.stringify(definition)
        .toLowerCase()
        .match(/[a-z]+/g),
    ),
  ).size
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
