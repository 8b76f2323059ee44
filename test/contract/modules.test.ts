import { fileURLToPath } from 'node:url'
import * as z from 'zod'
import { defineModule } from '../../src/module-runtime/module.ts'
import { plain } from '../../src/protocol/content.ts'
import type { JsonObject } from '../../src/protocol/json.ts'
import { moduleContract } from './modules.ts'

const foreign = { method: 'other/method', params: {} }
const served = (...interceptors: JsonObject[]): JsonObject => ({
  command: process.execPath,
  args: [
    fileURLToPath(new URL('../support/servers/interceptors.mjs', import.meta.url)),
    JSON.stringify({ interceptors }),
  ],
  // A busy machine takes its time to start a module.
  timeoutMs: 120_000,
})

moduleContract('log', {
  entry: { use: 'log', methods: ['tools/*'], content: 'all' },
  foreign,
  interferes: false,
})
moduleContract('block', {
  entry: { use: 'block', tools: ['x*'], prompts: ['p'], resources: ['file://*'] },
  foreign,
})
moduleContract('rename', { entry: { use: 'rename', prompts: { p: 'q' } }, foreign })
moduleContract('rewrite', { entry: { use: 'rewrite', rules: [{ text: 'hello', with: 'bye' }] }, foreign })
moduleContract('redact', { entry: { use: 'redact', patterns: { greeting: 'hello' } }, foreign })
moduleContract('quota', { entry: { use: 'quota', rps: 1000 }, foreign, interferes: false })
moduleContract('package', {
  entry: { use: 'package', tools: ['a_*'], prompts: [], resources: ['note://*'] },
  foreign,
})
moduleContract('pin', { entry: { use: 'pin', onNew: 'hold' }, foreign, interferes: false })
// No server answers there: requests to it fail, and in audit mode that is only logged.
moduleContract('translate', {
  entry: { use: 'translate', to: 'de', in: ['prompts'], url: 'http://127.0.0.1:1/translate' },
  foreign,
})
moduleContract('a program that changes results', {
  entry: served({
    name: 'shout',
    type: 'mutation',
    hook: { events: ['tools/call'], phase: 'response' },
    does: 'shout',
  }),
  foreign,
})
moduleContract('a program that judges calls', {
  entry: served({
    name: 'judge',
    type: 'validation',
    hooks: [{ events: ['tools/call'], phase: 'request' }],
    does: 'pass',
  }),
  foreign,
  interferes: false,
})
moduleContract('of an embedder', {
  entry: { use: 'stamp', by: 'us' },
  definitions: [
    defineModule({
      name: 'stamp',
      options: z.object({ by: z.string() }),
      messages: ['tools/call', 'notifications/message'],
      create: ({ by }) => ({
        wrap: (next) => async (exchange) => ({ ...plain(await next(exchange)), by }),
        notify: (next) => (notice) => next({ ...notice, params: { ...notice.params, by } }),
      }),
    }),
  ],
  foreign,
})
