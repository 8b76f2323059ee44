/** Ours: the real proxy in front of the server, over standard input and output; one process for all conversations of a run. */
import { fileURLToPath } from 'node:url'
import { connect } from '../client.mjs'
import { Conversation } from '../session.mjs'
import { answerAsExpert } from './proxy/expert.mjs'
import { answerAsNaive } from './proxy/naive.mjs'
import { OutOfTrips, Talk } from './proxy/talk.mjs'
import { readsAll } from './whole.mjs'

const MAIN = process.env.BENCH_MAIN ?? fileURLToPath(new URL('../../../dist/main.js', import.meta.url))
const SERVER = fileURLToPath(new URL('../server.mjs', import.meta.url))
const POLICIES = { naive: answerAsNaive, expert: answerAsExpert }

/** The settings as they come: what a reply may hold, and what a preview may, in characters. */
const RESPONSE = 8000
const PREVIEW = 2000
/** Each question is a conversation that has seen no preview, though the proxy takes all of them for one client. */
const ENV = { ...process.env, MCPPROXY_REPEATS: 'preview' }

/** @type {import('../contract.mjs').System} */
export const proxy = {
  name: 'proxy',
  policies: ['naive', 'expert'],
  async start(payloads, folder) {
    const client = await connect('node', [MAIN, '--', 'node', SERVER, folder], { cwd: folder, env: ENV })
    const get = client.tools.find(({ name }) => name === 'get' || name.endsWith('_get')).name
    const known = new Map(payloads.map((payload) => [payload.name, payload]))
    const budgetOf = (name, _args, text) =>
      name === get && text.startsWith('cache_id ') ? PREVIEW : RESPONSE
    return {
      definitions: `${JSON.stringify(client.tools)}\n${client.instructions}`,
      async open() {
        return new Conversation(client.call, budgetOf)
      },
      async answer(question, session, policy) {
        const { ask, payload: name } = question
        const readSmall = (asked, of, text) => readsAll({ payload: of, ask: asked }, text, known)
        const talk = new Talk(session, { name, get, trips: ask.join ? 5 : 4, readSmall })
        try {
          const { preview, text } = await talk.fetch(name)
          if (preview) return await POLICIES[policy](question, talk, preview)
          return await readsAll(question, text, known, (other) => talk.fetch(other))
        } catch (error) {
          if (error instanceof OutOfTrips) return { unanswered: error.message }
          throw error
        }
      },
      close: client.close,
    }
  },
}
