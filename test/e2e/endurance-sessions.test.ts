/** Many agents, one after the other and all at once: what comes back is each one's own, and nothing stays when they are gone. */
import { once } from 'node:events'
import { Agent as Dispatcher, getGlobalDispatcher, setGlobalDispatcher } from 'undici'
import { expect, onTestFinished } from 'vitest'
import { verifies } from '../support/verifies.ts'
import { type Agent, type Era, rawAgent, sdkAgent } from './support/endurance/agent.ts'
import { AGENTS, SESSIONS } from './support/endurance/counts.ts'
import { httpServer, pipeServer } from './support/endurance/servers.ts'
import { recovers, unstuck } from './support/endurance/tally.ts'
import { startHttpProxy } from './support/http-proxy.ts'
import {
  onLinuxOnly,
  openDescriptors,
  residentBytes,
  SPARE_DESCRIPTORS,
  serversOf,
} from './support/processes.ts'
import { report } from './support/report.ts'
import { handleOf, type ToolResult, textOf } from './support/world.ts'

const ERAS: readonly Era[] = ['legacy', 'modern']
/** Idle connections are kept for some seconds, on either side. */
const quiet = { timeout: 120_000, interval: 250 }

verifies(
  'S3.34 S3.35',
  `${SESSIONS} sessions one after the other, half of which vanish without a word, leave no more open than the first 80`,
  async () => {
    const http = await httpServer()
    const most = 40
    const { url, child } = await startHttpProxy({
      servers: { old: http.entry('/legacy') },
      // Sessions that vanished make room when there are so many.
      settings: { log: { level: 'error' }, maxTotalAgents: most },
    })
    const pid = child.pid ?? 0
    const standing = await rawAgent(url, 'legacy')
    const visit = async (n: number): Promise<void> => {
      const agent = await rawAgent(url, 'legacy')
      await recovers(agent, 'old', `session ${n}`)
      if (n % 2 === 0) await agent.close()
    }
    const open = async () => ({
      ...(await http.state()),
      descriptors: openDescriptors(pid),
      processes: serversOf(pid).length,
      megabytes: Math.round(residentBytes(pid) / 1e6),
    })
    // One call more than a client that only shakes hands would make.
    for (const when of ['the start', 'the first call']) await recovers(standing, 'old', when)
    // As many as find room, so that the first has to go.
    for (let n = 1; n < 2 * most; n++) await visit(n)
    const early = await open()
    for (let n = 2 * most; n <= SESSIONS; n++) await visit(n)
    await expect
      .poll(async () => (await open()).descriptors, quiet)
      .toBeLessThanOrEqual(early.descriptors + SPARE_DESCRIPTORS)
    // A session that made room ends at its server while the new client is already served.
    await expect.poll(async () => (await open()).sessions, quiet).toBeLessThanOrEqual(most)
    await expect.poll(async () => (await open()).streams, quiet).toBeLessThanOrEqual(most)
    await expect.poll(async () => (await open()).sockets, quiet).toBeLessThanOrEqual(early.sockets + 4)
    const late = await open()
    report('after 80 sessions', early)
    report(`after ${SESSIONS} sessions`, late)
    expect(late.processes).toBe(0)
    expect(late.megabytes).toBeLessThan(400)
    // The client that came first and stayed was not pushed out.
    await recovers(standing, 'old', 'all the others')
    child.kill('SIGTERM')
    await once(child, 'exit')
    await expect.poll(() => http.state(), quiet).toMatchObject({ sessions: 0, streams: 0, sockets: 0 })
  },
  onLinuxOnly,
)

/** Calls of all kinds at the same time; whatever comes back carries the marker of the call and the name of the agent. */
async function converse(agent: Agent, rounds: number): Promise<void> {
  let made = 0
  const marker = (kind: string): string => `${agent.name}/${made++}/${kind}`
  const check = (about: string, result: ToolResult, expected: string): void => {
    expect(result.isError, `${about}: ${textOf(result)}`).toBeFalsy()
    expect(textOf(result), about).toBe(expected)
  }

  async function echo(server: string, own: string): Promise<void> {
    check(own, await agent.call(`${server}_echo`, { marker: own }), own)
  }

  async function work(server: string, own: string): Promise<void> {
    const steps: unknown[] = []
    const onprogress = (step: object): void => void steps.push('message' in step && step.message)
    check(own, await agent.call(`${server}_work`, { marker: own, ms: 15 }, { onprogress }), own)
    expect(new Set(steps), own).toEqual(new Set([own]))
  }

  async function ask(server: string, own: string, how: string): Promise<void> {
    const expected = JSON.stringify({ marker: own, who: agent.name })
    check(own, await agent.call(`${server}_ask`, { marker: own, how }), expected)
  }

  async function keep(server: string, own: string): Promise<void> {
    const kept = await agent.call(`${server}_records`, { marker: own, count: 200 })
    const question = { cache_id: handleOf(kept), where: ['id = 7'], fields: ['marker'] }
    const answer = await agent.call('proxy_filter', question)
    expect(textOf(answer), own).toContain(own)
    expect(textOf(answer).match(/(?:legacy|modern)-[\w-]+\//g)).toEqual([`${agent.name}/`])
  }

  for (let round = 0; round < rounds; round++) {
    const calls = ['old', 'new'].flatMap((server) => [
      echo(server, marker('echo')),
      work(server, marker('work')),
      ask(server, marker('sampling'), 'sampling'),
      ask(server, marker('elicitation'), 'elicitation'),
      ...(round === 0 ? [keep(server, marker('records'))] : []),
    ])
    calls.push(echo('pipe', marker('echo')), work('pipe', marker('work')))
    await unstuck(`the calls of ${agent.name}`, Promise.all(calls))
  }
  for (const question of agent.asked) expect(question.startsWith(`${agent.name}/`), question).toBe(true)
  expect(agent.asked).toHaveLength(4 * rounds)
}

verifies(
  'S3.33 S3.34',
  `${AGENTS} agents of both eras at once, calls, progress, questions and handles interleaved: no agent gets what belongs to another`,
  async () => {
    const http = await httpServer()
    const { url, child } = await startHttpProxy({
      servers: {
        old: http.entry('/legacy'),
        new: http.entry('/modern'),
        // A process for each agent would measure the machine.
        pipe: { ...pipeServer(), instance: 'shared' },
      },
      settings: { log: { level: 'error' } },
    })
    const pid = child.pid ?? 0
    const open = async () => ({
      ...(await http.state()),
      descriptors: openDescriptors(pid),
      processes: serversOf(pid).length,
      megabytes: Math.round(residentBytes(pid) / 1e6),
    })
    forgetIdleConnections()
    const first = await rawAgent(url, 'legacy')
    for (const server of ['old', 'new', 'pipe']) await recovers(first, server, 'the start')
    const before = await open()
    const agents = await Promise.all(
      Array.from({ length: AGENTS }, (_, n) => {
        const era = ERAS[n % 2] ?? 'legacy'
        if (n % 8 >= 6) return sdkAgent(url, era)
        // Nothing but their calls tells some of the modern ones apart.
        return rawAgent(url, era, n % 16 === 1 ? { info: 'anybody' } : {})
      }),
    )
    const begun = performance.now()
    await Promise.all(agents.map((agent) => converse(agent, 2)))
    const after = await open()
    report(`${AGENTS} agents`, {
      calls: after.calls - before.calls,
      questions: agents.reduce((sum, { asked }) => sum + asked.length, 0),
      ms: Math.round(performance.now() - begun),
    })
    await handlesAreOwn(agents.filter(({ era }) => era === 'legacy'))
    await Promise.all(agents.map((agent) => agent.close()))
    // Sessions for modern clients that may come again are held for a while: one for each, and its stream.
    const held = 32
    await expect
      .poll(async () => (await http.state()).sessions, quiet)
      .toBeLessThanOrEqual(before.sessions + held)
    await expect
      .poll(async () => (await http.state()).sockets, quiet)
      .toBeLessThanOrEqual(before.sockets + held)
    await expect
      .poll(() => openDescriptors(pid), quiet)
      .toBeLessThanOrEqual(before.descriptors + held + SPARE_DESCRIPTORS)
    expect(serversOf(pid)).toHaveLength(before.processes)
    await recovers(first, 'old', 'all the others')
    report('before', before)
    report('with all', after)
    report('when they left', await open())
    child.kill('SIGTERM')
    await once(child, 'exit')
    await expect.poll(() => http.state(), quiet).toMatchObject({ sessions: 0, streams: 0, sockets: 0 })
  },
  onLinuxOnly,
)

/** The test's own connections to the proxy do not outlive their use by a minute, as the proxy would allow. */
function forgetIdleConnections(): void {
  const usual = getGlobalDispatcher()
  const brief = new Dispatcher({ keepAliveMaxTimeout: 1000 })
  setGlobalDispatcher(brief)
  onTestFinished(async () => {
    setGlobalDispatcher(usual)
    await brief.destroy()
  })
}

/** Each keeps a result and tries the handle of the next: for him it does not exist. */
async function handlesAreOwn(agents: readonly Agent[]): Promise<void> {
  const handles = await Promise.all(
    agents.map(async (agent) => {
      const kept = await agent.call('old_records', { marker: `${agent.name}/secret`, count: 250 })
      return handleOf(kept)
    }),
  )
  expect(new Set(handles).size).toBe(agents.length)
  await Promise.all(
    agents.map(async (agent, n) => {
      const foreign = { cache_id: handles[(n + 1) % handles.length], limit: 1 }
      const refused = await agent.call('proxy_filter', foreign)
      expect(textOf(refused)).toContain('No kept result has cache_id')
      expect(textOf(refused)).not.toContain('/secret')
      const own = await agent.call('proxy_filter', { cache_id: handles[n], limit: 1 })
      expect(textOf(own)).toContain(`${agent.name}/secret`)
    }),
  )
}
