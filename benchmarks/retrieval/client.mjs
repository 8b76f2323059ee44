/** A client of the `retrieve` exposure over tools of a set: the replies and definitions that it would see, in tokens. */

import { definitionOf } from '../../dist/features/code/definition.js'
import { createProxyTools } from '../../dist/features/query-tools/index.js'
import { createRetrieve } from '../../dist/features/retrieve/index.js'
import { withOrigin } from '../../dist/protocol/origin.js'
import { compose } from '../../dist/proxy/layers.js'
import { PROXY_TOOL_NAMES } from '../../dist/proxy/own-tools.js'
import { definitionTokens, tokensOf } from '../answers/tokens.mjs'
import { indexTools } from './index-tools.mjs'

/** The tools that the proxy offers beside those of servers; none is called here. */
const ownDefinitions = [
  ...createProxyTools({}).map(({ definition }) => definition),
  definitionOf({ calls: 'read', ask: { by: 'nobody' } }),
]

/** @param {{ server: string, name: string, definition: object }[]} tools */
export function clientOf(tools) {
  const listed = tools.map(({ server, name, definition }) =>
    withOrigin({ ...definition, name: `${server}_${name}` }, { server, name }),
  )
  const all = [...ownDefinitions, ...listed]
  const layer = createRetrieve({
    routing: 'call',
    topK: 5,
    listWithinTokens: 0,
    detail: 'compact',
    variants: 'single',
    budget: 8000,
    ownTools: PROXY_TOOL_NAMES,
    finder: { over: searchOver, close: async () => {} },
    countTokens: async (texts) => texts.map(tokensOf),
  })
  const { handler } = compose([layer], async () => ({ tools: all }))
  const client = { agent: { id: 'benchmark' } }
  const ask = (method, params) =>
    handler({
      method,
      params,
      client,
      agent: client.agent,
      signal: new AbortController().signal,
      notify() {},
    })

  return {
    /** Tokens of the definitions that the client sees, and of those it would see without. */
    async definitions() {
      const { tools: shown } = await ask('tools/list', {})
      return { shown: definitionTokens(shown), all: definitionTokens(all) }
    },
    /** Tokens of what the model writes and of what it gets; how many tools came. */
    async retrieve(args) {
      const { content } = await ask('tools/call', { name: 'retrieve_tools', arguments: args })
      const [{ text }] = content
      return {
        written: tokensOf(JSON.stringify({ name: 'retrieve_tools', arguments: args })),
        reply: tokensOf(text),
        names: JSON.parse(text).tools.map(({ name }) => name),
      }
    },
  }
}

function searchOver(tools) {
  const index = indexTools(tools)
  return async (question, limit) => index.search(question, limit)
}
