/** How often tools may be called: a bucket of tokens for each client, server or tool. */
import { defineModule } from '../../module-runtime/module.ts'
import { patternsIn } from '../../module-runtime/patterns.ts'
import { errorResult } from '../../protocol/content.ts'
import type { Exchange, Lists } from '../../protocol/exchange.ts'
import { namesAt } from '../../protocol/lists.ts'
import { originOf } from '../../protocol/origin.ts'
import { matcherOf } from '../../text/patterns/glob.ts'
import { quotaOptions } from './options.ts'

export const quota = defineModule({
  name: 'quota',
  options: quotaOptions,
  messages: ['tools/call'],
  patterns: ({ tools }) => patternsIn('tools', tools, ['tools']),
  create({ rps, burst, per, tools }, { buckets, isOwnTool }) {
    const take = buckets({ rps, burst })
    const isMeant = tools && matcherOf(tools)
    /** The server of a tool has to be known. */
    const asksLists = per === 'server' || tools !== undefined

    /** Undefined: this call is not counted. */
    async function keyOf(exchange: Exchange, inside: Lists): Promise<string | undefined> {
      const name = String(exchange.params.name)
      // It calls no server, or calls a tool, which is counted.
      if (isOwnTool(name) && !isMeant?.(name)) return undefined
      const item = asksLists ? await inside.find('tools', name, exchange) : undefined
      if (isMeant && !namesAt(item && originOf(item), name).some(isMeant)) return undefined
      if (per === 'agent') return exchange.agent.id
      if (per === 'tool') return name
      return per === 'all' ? '' : ((item && originOf(item)?.server) ?? '')
    }

    return {
      wrap: (next, inside) => async (exchange) => {
        const key = await keyOf(exchange, inside)
        const seconds = key === undefined ? undefined : await take(key)
        if (seconds === undefined) return next(exchange)
        const whose = per === 'agent' ? 'You have' : per === 'tool' ? 'This tool has' : 'There have been'
        const text =
          per === 'agent' || per === 'tool' ? 'had as many calls as allowed' : 'as many calls as allowed'
        return errorResult(`${whose} ${text}. Nothing was called; try again in ${seconds} s.`)
      },
    }
  },
})
