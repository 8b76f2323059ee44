import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import * as z from 'zod'
import { type Loaded, loadConfig, parseConfig } from '../../../src/config/load-program.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { verifies } from '../../support/verifies.ts'

function load(modules: unknown, env: Record<string, string> = {}): Loaded {
  const cwd = mkdtempSync(join(tmpdir(), 'modules-'))
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }))
  writeFileSync(
    join(cwd, 'mcp.json'),
    JSON.stringify({ mcpServers: { a: { command: 'x' } }, modules }, null, 1),
  )
  return loadConfig({ cwd, home: '/home/me', env })
}

verifies('S2.10 S2.18 S2.19', 'a list of modules is read in its order, with the options of each', () => {
  const { config, warnings } = load(
    [
      { use: 'block', tools: ['x'], priority: 5 },
      { use: 'rename', config: { tools: { 'a/b': 'c' } }, mode: 'audit', failOpen: true, timeoutMs: 50 },
      { command: 'node', args: ['m.mjs'], env: { TOKEN: '${T}' }, config: { any: ['thing'] }, name: 'mine' },
      { path: 'lib/m.mjs', events: ['tools/call'], phase: 'request', mode: 'active' },
      { url: 'http://127.0.0.1:1/mcp', headers: { A: 'b' }, priority: -1, payload: 'message' },
      { use: 'log', disabled: true },
    ],
    { T: 'secret' },
  )
  expect(warnings).toEqual([])
  expect(config.modules).toMatchObject([
    {
      kind: 'external',
      name: '127.0.0.1:1',
      reach: { url: 'http://127.0.0.1:1/mcp', headers: { A: 'b' } },
      payload: 'message',
    },
    {
      kind: 'use',
      name: 'rename',
      options: { tools: { 'a/b': 'c' } },
      mode: 'audit',
      failOpen: true,
      timeoutMs: 50,
    },
    {
      name: 'mine',
      reach: { command: 'node', args: ['m.mjs'], env: { TOKEN: 'secret' } },
      config: { any: ['thing'] },
      mode: undefined,
    },
    {
      name: 'm.mjs',
      reach: { path: expect.stringMatching(/^\/.*\/lib\/m\.mjs$/) },
      events: ['tools/call'],
      phase: 'request',
      mode: 'enforce',
    },
    { kind: 'use', use: 'block', options: { tools: ['x'] } },
  ])
})

test('numbers modules of one name, and keeps shape at its place', () => {
  const { config } = load([{ use: 'log' }, { use: 'shape' }, { use: 'log' }])
  expect(config.modules.map(({ name }) => name)).toEqual(['log', 'shape', 'log-2'])
})

test('a program that runs a script is named by the script', () => {
  const names = (...entries: [command: string, ...args: string[]][]): string[] =>
    load(entries.map(([command, ...args]) => ({ command, args }))).config.modules.map(({ name }) => name)
  expect(
    names(
      ['node', '/opt/modules/guard.mjs', '--strict'],
      ['/usr/bin/node', '--import', './hook.mjs', '--no-warnings', 'mask.mjs'],
      ['python3.11', '-u', 'guard_paths.py'],
      ['python', '-m', 'my.guard'],
      ['npx', '-y', '@scope/guard'],
      ['uv', 'run', 'check.py'],
      ['node', '-e', 'code()'],
      ['/opt/guard', 'x.mjs'],
    ),
  ).toEqual(['guard.mjs', 'mask.mjs', 'guard_paths.py', 'my.guard', 'guard', 'check.py', 'node', 'guard-2'])
})

test.each<[unknown, RegExp]>([
  [{}, /modules is \{\}, but must be a list/],
  [['log'], /modules\[0\] is "log", but must be an object/],
  [[{}], /modules\[0\] names no module/],
  [[{ use: 'log', command: 'x' }], /modules\[0\] has use and command/],
  [[{ use: 'blok' }], /modules\[0\]\.use is "blok", which is no module\n.*Did you mean "block"\?/],
  [[{ use: 'block', tools: 'x' }], /modules\[0\]\.tools is "x", but must be a list of texts/],
  [[{ use: 'quota', config: { rps: -1 } }], /modules\[0\]\.config\.rps is -1, but must be a number/],
  [[{ use: 'block', config: 3 }], /modules\[0\]\.config is 3, but must be an object/],
  [[{ use: 'block', mode: 'loud' }], /modules\[0\]\.mode is "loud", but must be one of enforce, audit/],
  [[{ url: 'ftp://x' }], /modules\[0\]\.url is not an http or https address/],
  [[{ command: 'x', env: { A: '${MISSING}' }, name: '${MISSING}' }], /uses \$\{MISSING\}/],
  [[{ use: 'shape' }, { use: 'shape' }], /has "shape" more than once/],
])('%j is refused with what is wrong', (modules, message) => {
  expect(() => load(modules)).toThrow(message)
})

test('unknown keys are reported with the nearest known one; what a module of somebody else is told is its own', () => {
  const { warnings } = load([
    { use: 'block', tool: ['x'] },
    { command: 'x', confg: {}, config: { anything: 1 } },
  ])
  expect(warnings.map(({ path, remedy }) => [path, remedy])).toEqual([
    ['modules[0].tool', 'Did you mean "tools"?'],
    ['modules[1].confg', 'Did you mean "config"?'],
  ])
})

test('modules of an embedder have options as ours have', () => {
  const mine = { name: 'mine', options: z.object({ size: z.number() }) }
  const value = (entry: JsonObject): JsonObject => ({ mcpServers: {}, modules: [entry] })
  expect(parseConfig(value({ use: 'mine', size: 3 }), [mine]).modules).toMatchObject([
    { use: 'mine', options: { size: 3 } },
  ])
  expect(() => parseConfig(value({ use: 'mine', size: 'x' }), [mine])).toThrow(/modules\[0\]\.size/)
  expect(() => parseConfig(value({ use: 'mine' }))).toThrow(/is no module/)
})

test('keys inside of lists and maps of options are read in any spelling, and unknown ones are told with their place', () => {
  const { config, warnings } = load([
    {
      use: 'rewrite',
      rules: [
        { pattern: 'a', with: 'b', ignore_case: true },
        { patern: 'a', text: 'c', In: ['results'] },
      ],
    },
    { use: 'rename', config: { tools: { x: { tilte: 'T', name: 'y' }, z: 'w' } } },
  ])
  expect(config.modules).toMatchObject([
    {
      options: {
        rules: [
          { pattern: 'a', with: 'b', ignoreCase: true },
          { text: 'c', in: ['results'] },
        ],
      },
    },
    { options: { tools: { x: { name: 'y' }, z: 'w' } } },
  ])
  expect(
    warnings.map(({ path, place, message, remedy }) => [
      path,
      /:(\d+)/.exec(place)?.[1] !== undefined,
      message,
      remedy,
    ]),
  ).toEqual([
    ['modules[0].rules[1].patern', true, 'is not known and is ignored', 'Did you mean "pattern"?'],
    ['modules[1].config.tools.x.tilte', true, 'is not known and is ignored', 'Did you mean "title"?'],
  ])
  expect(() => load([{ use: 'rewrite', rules: [{ text: 'a', ignore_case: 1 }] }])).toThrow(
    /modules\[0\]\.rules\[0\]\.ignore_case/,
  )
  expect(() => load([{ use: 'redact', replacement: 'a"b' }])).toThrow(/without quotes/)
})
