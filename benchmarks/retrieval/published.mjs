/**
 * Labelled questions that others published, as a set of ours. Nothing of them is kept here: `--published DIR` names a folder with clones of
 * the repositories. Their files are read in place.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setOf } from './set.mjs'

/** Of MetaTool's 20,614 questions every so manieth is asked. */
const EVERY = 20

const SETS = {
  StableToolBench: stableToolBench,
  MetaTool: metaTool,
}

/** The sets that the folder has: name and set. */
export function publishedSets(folder) {
  const there = Object.entries(SETS).filter(([name]) => existsSync(join(folder, name)))
  if (there.length === 0) throw new Error(`${folder} has no clone named ${Object.keys(SETS).join(' or ')}`)
  return there.map(([name, read]) => [name, read(join(folder, name))])
}

/** github.com/THUNLP-MT/StableToolBench: APIs of RapidAPI, several of which a question needs. */
function stableToolBench(folder) {
  const parts = [
    'G1_category',
    'G1_instruction',
    'G1_tool',
    'G2_category',
    'G2_instruction',
    'G3_instruction',
  ]
  const asked = parts.flatMap((part) =>
    json(join(folder, 'solvable_queries/test_instruction', `${part}.json`)).map((each) => ({
      part,
      ...each,
    })),
  )
  const tools = new Map()
  for (const { api_list: list } of asked)
    for (const api of list) tools.set(idOf(api.tool_name, api.api_name), toolOf(api))
  const queries = asked.map(({ part, query, 'relevant APIs': relevant }) => ({
    query,
    kind: part,
    labels: relevant
      .map(([tool, api]) => ({ tool_id: idOf(tool, api), relevance: 1 }))
      .filter(({ tool_id }) => tools.has(tool_id)),
  }))
  return setOf(
    [...tools.values()],
    queries.filter(({ labels }) => labels.length > 0),
  )
}

const idOf = (tool, api) => `${tool}:${api}`

function toolOf({ tool_name: server, api_name: tool, api_description: description, ...api }) {
  const parameters = [...api.required_parameters, ...api.optional_parameters]
  const properties = Object.fromEntries(
    parameters.map(({ name, type, description }) => [name, { type: `${type}`.toLowerCase(), description }]),
  )
  const required = api.required_parameters.map(({ name }) => name)
  return {
    tool_id: idOf(server, tool),
    server,
    tool,
    description,
    schema: { type: 'object', properties, required },
  }
}

/** github.com/HowieHwong/MetaTool: plugins by one sentence each, one of which a question needs. */
function metaTool(folder) {
  const tools = Object.entries(json(join(folder, 'dataset/plugin_des.json'))).map(([tool, description]) => ({
    tool_id: tool.toLowerCase(),
    server: '',
    tool,
    description,
    schema: { type: 'object' },
  }))
  const known = new Set(tools.map(({ tool_id }) => tool_id))
  const lines = readFileSync(join(folder, 'dataset/data/all_clean_data.csv'), 'utf8')
    .trim()
    .split(/\r?\n/)
    .slice(1)
  const queries = lines.flatMap((line, place) => {
    const at = line.lastIndexOf(',')
    const tool_id = line.slice(at + 1).toLowerCase()
    if (place % EVERY !== 0 || !known.has(tool_id)) return []
    const query = line.slice(0, at).replace(/^"(.*)"$/, '$1')
    return [{ query, labels: [{ tool_id, relevance: 1 }] }]
  })
  return setOf(tools, queries)
}

function json(path) {
  return JSON.parse(readFileSync(path, 'utf8'))
}
