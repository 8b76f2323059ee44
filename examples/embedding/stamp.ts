import { homedir } from 'node:os'
import { createGateway, defineModule, loadConfig } from 'mcp-rlm-proxy'
import * as z from 'zod'

/** Says in every answer of a tool when it was given. */
export const stamp = defineModule({
  name: 'stamp',
  options: z.object({ zone: z.string().default('UTC').describe('The time zone.') }),
  messages: ['tools/call'],
  create({ zone }, { logger, now }) {
    logger.info({ zone }, 'answers are stamped')
    return {
      wrap: (next) => async (exchange) => {
        const result = await next(exchange)
        const time = new Date(now()).toLocaleString('sv', { timeZone: zone })
        return { ...result, _meta: { ...Object(result._meta), 'example.com/time': time } }
      },
    }
  },
})

/** Serves the client at standard input and output by the mcp.json of this directory: "modules": [{ "use": "stamp" }]. */
export async function main(): Promise<void> {
  const modules = [stamp]
  const { config } = loadConfig({ cwd: process.cwd(), home: homedir(), env: process.env, modules })
  const gateway = await createGateway(config, { modules })
  await gateway.start()
  await gateway.ended
  await gateway.close()
}
