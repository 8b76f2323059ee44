/** The example modules, as somebody from outside would use them: copied away from the project, which they need nothing of. */
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { stamp } from '../../examples/embedding/stamp.ts'
import { BUILT_IN } from '../../src/features/modules.ts'
import { RPC, type RpcError } from '../../src/protocol/errors.ts'
import type { JsonObject } from '../../src/protocol/json.ts'
import { EXAMPLES, guardPaths, maskEmail, NO_PYTHON } from '../support/examples.ts'
import { moduleWorld } from '../support/module-world.ts'
import { temporaryFolder } from '../support/upstream.ts'
import { verifies } from '../support/verifies.ts'
import { moduleContract } from './modules.ts'

const foreign = { method: 'other/method', params: {} }

/** The file of an example in a folder of its own, with nothing around it. */
function away(file: string): string {
  const folder = temporaryFolder()
  cpSync(dirname(file), folder, { recursive: true })
  return join(folder, basename(file))
}

test('every example says how it is configured', () => {
  expect(readdirSync(EXAMPLES).sort()).toEqual(['guard-paths', 'mask-email'])
  for (const name of readdirSync(EXAMPLES)) expect(readdirSync(join(EXAMPLES, name))).toContain('README.md')
})

const docs = join(EXAMPLES, '../../docs')
const page = readFileSync(join(docs, 'writing-modules.md'), 'utf8')

verifies('S2.28 S2.35', 'every module that comes with the proxy has a page with its options', () => {
  for (const [
    name,
    {
      options: { shape },
    },
  ] of Object.entries(BUILT_IN)) {
    const section = readFileSync(join(docs, `modules/${name}.md`), 'utf8')
    expect(section).toMatch(new RegExp(`^# \`${name}\`\n\n<!-- module:start -->\n\n[A-Z].*\\.\n`))
    for (const option of Object.keys(shape)) expect(section).toContain(`| \`${option}`)
  }
})

verifies(
  'S2.37',
  'the page about the proposal leads to the protocol, and names every form that is taken',
  () => {
    const about = readFileSync(join(docs, 'MODULE-PROTOCOL.md'), 'utf8')
    const [, anchor = ''] = /writing-modules\.md#([\w-]+)/.exec(about) ?? []
    const anchors = [...page.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\w -]/g, '')
        .replaceAll(' ', '-'),
    )
    expect(anchors).toContain(anchor)
    for (const word of [
      'hooks',
      'observability',
      'active',
      'priorit',
      'validationErrors',
      'mcp-rlm-proxy/answer',
    ])
      expect(about).toContain(word)
  },
)

verifies('S2.27 S2.28 S2.37', 'the whole module that the page shows works as it stands there', async () => {
  const [, code = ''] = /```js\n([\s\S]*?)```/.exec(page) ?? []
  const path = join(temporaryFolder(), 'module.mjs')
  writeFileSync(path, code)
  const world = await moduleWorld([{ path, timeoutMs: 120_000 }])
  expect(await world.ask('tools/call', { name: 'x' })).toEqual({
    content: [{ type: 'text', text: 'CALLED X' }],
  })
})

const stamped = { use: 'stamp', zone: 'Asia/Tokyo' }

verifies(
  'S2.19 S2.28',
  'the module of an embedding program that the page shows works as it stands there',
  async () => {
    const file = readFileSync(join(EXAMPLES, '../embedding/stamp.ts'), 'utf8')
    expect(/```ts\n([\s\S]*?)```/.exec(page)?.[1]).toBe(file)
    const world = await moduleWorld([stamped], { definitions: [stamp], now: () => Date.UTC(2030, 0, 1) })
    expect(await world.ask('tools/call', { name: 'x' })).toEqual({
      content: [{ type: 'text', text: 'called x' }],
      _meta: { 'example.com/time': '2030-01-01 09:00:00' },
    })
    await expect(moduleWorld([{ use: 'stamp', zone: 7 }], { definitions: [stamp] })).rejects.toThrow(
      /modules\[0\]\.zone is 7, but must be a text/,
    )
  },
)

moduleContract('example mask-email', { entry: maskEmail(), foreign, interferes: false })

verifies('S2.19 S2.27 S2.29', 'mask-email hides addresses in results, except allowed ones', async () => {
  const text = 'ask jane.doe+x@mail.example.org or Team@Example.com, not @home or a@b; \u2028\u2029\r\nä'
  const entry = maskEmail({ keep: ['example.com'] })
  const world = await moduleWorld([{ ...entry, path: away(String(entry.path)) }], {
    server: async ({ method }): Promise<JsonObject> =>
      method === 'tools/call'
        ? { content: [{ type: 'text', text }], structuredContent: { rows: [{ to: 'x@y.net' }] } }
        : { contents: [{ uri: 'mail://me@x.org', text: 'from me@x.org' }] },
  })
  expect(await world.ask('tools/call', { name: 'mail' })).toEqual({
    content: [{ type: 'text', text: 'ask [email] or Team@Example.com, not @home or a@b; \u2028\u2029\r\nä' }],
    structuredContent: { rows: [{ to: '[email]' }] },
  })
  expect(await world.ask('resources/read', { uri: 'mail://me@x.org' })).toEqual({
    contents: [{ uri: 'mail://me@x.org', text: 'from [email]' }],
  })
})

describe.skipIf(NO_PYTHON !== undefined)(
  `in Python${NO_PYTHON === undefined ? '' : `: ${NO_PYTHON}`}`,
  () => {
    moduleContract('example guard-paths', { entry: guardPaths(), foreign, interferes: false })

    verifies(
      'S2.19 S2.27 S2.29',
      'guard-paths refuses calls that lead out of the allowed directories',
      async () => {
        const entry = guardPaths({ allow: ['/data', '/srv/ä/'] })
        const [file] = entry.args as string[]
        const world = await moduleWorld([{ ...entry, args: [away(String(file))], name: 'guard' }])
        const call = (given: JsonObject): Promise<unknown> =>
          world.ask('tools/call', { name: 'a_read', arguments: given }).then(
            () => 'passed',
            ({ code, message }: RpcError) => `${code} ${message}`,
          )
        for (const path of ['/data', '/data/a/../b', '/srv/ä/ö', 'notes.txt', 'a/../b', ['/data/1', './2']])
          expect(await call({ path })).toBe('passed')
        expect(await call({ text: '/etc/passwd' })).toBe('passed')
        for (const path of ['/etc/passwd', '/data/../etc/passwd', '/database', '../x', 'a/../../x', '..\\x'])
          expect(await call({ path })).toBe(
            `${RPC.invalidParams} Refused by the module \`guard\`: ${path} is outside of the directories that may be used`,
          )
        expect(await call({ destination: ['/data/1', '/tmp/2'] })).toContain('/tmp/2 is outside')
        expect(world.sent).toHaveLength(7)
      },
    )
  },
)
