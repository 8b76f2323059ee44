/** The examples that mount the gateway in a server of their own, run as they stand. `package.test.ts` runs the others. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { expect, onTestFinished, test } from 'vitest'
import { ROOT, temporaryDirectory } from './support/world.ts'

test.each(['express', 'hono'])(
  'a client reaches the gateway beside the pages of the %s example',
  async (name) => {
    const home = temporaryDirectory()
    const child = spawn(process.execPath, [join(ROOT, 'examples/embedding', `${name}.mjs`), '0'], {
      cwd: home,
      env: { ...process.env, HOME: home, USERPROFILE: home },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(async () => {
      if (child.exitCode === null && child.kill()) await once(child, 'exit')
    })
    const [address] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
    expect(await (await fetch(new URL('/', address))).text()).toBe('A page of my own\n')
    const client = new Client({ name: 'test', version: '1.0.0' })
    await client.connect(new StreamableHTTPClientTransport(new URL(address)))
    onTestFinished(() => client.close())
    expect((await client.listTools()).tools.map((tool) => tool.name)).toContain('shop_orders')
    const answer = await client.callTool({
      name: 'proxy_filter',
      arguments: { tool: 'shop_orders', where: ['state = open'], aggregate: 'sum(total)' },
    })
    expect(JSON.stringify(answer.content)).toContain('1497000')
  },
)
