/**
 * Remembers what each tool said of itself. One that says something else later, or speaks to the model behind the user, is held back until
 * somebody approves it on the command line.
 */
import { pinOptions } from '../config/modules/pin.ts'
import { pinFileIn } from '../config/pin-file.ts'
import { RPC, RpcError } from '../protocol/errors.ts'
import type { Destination } from '../protocol/exchange.ts'
import { isObject, type JsonObject } from '../protocol/json.ts'
import { originOf } from '../protocol/origin.ts'
import { plain, type Result } from '../protocol/result.ts'
import { defineModule } from './module.ts'
import { commandFor, openPinBook, type PinnedTool } from './pin-book.ts'

export const pin = defineModule({
  name: 'pin',
  options: pinOptions,
  messages: ['tools/list', 'tools/call'],
  create(options, { dataDir, logger, listsChanged }) {
    const book = openPinBook({ ...options, file: pinFileIn(dataDir), logger, changed: listsChanged })

    function shown(passing: Result): Result {
      const result = plain(passing)
      const items = Array.isArray(result.tools) ? result.tools : []
      const tools = items.map((item) => (isObject(item) ? toolOf(item) : undefined))
      const reasons = book.judge(tools.filter((tool) => tool !== undefined))
      let at = 0
      const left = items.filter((_, index) => tools[index] === undefined || reasons[at++] === undefined)
      return left.length === items.length ? result : { ...result, tools: left }
    }

    /** What its server has it be now decides, whatever the client was listed. */
    async function admit({ server, name, definition }: Destination, asked: string): Promise<void> {
      const said = await definition?.()
      if (said === undefined) throw new RpcError(RPC.invalidParams, `Unknown tool: ${asked.slice(0, 200)}.`)
      const key = `${server}/${name}`
      const [reason] = book.judge([{ key, said }])
      if (reason === undefined) return
      throw new RpcError(
        RPC.invalidParams,
        `The tool ${asked.slice(0, 200)} is held back: it ${reason}. Who runs the proxy can approve it: ${commandFor(key)}`,
      )
    }

    return {
      wrap: (next) => async (exchange) => {
        if (exchange.method === 'tools/list') return shown(await next(exchange))
        return next({
          ...exchange,
          async admit(destination) {
            await admit(destination, String(exchange.params.name))
            await exchange.admit?.(destination)
          },
        })
      },
      health() {
        const names = book.held()
        const broken = book.broken()
        if (broken !== '') return { state: 'failed', message: broken }
        const more = names.length > 10 ? ', …' : ''
        const message = `${names.length} held back: ${names.slice(0, 10).join(', ')}${more}`
        return { state: 'ok', message: names.length === 0 ? '' : message }
      },
      async close() {
        book.close()
      },
    }
  },
})

/** Undefined for the proxy's own. What modules further in made of it is theirs, and nothing that a server changed. */
function toolOf(item: JsonObject): PinnedTool | undefined {
  const origin = originOf(item)
  return origin && { key: `${origin.server}/${origin.name}`, said: origin.said ?? item }
}
