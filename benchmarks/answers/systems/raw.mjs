/** The whole result in the context, and a reader that makes no mistake: what answers cost without any help. */
import { fileURLToPath } from 'node:url'
import { connect } from '../client.mjs'
import { Conversation } from '../session.mjs'
import { readsAll } from './whole.mjs'

const SERVER = fileURLToPath(new URL('../server.mjs', import.meta.url))

/** @type {import('../contract.mjs').System} */
export const raw = {
  name: 'raw',
  async start(payloads, folder) {
    const client = await connect('node', [SERVER, folder])
    const known = new Map(payloads.map((payload) => [payload.name, payload]))
    return {
      definitions: `${JSON.stringify(client.tools)}\n${client.instructions}`,
      open: async () => new Conversation(client.call),
      async answer(question, session) {
        const { text } = await session.call('get', { name: question.payload })
        return readsAll(question, text, known, (name) => session.call('get', { name }))
      },
      close: client.close,
    }
  },
}
