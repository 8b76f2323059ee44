/** Labelled questions: which tools answer them. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A folder with one file that has `tools` and one that has `queries`, whatever their names. */
export function loadSet(folder) {
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')))
  const tools = files.find((file) => Array.isArray(file.tools))?.tools
  const queries = files.find((file) => Array.isArray(file.queries))?.queries
  if (tools === undefined || queries === undefined)
    throw new Error(`${folder} has no JSON file with "tools", or none with "queries"`)
  return setOf(tools, queries)
}

/** Other questions about the tools of a folder. */
export function loadQuestions(folder, queriesFile) {
  const { ids, tools } = loadSet(folder)
  const { queries } = JSON.parse(readFileSync(queriesFile, 'utf8'))
  return { ids, tools, questions: setOf([], queries).questions }
}

export function setOf(tools, queries) {
  return {
    ids: tools.map(({ tool_id }) => tool_id),
    tools: tools.map(({ server, tool, description, schema }) => ({
      server,
      name: tool,
      definition: { name: tool, description, inputSchema: schema },
    })),
    questions: queries.map(({ query, kind = 'all', labels }, place) => ({
      query,
      kind,
      half: place % 2,
      right: new Set(labels.filter(({ relevance }) => relevance > 0).map(({ tool_id }) => tool_id)),
    })),
  }
}

/** A set of so many tools: the first ones, or all of them several times, each time under other names of servers. */
export function resized(set, size) {
  const tools = Array.from({ length: size }, (_, place) => {
    const tool = set.tools[place % set.tools.length]
    const copy = Math.floor(place / set.tools.length)
    return copy === 0 ? tool : { ...tool, server: `${tool.server}${copy + 1}` }
  })
  return { ...set, tools, ids: tools.map((_, place) => set.ids[place] ?? `${place}`) }
}
