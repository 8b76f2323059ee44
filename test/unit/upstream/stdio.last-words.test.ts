import { expect, test } from 'vitest'
import { causeOfDeath } from '../../../src/upstream/stdio.ts'

const node = `node:fs:573
  return binding.open(
                 ^

Error: ENOENT: no such file or directory, open '/no/where'
    at Object.openSync (node:fs:573:18)
    at file:///srv/server.mjs:10:52 {
  errno: -2,
  code: 'ENOENT',
  syscall: 'open',
  path: '/no/where'
}

Node.js v20.20.2
`
const missing = `node:internal/modules/cjs/loader:1215
  throw err;
  ^

Error: Cannot find module '/srv/nope.js'
    at Module._resolveFilename (node:internal/modules/cjs/loader:1212:15) {
  code: 'MODULE_NOT_FOUND',
  requireStack: []
}

Node.js v20.20.2`
const npm = `npm error code E404
npm error 404 Not Found - GET https://registry.example/no-such-server - Not found
npm error 404
npm error 404  'no-such-server@*' is not in this registry.
npm error A complete log of this run can be found in: /home/me/.npm/_logs/2026-01-01T00_00_00_000Z-debug-0.log
`
const python = `Traceback (most recent call last):
  File "/srv/server.py", line 1, in <module>
    import nope
ModuleNotFoundError: No module named 'nope'
`

test.each([
  ['an error of Node', node, "Error: ENOENT: no such file or directory, open '/no/where'"],
  ['a missing script', missing, "Error: Cannot find module '/srv/nope.js'"],
  [
    'a package that is not there',
    npm,
    'npm error 404 Not Found - GET https://registry.example/no-such-server - Not found',
  ],
  ['an error of Python', python, "ModuleNotFoundError: No module named 'nope'"],
  ['a plain line', 'starting\nno licence\n', 'no licence'],
  ['one that only looks like an error', 'Error: ignored\nno licence', 'no licence'],
  ['nothing but what follows', 'Node.js v20.20.2\n', 'Node.js v20.20.2'],
  ['a thrown text', `boom\n\nNode.js v20.20.2`, 'boom'],
  ['nothing', ' \n', ''],
])('the reason is told: %s', (_, stderr, reason) => {
  expect(causeOfDeath('', stderr, null)).toBe(reason)
})

const greeting = 'Knowledge Graph MCP Server running on stdio\n'

test.each([
  ['a process that was killed', greeting, '', 'SIGKILL', ''],
  ['one that was killed while it logged', '', greeting, 'SIGTERM', ''],
  [
    'one that named an error and was killed',
    greeting,
    'Error: out of ideas\n',
    'SIGKILL',
    'Error: out of ideas',
  ],
  ['one that ended by itself after it had spoken', greeting, '', null, ''],
  ['one that ended by itself with a word', greeting, 'no licence\n', null, 'no licence'],
  ['one whose error came before its answer', python, '', null, "ModuleNotFoundError: No module named 'nope'"],
  ['one that aborts', greeting, 'out of memory\n', 'SIGABRT', 'out of memory'],
])('a greeting is not the reason: %s', (_, before, after, signal, reason) => {
  expect(causeOfDeath(before, after, signal)).toBe(reason)
})
