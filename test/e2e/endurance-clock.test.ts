/** Clocks that are set, and time that passes: in this process, where a test can make both. */
import { join } from 'node:path'
import { expect, onTestFinished, vi } from 'vitest'
import { parseConfig } from '../../src/config/load-program.ts'
import { createGateway } from '../../src/gateway.ts'
import { verifies } from '../support/verifies.ts'
import { rawAgent } from './support/endurance/agent.ts'
import { type HttpServer, httpServer } from './support/endurance/servers.ts'
import { recovers } from './support/endurance/tally.ts'
import { onLinuxOnly } from './support/processes.ts'
import { report } from './support/report.ts'
import { handleOf, PATIENCE, temporaryDirectory, textOf } from './support/world.ts'

const DAY = 86_400_000

/** A gateway with a clock that the test moves. The work of intervals runs when the test says so. */
async function gatewayInTime(http: HttpServer) {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const begun = Date.now()
  const time = { jumped: 0, passed: 0 }
  const proxySettings = {
    ...PATIENCE,
    transport: 'streamable-http',
    port: 0,
    dataDir: join(temporaryDirectory(), 'data'),
    cacheDiskMaxAgeSeconds: 365 * 86_400,
  }
  const mcpServers = { old: http.entry('/legacy'), new: http.entry('/modern') }
  const gateway = await createGateway(parseConfig({ mcpServers, proxySettings }), {
    now: () => Date.now() + time.jumped + time.passed,
    elapsed: () => Date.now() - begun + time.passed,
  })
  onTestFinished(() => gateway.close())
  const { url } = await gateway.start()
  return {
    gateway,
    url: new URL(String(url)),
    /** Somebody sets the clock. */
    jump(ms: number): void {
      time.jumped += ms
      vi.advanceTimersByTime(61_000)
    },
    /** It does become later. */
    pass(ms: number): void {
      time.passed += ms
      vi.advanceTimersByTime(61_000)
    },
  }
}

verifies(
  'S3.33 S3.34',
  'a clock set forward and back by days, 20 times, ends no session, no call, no question and no handle',
  async () => {
    const http = await httpServer()
    const { url, jump } = await gatewayInTime(http)
    const legacy = await rawAgent(url, 'legacy')
    const modern = await rawAgent(url, 'modern')
    const agents = [legacy, modern]
    const handles = await Promise.all(
      agents.map(async (agent) =>
        handleOf(await agent.call('old_records', { marker: `${agent.name}/kept`, count: 300 })),
      ),
    )
    const { sessions } = await http.state()
    for (let round = 0; round < 20; round++) {
      // Forward by up to ten days, and back by as much.
      const days = (round % 2 === 0 ? 1 : -1) * (1 + Math.floor(round / 2))
      for (const [n, agent] of agents.entries()) {
        // The jump comes while a call runs, and while a question waits for its answer.
        const steps: (() => void)[] = [() => jump(days * DAY * (n === 0 ? 1 : -1))]
        const marker = `${agent.name}/${round}`
        const onprogress = (): void => steps.pop()?.()
        const worked = await agent.call('old_work', { marker, ms: 5 }, { onprogress })
        expect(textOf(worked)).toBe(marker)
        expect(steps).toEqual([])
        for (const server of ['old', 'new']) {
          const answering = (): void => jump(DAY)
          const asked = await agent.call(`${server}_ask`, { marker, how: 'sampling' }, { answering })
          expect(JSON.parse(textOf(asked))).toEqual({ marker, who: agent.name })
          jump(-DAY)
        }
        const question = { cache_id: handles[n], aggregate: 'count' }
        expect(textOf(await agent.call('proxy_filter', question))).toContain('300')
      }
    }
    // The sessions at the server are still those of the beginning.
    expect((await http.state()).sessions).toBe(sessions)
    await legacy.close()
  },
)

verifies(
  'S3.34 S3.35',
  'sessions that vanished are gone when their time is over, with their sessions at servers, sockets and timers',
  async () => {
    const http = await httpServer()
    const before = process.getActiveResourcesInfo().filter((name) => /Server|Worker|MessagePort/.test(name))
    const { gateway, url, pass } = await gatewayInTime(http)
    const visit = async (n: number): Promise<void> => {
      const agent = await rawAgent(url, n % 4 === 3 ? 'modern' : 'legacy')
      for (const server of ['old', 'new']) await recovers(agent, server, `visit ${n}`)
      if (n % 2 === 0) await agent.close()
    }
    for (let n = 0; n < 200; n++) await visit(n)
    const crowded = await http.state()
    // Half of the legacy ones and all of the modern ones said nothing when they left.
    expect(crowded.sessions).toBeGreaterThanOrEqual(100)
    pass(31 * 60_000)
    await expect.poll(async () => (await http.state()).sessions, { timeout: 120_000, interval: 250 }).toBe(0)
    const gone = await http.state()
    expect(gone.streams).toBeLessThanOrEqual(1)
    expect(gone.hanging).toBe(0)
    report('200 visits', { 'sessions then': crowded.sessions, 'sessions now': gone.sessions })
    await gateway.close()
    await expect.poll(() => http.state(), { timeout: 120_000 }).toMatchObject({ streams: 0, sockets: 0 })
    // Connections of the test itself, idle for some seconds more, are none of the gateway's.
    expect(process.getActiveResourcesInfo().filter((name) => /Server|Worker|MessagePort/.test(name))).toEqual(
      before,
    )
    expect(vi.getTimerCount()).toBe(0)
  },
  onLinuxOnly,
)
