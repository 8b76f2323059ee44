/** The cost of finding in tokens, against listing everything. */
import { tokensOf } from '../answers/tokens.mjs'
import { median, quantile } from '../lib/measure.mjs'
import { clientOf } from './client.mjs'
import { resized } from './set.mjs'

const SIZES = [45, 180, 527]
const K = 5
/** `call_tool` with a name and `arguments` around what a direct call would have written. */
const WRAPPER = tokensOf('{"name":"call_tool","arguments":{"name":""}}') - tokensOf('{"name":""}')

/** Replies of five tools, and what the definitions of the same tools have. */
export async function replies(set) {
  const client = clientOf(set.tools)
  const definitions = new Map(
    set.tools.map(({ server, name, definition }) => [
      `${server}_${name}`,
      tokensOf(JSON.stringify(definition)),
    ]),
  )
  const tokens = []
  const schemas = []
  for (const { query } of set.questions) {
    const { reply, names } = await client.retrieve({ query, top_k: K })
    if (names.length < K) continue
    tokens.push(reply)
    schemas.push(names.reduce((sum, name) => sum + definitions.get(name), 0))
  }
  const { shown, all } = await client.definitions()
  return {
    tools: K,
    median: median(tokens),
    p95: quantile(tokens, 0.95),
    largest: Math.max(...tokens),
    definitionsMedian: median(schemas),
    shown,
    all,
  }
}

/**
 * After how many calls the searches cost as much as the definitions that were not listed. Each call has its own search, which is the
 * worst case: a found tool can be called again. `resent`: the same where the model is sent everything with each request.
 */
export async function breakEven(set) {
  const rows = []
  for (const size of SIZES) {
    const { tools, questions } = resized(set, size)
    const client = clientOf(tools)
    const { shown, all } = await client.definitions()
    const searches = []
    for (const { query } of questions) searches.push(await client.retrieve({ query }))
    const written = median(searches.map((each) => each.written))
    const reply = median(searches.map((each) => each.reply))
    const each = written + reply + WRAPPER
    rows.push({
      tools: size,
      all,
      shown,
      search: each,
      reply,
      from: shown < all ? 0 : Math.ceil((shown - all) / each),
      until: shown < all ? Math.floor((all - shown) / each) : null,
      resent: resent(shown, all, each),
    })
  }
  return rows
}

/** The last call up to which finding costs less, when all that was said before is sent with each request; null: it never does. */
function resent(shown, all, search) {
  let listed = all
  let found = shown
  if (found > listed) return null
  for (let call = 1; call <= 10_000; call++) {
    listed += all
    // Two requests for a call: one writes the search, one the call.
    found += 2 * shown + (2 * call - 1) * search
    if (found > listed) return call - 1
  }
  return 10_000
}
