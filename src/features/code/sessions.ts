/**
 * Variables that last: the memory of a machine after its program is kept like any result, with the same owner and the same life. A
 * reader of its handle gets a line of text.
 */
import { hashInSlices } from '../../engine/content.ts'
import { textBlock } from '../../protocol/content.ts'
import type { Agent } from '../../protocol/exchange.ts'
import { PROXY_CODE } from '../../proxy/own-tools.ts'
import type { ResultStore } from '../../store/result-store.ts'
import { sharedBytes } from '../../text/shared-bytes.ts'

export interface Sessions {
  /** The machine of the session. Undefined: there is none yet, or not any more. */
  find(agent: Agent, name: string): Promise<Uint8Array | undefined>
  /** In the place of what the last program left. */
  keep(agent: Agent, name: string, machine: Uint8Array): Promise<void>
}

/** The JSON of a CallToolResult before the value of the machine in the entry, and behind it. */
const HEAD = JSON.stringify({
  content: [textBlock('Variables of a session of proxy_code: pass its name as session to go on with them.')],
}).replace(/\}$/, ',"machine":"')
const TAIL = '"}'

export function createSessions(resultStore: ResultStore): Sessions {
  const entriesOf = async (agent: Agent, name: string) =>
    (await resultStore.recent(agent)).filter(
      ({ tool, arguments: args }) => tool === PROXY_CODE && args.session === name,
    )
  return {
    async find(agent, name) {
      const [newest] = await entriesOf(agent, name)
      const entry = newest && (await resultStore.get(agent, newest.handle))
      if (entry === undefined) return undefined
      const text = Buffer.from(entry.content).toString('latin1')
      if (!text.startsWith(HEAD) || !text.endsWith(TAIL)) return undefined
      return Buffer.from(text.slice(HEAD.length, -TAIL.length), 'base64')
    },
    async keep(agent, name, machine) {
      const before = await entriesOf(agent, name)
      const content = sharedBytes(`${HEAD}${Buffer.from(machine).toString('base64')}${TAIL}`)
      const origin = { tool: PROXY_CODE, arguments: { session: name } }
      const kept = await resultStore.keep(agent, { content, hash: await hashInSlices(content), origin })
      for (const { handle } of before) if (handle !== kept.handle) await resultStore.remove(agent, handle)
    },
  }
}
