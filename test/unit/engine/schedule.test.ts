import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startWorker, type Worker, WorkerGone } from '../../../src/engine/process.ts'
import { createSchedule, MOST_WAITING, type Schedule, type Wanted } from '../../../src/engine/schedule.ts'
import { temporaryFolder } from '../../support/upstream.ts'
import { verifies } from '../../support/verifies.ts'

// Workers start, on machines that may be busy with other tests.
vi.setConfig({ testTimeout: 120_000 })

const worker = new URL('./unruly-worker.js', import.meta.url)

interface Echo {
  echo: unknown
  ran: number
  pid: number
}

interface Running extends Schedule {
  echo(task: object, wanted?: Omit<Wanted, 'task'>): Promise<Echo>
}

function schedule(changes: object = {}): Running {
  const made = createSchedule({ worker, timeLimit: 60_000, workers: 1, heapMb: 256, ...changes })
  onTestFinished(() => made.close())
  return {
    ...made,
    echo: async (task, wanted = {}) => (await made.run({ ...wanted, task: () => task })).answer as Echo,
  }
}

const flag = (): string => join(temporaryFolder(), 'flag')

async function raised(file: string): Promise<void> {
  await expect.poll(() => existsSync(file)).toBe(true)
}

test('tasks run one after the other in the same worker', async () => {
  const one = schedule()
  const answers = await Promise.all([1, 2, 3].map((echo) => one.echo({ echo })))
  expect(answers.map(({ echo, ran }) => [echo, ran])).toEqual([1, 2, 3].map((n) => [n, n]))
})

test('an endless task is stopped at its limit, and its error names the step; waiting tasks run in a new worker', async () => {
  const one = schedule({ timeLimit: 1000 })
  await one.echo({ echo: 'first' })
  const spinning = one.echo({ told: 'sort', spin: true })
  const waiting = one.echo({ echo: 'waited' })
  await expect(spinning).rejects.toMatchObject({
    code: 'QUERY_TIMEOUT',
    message: expect.stringMatching(/longer than 1 s .* at this step: sort/),
  })
  expect(await waiting).toMatchObject({ echo: 'waited', ran: 1 })
})

test('what was to be done beforehand in a worker that is gone is given up', async () => {
  const one = schedule()
  const { worker: home } = await one.run({ task: () => ({ echo: 1 }) })
  const begun = flag()
  const stop = new AbortController()
  const spinning = one.echo({ begun, spin: true }, { signal: stop.signal })
  const beforehand = one.echo({ echo: 'beforehand' }, { background: true, home })
  await raised(begun)
  stop.abort()
  await expect(spinning).rejects.toMatchObject({ code: 'CANCELLED' })
  await expect(beforehand).rejects.toMatchObject({ name: 'WorkerGone' })
})

test('why a worker is gone holds no stack, and with it no result', () => {
  expect(new WorkerGone('killed', 'it was ended').stack).not.toContain('\n')
  expect(new Error('another').stack).toContain('\n')
})

test('what is urgent runs before what waits of the same agent', async () => {
  const one = schedule()
  const [begun, waitFor] = [flag(), flag()]
  const running = one.echo({ begun, waitFor })
  const order: string[] = []
  const note = (name: string, urgent: boolean): Promise<unknown> =>
    one.echo({ echo: name }, { urgent }).then(() => order.push(name))
  const waiting = [note('a', false), note('b', true), note('c', false), note('d', true)]
  await raised(begun)
  expect(one.work()).toEqual({ workers: 1, running: 1, waiting: 4 })
  writeFileSync(waitFor, '')
  await Promise.all([running, ...waiting])
  expect(order).toEqual(['b', 'd', 'a', 'c'])
  expect(one.work()).toEqual({ workers: 1, running: 0, waiting: 0 })
})

test('cancelling stops the work at once, and fails no other call', async () => {
  const one = schedule()
  const cancel = new AbortController()
  const begun = flag()
  const { pid } = await one.echo({})
  const spinning = one.echo({ begun, spin: true }, { signal: cancel.signal })
  const waiting = one.echo({ echo: 'waited' })
  await raised(begun)
  cancel.abort()
  await expect(spinning).rejects.toMatchObject({ code: 'CANCELLED' })
  expect((await waiting).pid).not.toBe(pid)
  await expect.poll(() => lives(pid)).toBe(false)
})

test('a call that waits is cancelled at once and never runs', async () => {
  const one = schedule()
  const [begun, waitFor, never] = [flag(), flag(), flag()]
  const running = one.echo({ begun, waitFor })
  const cancel = new AbortController()
  const waiting = one.echo({ begun: never }, { signal: cancel.signal })
  await raised(begun)
  cancel.abort()
  await expect(waiting).rejects.toMatchObject({ code: 'CANCELLED' })
  const after = one.echo({ echo: 'after' })
  writeFileSync(waitFor, '')
  expect((await running).ran).toBe(1)
  expect(await after).toMatchObject({ echo: 'after', ran: 2 })
  expect(existsSync(never)).toBe(false)
  await expect(one.echo({}, { signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'CANCELLED' })
})

test('an error in a task fails its call with the message', async () => {
  const one = schedule()
  await expect(one.echo({ fail: 'no such thing' })).rejects.toMatchObject({
    code: 'QUERY_FAILED',
    message: expect.stringContaining('no such thing'),
  })
  expect(await one.echo({ echo: 1 })).toMatchObject({ echo: 1, ran: 2 })
})

test.each([
  ['many small objects', { hoard: true }],
  ['one list that is larger than all memory', { fatal: 100_000_000 }],
])('a worker that V8 ends over %s fails that call alone', async (_, task) => {
  const one = schedule({ heapMb: 64 })
  const hoarding = one.echo({ told: 'join', ...task })
  const waiting = one.echo({ echo: 'waited' })
  await expect(hoarding).rejects.toMatchObject({
    code: 'QUERY_FAILED',
    message: expect.stringMatching(/more memory than it may have .* at this step: join/),
  })
  expect(await waiting).toMatchObject({ echo: 'waited', ran: 1 })
})

test.runIf(process.platform === 'linux')(
  'byte arrays count for what a worker may hold in all, and fail the call alone that wants more',
  async () => {
    const one = schedule({ heapMb: 64, memoryMb: 300 })
    const hoarding = one.echo({ told: 'join', bytes: 10_000_000 })
    const waiting = one.echo({ echo: 'waited' })
    await expect(hoarding).rejects.toMatchObject({
      code: 'QUERY_FAILED',
      message: expect.stringMatching(/more memory than it may have .* at this step: join/),
    })
    expect(await waiting).toMatchObject({ echo: 'waited', ran: 1 })
  },
)

test('a worker that cannot start fails the call and does not hang', async () => {
  const broken = schedule({ worker: new URL('./no-such-worker.js', import.meta.url) })
  await expect(broken.echo({ echo: 1 })).rejects.toMatchObject({ code: 'QUERY_FAILED' })
  await expect(broken.echo({ echo: 2 })).rejects.toMatchObject({ code: 'QUERY_FAILED' })
})

test('a task runs again when its worker was killed by other tasks, and is given up when that happens each time', async () => {
  const one = schedule()
  const begun = flag()
  const waitFor = flag()
  const { pid } = await one.echo({})
  const running = one.echo({ begun, waitFor, echo: 'answered' })
  await raised(begun)
  process.kill(pid, 'SIGKILL')
  await expect.poll(() => lives(pid)).toBe(false)
  writeFileSync(waitFor, '')
  expect(await running).toMatchObject({ echo: 'answered' })
  await expect(one.echo({ dies: 'SIGKILL' })).rejects.toMatchObject({ code: 'QUERY_FAILED' })
})

verifies('S1.51', 'closing stops running and waiting tasks', async () => {
  const one = schedule()
  const begun = flag()
  const calls = [one.echo({ begun, spin: true }), one.echo({ echo: 2 })]
  const outcomes = Promise.allSettled(calls)
  await raised(begun)
  one.close()
  for (const outcome of await outcomes) expect(outcome).toMatchObject({ reason: { code: 'CANCELLED' } })
  await expect(one.echo({ echo: 3 })).rejects.toMatchObject({ code: 'CANCELLED' })
})

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

// Turns, with workers that do nothing but wait for the test, by a clock that the test moves.

interface Held {
  task: string
  worker: number
  end(answer?: unknown): void
}

function heldWorkers(
  workers: number,
  ready: (nth: number) => Promise<void> = () => Promise.resolve(),
): {
  one: Schedule
  running: Held[]
  ask: (task: string, wanted?: object) => Promise<unknown>
} {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const running: Held[] = []
  let started = 0
  const start = (): Worker => {
    const number = ++started
    let isGone = false
    let stop: (error: Error) => void = () => {}
    return {
      pid: number,
      ready: ready(number),
      get isGone() {
        return isGone
      },
      run: (task) =>
        new Promise((resolve, reject) => {
          const held: Held = {
            task: String(task),
            worker: number,
            end(answer) {
              running.splice(running.indexOf(held), 1)
              resolve(answer)
            },
          }
          stop = (error) => {
            if (running.includes(held)) running.splice(running.indexOf(held), 1)
            reject(error)
          }
          running.push(held)
        }),
      kill() {
        isGone = true
        stop(new WorkerGone('killed', 'it was ended'))
      },
    }
  }
  const one = createSchedule({ worker, timeLimit: 20_000, workers, heapMb: 256, start })
  onTestFinished(() => one.close())
  const ask = (task: string, wanted: object = {}): Promise<unknown> => {
    const done = one.run({ task: () => task, agent: task[0] ?? '', limited: true, ...wanted })
    done.catch(() => {})
    return done
  }
  return { one, running, ask }
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

async function pass(milliseconds: number): Promise<void> {
  for (let left = milliseconds; left > 0; left -= 50) {
    vi.advanceTimersByTime(50)
    await settled()
  }
}

const names = (running: readonly Held[]): string[] => running.map(({ task }) => task).sort()

test('agents take turns, however many questions one of them asks', async () => {
  const { running, ask } = heldWorkers(1)
  for (const task of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) void ask(task)
  const order: string[] = []
  for (let n = 0; n < 6; n++) {
    await settled()
    const [only] = running
    order.push(only?.task ?? '')
    only?.end()
  }
  expect(order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
})

test('long tasks of one agent give a worker up while another agent waits, and run again', async () => {
  const { running, ask } = heldWorkers(2)
  for (let n = 0; n < 60; n++) void ask(`a${n}`)
  await pass(5000)
  expect(names(running)).toEqual(['a0', 'a1'])
  const other = ask('b0')
  await settled()
  expect(names(running)).toEqual(['a0', 'b0'])
  running.find(({ task }) => task === 'b0')?.end('answered')
  expect(await other).toMatchObject({ answer: 'answered' })
  // An agent that asks again soon finds a worker at once, or within the time that counts as short.
  await pass(1000)
  const again = ask('b1')
  await pass(600)
  running.find(({ task }) => task === 'b1')?.end('answered')
  await again
  // Nothing was lost: the one that gave way comes to its end.
  const ended = new Set<string>()
  for (let n = 0; n < 200 && ended.size < 60; n++) {
    await pass(100)
    for (const held of [...running]) {
      ended.add(held.task)
      held.end()
    }
  }
  expect(ended.size).toBe(60)
})

test('a task that gave way once is not stopped again', async () => {
  const { running, ask } = heldWorkers(2)
  void ask('a0')
  void ask('a1')
  await pass(1000)
  for (let n = 0; n < 5; n++) {
    void ask(`b${n}`)
    await pass(300)
    running.find(({ task }) => task.startsWith('b'))?.end()
    await pass(300)
    expect(names(running)).toContain('a0')
  }
})

test('an agent with too many questions waiting is told when to ask again', async () => {
  const { ask } = heldWorkers(1)
  for (let n = 0; n <= MOST_WAITING; n++) void ask(`a${n}`)
  await expect(ask('a')).rejects.toMatchObject({
    code: 'QUERY_BUSY',
    message: expect.stringContaining(`${MOST_WAITING} questions of yours wait`),
    next: expect.stringMatching(/^Ask it again in \d+ s/),
  })
  void ask('b')
  await settled()
})

test('a question waits for the worker that has its result open, but not for long', async () => {
  const { one, running, ask } = heldWorkers(2)
  void ask('a0')
  void ask('b0')
  await settled()
  // Another worker takes longer to start than most tasks take.
  expect(names(running)).toEqual(['a0'])
  await pass(300)
  expect(names(running)).toEqual(['a0', 'b0'])
  const home = one.free()
  expect(home).toBeUndefined()
  running.find(({ task }) => task === 'b0')?.end()
  await settled()
  const other = one.free()
  void ask('c0', { home: other })
  await settled()
  running.find(({ task }) => task === 'a0')?.end()
  await settled()
  // At home although the other worker is free.
  void ask('c1', { home: other })
  await settled()
  expect(names(running)).toEqual(['c0'])
  await pass(300)
  expect(names(running)).toEqual(['c0', 'c1'])
})

test('another worker starts where one does not come to its start', async () => {
  const { running, ask } = heldWorkers(2, (nth) => (nth === 1 ? new Promise(() => {}) : Promise.resolve()))
  void ask('a0')
  void ask('b0')
  await settled()
  await pass(4_000)
  expect(running).toEqual([])
  await pass(2_000)
  expect(names(running)).toEqual(['b0'])
})

test('work that is done beforehand starts no other worker', async () => {
  const { running, ask } = heldWorkers(2)
  void ask('a0')
  void ask('beforehand', { background: true })
  await settled()
  await pass(300)
  expect(names(running)).toEqual(['a0'])
  running[0]?.end()
  await settled()
  expect(names(running)).toEqual(['beforehand'])
})

test('a worker ends when nothing was asked for some minutes', async () => {
  const { running, ask } = heldWorkers(1)
  const done = ask('a0') as Promise<{ worker: Worker }>
  await settled()
  running[0]?.end()
  const { worker: used } = await done
  await pass(60_000)
  expect(used.isGone).toBe(false)
  await pass(120_000)
  expect(used.isGone).toBe(true)
})

test('a worker that lost its owner ends itself, also while work of its task goes on', async () => {
  for (const task of [{ spin: true }, { spinsLater: true }]) {
    // Without a schedule the clock is not read for it.
    const alone = startWorker({ worker, timeLimit: 200, heapMb: 256 })
    onTestFinished(() => alone.kill())
    await alone.ready
    await expect(alone.run(task)).rejects.toMatchObject({ name: 'WorkerGone' })
  }
})
