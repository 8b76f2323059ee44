import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openUsage, type Usage } from '../../../src/discovery/usage.ts'
import { silentLogger } from '../../../src/observe/log.ts'

const who = { agent: 'a', profile: 'p' }
const TOOLS = [
  { name: 'first', score: 0.9 },
  { name: 'second', score: 0.8 },
  { name: 'third', score: 0.3 },
]
const QUESTION = 'send the monthly report'

async function open({
  path,
  reset = false,
  now,
}: {
  path?: string
  reset?: boolean
  now?: () => number
} = {}) {
  const usage = await openUsage({ path, reset, logger: silentLogger, ...(now && { now }) })
  onTestFinished(() => usage.close())
  return usage
}

function use(usage: Usage, tool: string, question = QUESTION, by = who): void {
  usage.found(by, new Map([[question, TOOLS.map(({ name }) => name)]]))
  usage.called(by, tool)
}

const ordered = (usage: Usage, question = QUESTION, by = who) =>
  usage.order(by, [question], TOOLS).map(({ name }) => name)

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'usage-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

describe('what was called after a question', () => {
  test('comes before what is little better, after a like question of the same profile alone', async () => {
    const usage = await open()
    expect(ordered(usage)).toEqual(['first', 'second', 'third'])
    use(usage, 'second')
    expect(ordered(usage)).toEqual(['second', 'first', 'third'])
    expect(ordered(usage, 'please send this monthly report to Ann')).toEqual(['second', 'first', 'third'])
    expect(ordered(usage, 'paint a house')).toEqual(['first', 'second', 'third'])
    expect(ordered(usage, QUESTION, { agent: 'a', profile: 'other' })).toEqual(['first', 'second', 'third'])
    expect(ordered(usage, QUESTION, { agent: 'b', profile: 'p' })).toEqual(['second', 'first', 'third'])
  })

  test('does not come before what is much better, however often it was called', async () => {
    const usage = await open()
    for (let nth = 0; nth < 100; nth++) use(usage, 'third')
    expect(ordered(usage)).toEqual(['first', 'second', 'third'])
  })

  test('counts when it was found, and called soon', async () => {
    let time = 0
    const usage = await open({ now: () => time })
    usage.called(who, 'second')
    usage.found(who, new Map([[QUESTION, ['first']]]))
    usage.called(who, 'second')
    usage.found(who, new Map([[QUESTION, ['second']]]))
    time = 600_000
    usage.called(who, 'second')
    expect(ordered(usage)).toEqual(['first', 'second', 'third'])
  })

  test('is forgotten after ninety days, and when much else was learned', async () => {
    let time = 0
    const usage = await open({ now: () => time })
    use(usage, 'second')
    time = 89 * 24 * 3600_000
    expect(ordered(usage)).toEqual(['second', 'first', 'third'])
    time = 90 * 24 * 3600_000
    expect(ordered(usage)).toEqual(['first', 'second', 'third'])
    use(usage, 'second')
    for (let nth = 0; nth < 500; nth++) use(usage, 'second', `number${nth} of another`)
    expect(ordered(usage)).toEqual(['first', 'second', 'third'])
  })

  test('leaves the same tools, whatever is asked', async () => {
    const usage = await open()
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ name: fc.string(), score: fc.double({ min: 0, max: 1, noNaN: true }) })),
        fc.string(),
        async (tools, question) => {
          usage.found(who, new Map([[question, tools.map(({ name }) => name)]]))
          for (const { name } of tools.slice(1, 3)) usage.called(who, name)
          const after = usage.order(who, [question], tools)
          expect(after).toHaveLength(tools.length)
          expect(new Set(after)).toEqual(new Set(tools))
        },
      ),
    )
  })
})

describe('the file', () => {
  test('brings it to the next run, without the question', async () => {
    const path = join(folder(), 'usage.json')
    const usage = await open({ path })
    use(usage, 'second')
    await usage.close()
    expect(readFileSync(path, 'utf8')).not.toMatch(/report|month/)
    expect(ordered(await open({ path }))).toEqual(['second', 'first', 'third'])
    await (await open({ path, reset: true })).close()
    expect(ordered(await open({ path }))).toEqual(['first', 'second', 'third'])
  })

  test.each([
    'no JSON',
    '{}',
    '[["p",[{"words":[1e99],"tool":"second","at":0}]]]',
    '[["p",[{"words":"x","tool":1}]]]',
  ])('is empty where it says %s', async (text) => {
    const path = join(folder(), 'usage.json')
    writeFileSync(path, text)
    const usage = await open({ path })
    expect(ordered(usage)).toEqual(['first', 'second', 'third'])
    use(usage, 'second')
    await usage.close()
    expect(ordered(await open({ path }))).toEqual(['second', 'first', 'third'])
  })
})
