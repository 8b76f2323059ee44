import fc from 'fast-check'
import { expect, test } from 'vitest'
import { codeWorld } from '../../../support/code-world.ts'
import { seed, whole } from '../../../support/runs.ts'

/** Pieces that programs are put together of: names that lead out, and what could be done with them. */
const NAMES = [
  'd',
  'doc',
  'tools',
  'keep',
  'console',
  'globalThis',
  'this',
  'Object',
  'Function',
  'Promise',
  'JSON',
  'Proxy',
  'Reflect',
  'Error',
  'Symbol',
  'Array',
  'help',
  'x',
]
const MEMBERS = [
  'constructor',
  '__proto__',
  'prototype',
  'then',
  'call',
  'rows',
  'toJSON',
  'stack',
  'caller',
  'arguments',
  'search',
  'length',
  'cache_id',
  'valueOf',
]
const NUMBERS = [
  '0',
  '-1',
  '1e9',
  'NaN',
  '2 ** 31',
  '1n',
  '""',
  'null',
  'undefined',
  '[]',
  '{}',
  'Symbol.iterator',
  '"s_drop"',
  '"../x"',
]

const { expression } = fc.letrec<{ expression: string }>((tie) => {
  const inner = tie('expression')
  return {
    expression: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constantFrom(...NAMES, ...NUMBERS),
      fc.tuple(inner, fc.constantFrom(...MEMBERS)).map(([one, name]) => `(${one})?.${name}`),
      fc.tuple(inner, inner).map(([one, other]) => `(${one})?.[${other}]`),
      fc.tuple(inner, inner).map(([one, other]) => `(${one})(${other})`),
      fc.tuple(inner, inner).map(([one, other]) => `new (${one})(${other})`),
      fc
        .tuple(inner, inner)
        .map(
          ([one, other]) => `Object.assign(${one}, { then: () => ${other}, toJSON() { return ${other} } })`,
        ),
      inner.map((one) => `await (${one})`),
      inner.map((one) => `(() => ${one})`),
      inner.map((one) => `new Proxy({}, { get: () => ${one} })`),
      fc.tuple(inner, inner).map(([one, other]) => `tools.call(${one}, ${other})`),
      inner.map((one) => `d.rows(${one})`),
      inner.map((one) => `d.at(${one})`),
    ),
  }
})
const statement = fc.oneof(
  expression.map((one) => `try { x = ${one} } catch (e) { x = e }`),
  expression.map((one) => `globalThis[String(${one})] = ${one}`),
  fc.tuple(expression, expression).map(([one, other]) => `for (const y of [${one}]) { x = ${other} }`),
  expression.map((one) => `Object.prototype.y = ${one}`),
  expression.map((one) => `console.log(${one})`),
  fc.string({ maxLength: 40 }),
)
const program = fc.array(statement, { maxLength: 5 }).map((lines) => `let x\n${lines.join('\n')}\nreturn x`)

test(
  'whatever a program is, it ends, reaches nothing, and the next one runs',
  async () => {
    const world = await codeWorld({ code: { cpuMs: 500, memoryMb: 16 } })
    const id = await world.records()
    await fc.assert(
      fc.asyncProperty(program, async (code) => {
        const answer = await world.run(code, { cache_id: id, timeout_ms: 3000 })
        expect(answer).not.toMatch(/node:internal|\/tmp\/|The sandbox could not/)
      }),
      { numRuns: whole ? 10_000 : 40, seed },
    )
    expect(world.server.calls.filter(({ name }) => name === 'drop' || name === 'write')).toEqual([])
    expect(await world.run('return [typeof x, await d.count()]', { cache_id: id })).toBe('["undefined",300]')
  },
  whole ? 3_000_000 : 180_000,
)
