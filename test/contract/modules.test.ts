import { fileURLToPath } from 'node:url'
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

moduleContract('log', { entry: { use: 'log', methods: ['tools/*'], content: 'all' }, foreign })
moduleContract('block', { entry: { use: 'block', tools: ['x*'], resources: ['file://*'] }, foreign })
moduleContract('rename', { entry: { use: 'rename', prompts: { p: 'q' } }, foreign })
moduleContract('rewrite', { entry: { use: 'rewrite', rules: [{ text: 'hello', with: 'bye' }] }, foreign })
moduleContract('redact', { entry: { use: 'redact', patterns: { greeting: 'hello' } }, foreign })
moduleContract('quota', { entry: { use: 'quota', rps: 1000 }, foreign })
moduleContract('package', {
  entry: { use: 'package', tools: ['a_*'], prompts: [], resources: ['note://*'] },
  foreign,
})
moduleContract('pin', { entry: { use: 'pin', onNew: 'hold' }, foreign })
// Nobody answers there: what is asked of it fails, and in audit mode that is only logged.
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
})
