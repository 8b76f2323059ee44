/** One table for each choice that was left open: what it changes in what is found, and in tokens. */
import { cutAdaptively } from '../../dist/discovery/adaptive.js'
import { WEIGHTS } from '../../dist/discovery/lexical.js'
import { leadOf, signatureOf } from '../../dist/discovery/signature.js'
import { openUsage } from '../../dist/discovery/usage.js'
import { tokensOf } from '../answers/tokens.mjs'
import { median } from '../lib/measure.mjs'
import { clientOf } from './client.mjs'
import { indexTools } from './index-tools.mjs'
import { graphOf } from './related.mjs'
import { recall, round, scoreOf } from './score.mjs'
import { toldApart } from './twins.mjs'
import { sharing, VARIATIONS, vary } from './variations.mjs'

export function answersOf(set, index = indexTools(set.tools), take = (found) => found) {
  return set.questions.map((question) => {
    const hits = take(index.search(question.query, 10))
    return { ...question, hits, found: hits.map((hit) => set.ids[hit.index]) }
  })
}

/** The worth of each part of the default engine: results without it, all else as it is. */
export function ablation(set) {
  const rows = {
    'as it is': {},
    'without word vectors': { vectors: undefined },
    'without what words give': { nearness: 1000 },
    'without the bonus for exact forms': { exact: 0 },
    'without sentences by themselves': { sentences: false },
    'word vectors twice as much': { nearness: 5 },
    'word vectors half as much': { nearness: 1.25 },
  }
  return Object.entries(rows).map(([part, parts]) => {
    const answers = answersOf(set, indexTools(set.tools, WEIGHTS, parts))
    return { part, ...short(scoreOf(answers)), apart: toldApart(set, answers).apart }
  })
}

/** Parameters that all tools of a server have, read and not read: a tool more in each server that has none makes them ordinary ones. */
export function shared(set) {
  const tools = set.tools.map(sharing)
  const servers = [...new Set(tools.map(({ server }) => server))]
  const bare = servers.map((server) => ({ server, name: 'none', definition: { name: 'none' } }))
  const row = (parameters, listed) => ({
    parameters,
    ...short(scoreOf(answersOf(set, indexTools(listed)))),
  })
  return [row('not read', tools), row('read', [...tools, ...bare])]
}

/** The same tools and questions in other styles. */
export function variations(set) {
  return Object.entries(VARIATIONS).map(([variation, change]) => ({
    variation,
    ...short(scoreOf(answersOf(vary(set, change)))),
  }))
}

/** The worth of each field of a definition. */
export function weights(set) {
  const rows = {
    'as they are': {},
    'all alike': { name: 1, server: 1, description: 1, parameters: 1 },
    'name twice as much': { name: 2 * WEIGHTS.name },
    'no parameters': { parameters: 0 },
    'parameters twice as much': { parameters: 2 * WEIGHTS.parameters },
    'no server': { server: 0 },
    'name alone': { server: 0, description: 0, parameters: 0 },
  }
  return Object.entries(rows).map(([change, changed]) => ({
    weights: change,
    ...short(scoreOf(answersOf(set, indexTools(set.tools, { ...WEIGHTS, ...changed })))),
  }))
}

/**
 * Questions as a part of each tool's description, made by rule from its name, or given. Given ones are the labelled questions of the
 * first half; the second half is asked.
 */
export function questions(set) {
  const asked = { ...set, questions: set.questions.filter(({ half }) => half === 1) }
  const byRule = ({ name, definition }) => {
    const words = name.replace(/([a-z\d])([A-Z])/g, '$1 $2').replace(/[_\-.]+/g, ' ')
    const parameters = Object.keys(definition.inputSchema?.properties ?? {}).slice(0, 3)
    return [`How do I ${words}?`, `I want to ${words}`, `${words} by ${parameters.join(' and ')}`].join(' ')
  }
  const given = (_, place) =>
    set.questions
      .filter(({ half, right }) => half === 0 && right.has(set.ids[place]))
      .map(({ query }) => query)
      .join(' ')
  const row = (way, make, times) => ({
    questions: way,
    ...short(
      scoreOf(
        answersOf(
          vary(asked, {
            tool: (tool, place) => ({
              ...tool,
              definition: {
                ...tool.definition,
                description: `${tool.definition.description ?? ''} ${`${make(tool, place)} `.repeat(times)}`,
              },
            }),
          }),
        ),
      ),
    ),
  })
  return [
    row('none', () => '', 1),
    row('by rule, weight 1', byRule, 1),
    row('by rule, weight 2', byRule, 2),
    row('given, weight 1', given, 1),
    row('given, weight 2', given, 2),
  ]
}

/** As many tools as the scores deserve, against a fixed number. */
export function adaptive(set) {
  const index = indexTools(set.tools)
  const row = (limit, take) => {
    const cut = answersOf(set, index, take).filter(({ right }) => right.size > 0)
    const tokens = cut.map(({ hits }) => replyTokens(set, hits))
    return {
      limit,
      found: round(mean(cut.map((answer) => recall(answer, 10)))),
      tools: round(mean(cut.map(({ hits }) => hits.length))),
      tokens: median(tokens),
      per1000: round((1000 * sum(cut.map((answer) => recall(answer, 10) * answer.right.size))) / sum(tokens)),
    }
  }
  return [
    ...[3, 5, 8].map((many) => row(`${many}`, (found) => found.slice(0, many))),
    ...[0.3, 0.4, 0.5, 0.6, 0.8].map((ratio) =>
      row(`${ratio} of the best, 1 to 10`, (found) => cutAdaptively(found, { ratio, least: 1, most: 10 })),
    ),
    row('0.5 of the best, 3 to 5', (found) => cutAdaptively(found, { ratio: 0.5, least: 3, most: 5 })),
  ]
}

/**
 * Learning from use (`index.learn`): after the questions of the first half somebody called the first right one of five tools that were
 * found. Then the same is asked in more words, and what was not asked before.
 */
export async function learning(set) {
  const index = indexTools(set.tools)
  const asked = set.questions.filter(({ right }) => right.size > 0)
  const found = (query) => index.search(query, 5).map((hit) => ({ ...hit, name: set.ids[hit.index] }))
  const who = { agent: '', profile: '' }
  const usage = await openUsage({ path: undefined, reset: false })
  const fresh = await openUsage({ path: undefined, reset: false })
  for (const { query, right, half } of asked) {
    const names = found(query).map(({ name }) => name)
    const called = names.find((name) => right.has(name))
    if (half !== 0 || called === undefined) continue
    usage.found(who, new Map([[query, names]]))
    usage.called(who, called)
  }
  const row = (questions, from, chosen) => {
    const answers = chosen.map(({ query, right }) => ({
      right,
      found: from.order(who, [query], found(query)).map(({ name }) => name),
    }))
    return { questions, learned: from === usage ? 'yes' : 'no', ...short(scoreOf(answers)) }
  }
  const again = vary({ ...set, questions: asked }, VARIATIONS['polite questions']).questions.filter(
    ({ half }) => half === 0,
  )
  const others = asked.filter(({ half }) => half === 1)
  const rows = [fresh, usage].flatMap((from) => [
    row('asked before, in more words', from, again),
    row('others', from, others),
  ])
  await Promise.all([usage.close(), fresh.close()])
  return rows
}

/** Two things to do: asked as one question, by two calls, and by one call with `queries`. The tokens of the questions count, too. */
export async function batching(set) {
  const asked = set.questions.filter(({ right }) => right.size > 0)
  const half = Math.floor(asked.length / 2)
  const pairs = asked.slice(0, half).map((first, at) => [first, asked[at + half]])
  const client = clientOf(set.tools)
  const idOf = new Map(set.tools.map(({ server, name }, place) => [`${server}_${name}`, set.ids[place]]))
  const row = async (way, calls, argumentsOf) => {
    const all = []
    for (const pair of pairs) {
      const made = []
      for (const args of argumentsOf(...pair.map(({ query }) => query)))
        made.push(await client.retrieve(args))
      const found = new Set(made.flatMap(({ names }) => names).map((name) => idOf.get(name)))
      const rights = pair.map(({ right }) => [...right].filter((id) => found.has(id)).length / right.size)
      all.push({
        found: mean(rights),
        tools: found.size,
        tokens: sum(made.map((each) => each.written + each.reply)),
      })
    }
    return {
      way,
      calls,
      found: round(mean(all.map(({ found }) => found))),
      tools: round(mean(all.map(({ tools }) => tools))),
      tokens: median(all.map(({ tokens }) => tokens)),
    }
  }
  return [
    await row('one question, 5 tools', 1, (a, b) => [{ query: `${a} and ${b}` }]),
    await row('one question, 10 tools', 1, (a, b) => [{ query: `${a} and ${b}`, top_k: 10 }]),
    await row('two calls, 5 tools each', 2, (a, b) => [{ query: a }, { query: b }]),
    await row('queries, 5 tools each', 1, (a, b) => [{ queries: [a, b] }]),
    await row('queries, 3 tools each', 1, (a, b) => [{ queries: [a, b], top_k: 3 }]),
  ]
}

/** Neighbours of what was found, in place of what follows it, and beside it. */
export function related(set) {
  const index = indexTools(set.tools)
  const graph = graphOf(set.tools)
  const row = (way, take) => {
    const all = answersOf(set, index, take).filter(({ right }) => right.size > 0)
    const several = all.filter(({ kind, right }) => kind === 'multi' || right.size > 1)
    return {
      way,
      found: round(mean(all.map((answer) => recall(answer, 10)))),
      several: round(mean(several.map((answer) => recall(answer, 10)))),
      tokens: median(all.map(({ hits }) => replyTokens(set, hits))),
    }
  }
  return [
    row('5 by words', (found) => found.slice(0, 5)),
    row('4 by words, 1 related', (found) => graph.extend(found.slice(0, 4), 1)),
    row('3 by words, 2 related', (found) => graph.extend(found.slice(0, 3), 2)),
    row('7 by words', (found) => found.slice(0, 7)),
    row('5 by words, 2 related', (found) => graph.extend(found.slice(0, 5), 2)),
  ]
}

/** One line a tool: signature, score, and what it is for. */
function replyTokens(set, hits) {
  const lines = hits.map(({ index, score }) => {
    const { server, name, definition } = set.tools[index]
    const signature = signatureOf(`${server}_${name}`, definition.inputSchema)
    return `${signature} ${score.toFixed(2)} ${leadOf(definition.description ?? '', 160)}`
  })
  return tokensOf(lines.join('\n'))
}

function short({ r1, r5, mrr, empty, lost }) {
  return { r1, r5, mrr, empty, lost }
}

const sum = (values) => values.reduce((total, value) => total + value, 0)
const mean = (values) => (values.length === 0 ? 0 : sum(values) / values.length)
