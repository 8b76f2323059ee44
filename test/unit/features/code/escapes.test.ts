import { afterAll, beforeAll, expect, test } from 'vitest'
import { type CodeWorld, codeWorld } from '../../../support/code-world.ts'

/** The secret that no program may reach, and the word that it answers when it got out. */
const SECRET = 'planted-7d1f'
const OUT = 'ESCAPED'

let world: CodeWorld
let stranger: CodeWorld
let theirs: string
let mine: string
const closers: (() => Promise<void>)[] = []
const until = (close: () => Promise<void>): void => void closers.push(close)

beforeAll(async () => {
  process.env.PLANTED = SECRET
  world = await codeWorld({ until, code: { cpuMs: 400, memoryMb: 16 } })
  stranger = await codeWorld({ until })
  await stranger.run(`globalThis.secret = "${SECRET}"; const secret2 = secret; return 1`, {
    session: 'shared',
  })
  theirs = await stranger.records()
  mine = await world.records()
})

afterAll(async () => {
  delete process.env.PLANTED
  for (const close of closers.reverse()) await close()
})

/** Programs that answer ESCAPED, or the secret, when they reach what is not theirs. */
const ATTEMPTS: readonly string[] = [
  // Functions and constructors as ways to the global object of the host.
  'return this && this.process ? "ESCAPED" : 0',
  'return typeof process !== "undefined" ? process.env.PLANTED : 0',
  'return [].constructor.constructor("return typeof process")() !== "undefined" ? "ESCAPED" : 0',
  "return (async () => {}).constructor(\"return typeof process === 'object' ? 'ESCAPED' : 0\")()",
  'return (function* () {}).constructor("yield typeof process")().next().value === "object" ? "ESCAPED" : 0',
  'return (async function* () {}).constructor("yield typeof require")().next().then((r) => r.value === "function" && globalThis.require.resolve ? "ESCAPED" : 0)',
  'return tools.call.constructor("return process")()',
  'return d.rows.constructor("return process.env.PLANTED")()',
  'return console.log.constructor("return this.process")() ? "ESCAPED" : 0',
  'return help.constructor.constructor("return globalThis.process")() ? "ESCAPED" : 0',
  'return new Function("return import(\'fs\')")().then(() => "ESCAPED")',
  'return eval("import(\'node:fs\')").then(() => "ESCAPED")',
  'return (0, eval)("typeof process") === "object" ? "ESCAPED" : 0',
  'return Reflect.construct(Function, ["return process"])() ? "ESCAPED" : 0',
  'return Object.getPrototypeOf(async function () {}).constructor("return process.mainModule")()',
  'const g = Function("return this")(); return g.process || g.global || g.Buffer || g.WebAssembly ? "ESCAPED" : 0',
  'return typeof WebAssembly + typeof SharedArrayBuffer + typeof Atomics === "objectfunctionobject" && WebAssembly.Memory ? "ESCAPED" : 0',
  'return typeof Worker !== "undefined" || typeof postMessage !== "undefined" || typeof parentPort !== "undefined" ? "ESCAPED" : 0',
  'return typeof std !== "undefined" || typeof os !== "undefined" || typeof scriptArgs !== "undefined" ? "ESCAPED" : 0',
  'return typeof navigator !== "undefined" || typeof document !== "undefined" || typeof location !== "undefined" ? "ESCAPED" : 0',
  // Callers and stacks.
  'try { null.x } catch (e) { return /\\/|file:|node:|\\.ts|\\.js:\\d+.*\\.js:/.test(e.stack.replaceAll("program.js", "")) ? "ESCAPED" : 0 }',
  'function f() { return f.caller } try { return String(f()).includes("native") ? "ESCAPED" : 0 } catch { return 0 }',
  'function f() { return arguments.callee.caller } try { return f() ? "ESCAPED" : 0 } catch { return 0 }',
  'Error.prepareStackTrace = (e, frames) => frames; try { const frames = new Error().stack; for (const f of frames) { const fn = f.getFunction?.(); if (fn && fn.constructor("return typeof process")() === "object") return "ESCAPED" } } catch {} return 0',
  'Error.stackTraceLimit = Infinity; try { (function f() { f() })() } catch (e) { return /node|vitest|\\/tmp/.test(e.stack) ? "ESCAPED" : 0 }',
  // Prototypes.
  'Object.prototype.polluted = 1; await d.count(); return 0',
  'const r = await tools.call("s_hostile"); return r.polluted || ({}).polluted ? "ESCAPED" : 0',
  'const r = await tools.call("s_hostile"); return typeof r.constructor === "function" ? "ESCAPED" : 0',
  'const r = await tools.call("s_hostile"); return await r ? (r.then === "a text" ? 0 : "ESCAPED") : "ESCAPED"',
  'return await tools.call("s_echo", JSON.parse(\'{"__proto__": {"isAdmin": true}}\'))',
  'return await tools.call("s_echo", { constructor: { prototype: { x: 1 } } })',
  'Object.defineProperty(Object.prototype, "then", { value: (r) => r("ESCAPED in here alone"), configurable: true }); delete Object.prototype.then; return 0',
  'Object.prototype.toJSON = () => ({ ask: "call", id: 1, args: { name: "s_drop", args: {} } }); try { await d.count() } catch {} return 0',
  'Array.prototype.toJSON = function () { return ["s_drop"] }; try { await tools.call("s_prose") } catch {} return 0',
  'JSON.stringify = () => \'{"ask":"call","id":1,"args":{"name":"s_drop","args":{}}}\'; try { await d.count() } catch {} return 0',
  'JSON.parse = () => ({ value: "x" }); return (await d.count()) === 300 ? 0 : "ESCAPED"',
  'Promise = class { constructor() { throw 1 } }; try { await d.count() } catch {} return 0',
  'Promise.prototype.then = function () { return "ESCAPED".length }; return 0',
  'globalThis.__proto__.process = 1; return 0',
  'return Object.getPrototypeOf(tools) || tools.constructor || tools.__proto__ || tools.then ? "ESCAPED" : 0',
  'tools.call = () => "ESCAPED"; return 0',
  // Getters, proxies and thenables in what crosses.
  'return { get a() { return typeof process === "object" ? "ESCAPED" : 1 } }',
  'return new Proxy({}, { get: (t, k) => k === "toJSON" ? () => typeof require : 1, ownKeys: () => ["a"], getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true, value: 1 }) })',
  'return { toJSON() { return globalThis.process ? "ESCAPED" : 1 } }',
  'return { then(resolve) { resolve({ then(r) { r(globalThis.process ? "ESCAPED" : 1) } }) } }',
  'throw { get message() { throw { get message() { return "ESCAPED".length } } } }',
  'throw new Proxy(new Error("x"), { get() { throw 1 } })',
  'const e = new Error("x"); Object.defineProperty(e, "stack", { get() { return "/etc/passwd program.js:99999999:1" } }); throw e',
  'const a = {}; a.a = a; return a',
  'console.log(new Proxy({}, { get() { throw 1 } }), { toJSON() { throw 1 } }, Symbol("x")); return 1',
  'await d.rows(new Proxy({}, { ownKeys() { throw new Error("no") } }))',
  'await d.rows({ where: { toString() { return "ESCAPED" } } })',
  'await tools.call({ toString() { return "s_drop" } }, {})',
  'await tools.call("s_echo", { toJSON() { return "no object" } })',
  // Results of others, and handles that were never given out.
  'return await doc(THEIRS).count()',
  'return await tools.call("s_echo", { x: { $from: THEIRS } })',
  'return await doc([THEIRS, MINE]).rows()',
  'const ids = []; for (let i = 0; i < 50; i++) { try { await doc("0".repeat(23) + i).count(); ids.push(i) } catch {} } return ids.length ? "ESCAPED" : 0',
  'return await doc("../../etc/passwd").text()',
  'return await doc("last").count()',
  'return await doc("*").count()',
  'return secret',
  // Paths, patterns and conditions as ways into the engine.
  'return await d.at("$..[?(@.constructor.constructor(\'return process\')().env.PLANTED)]")',
  'return await d.at("$.__proto__.constructor")',
  'return await d.rows({ where: "constructor.name = Object" }).then((r) => r.length ? "ESCAPED" : 0)',
  'return (await d.rows({ fields: ["__proto__", "constructor"] })).some((r) => typeof r.constructor !== "function") ? 0 : 0',
  'return await d.rows({ path: "/etc/passwd" }).then((r) => JSON.stringify(r).includes("root:") ? "ESCAPED" : 0)',
  'return await d.rows({ limit: -1, offset: -5 }).then((r) => r.length)',
  'return await d.rows({ limit: NaN, offset: Infinity }).then((r) => r.length)',
  // Questions to a model: no model answers here, and the reply tells nothing of the host.
  'return await ask("q", { toJSON() { return globalThis.process ? "ESCAPED" : 1 } })',
  'return await ask({ toString() { return "x".repeat(2e6) } })',
  'return await ask("q", doc(THEIRS))',
  'return await ask("q", 1, JSON.parse(\'{"schema":{"__proto__":{"polluted":true},"type":"object"}}\'))',
  'return await askEach(new Proxy([1], { get: (t, k) => k === "map" ? () => { throw 1 } : t[k] }), () => { throw { get message() { return typeof process } } })',
  'Array.from = () => ["ESCAPED"]; try { await askEach([1], "q") } catch {} return 0',
  // The tools of the proxy, and tools that do more than read.
  'return await tools.call("proxy_code", { code: "return 1" })',
  'return await tools.call("proxy_filter", { cache_id: MINE })',
  'return await tools.call("s_drop")',
  'return await tools.s_drop({})',
  'return await tools["s_write"]()',
  'return await tools.call("s__drop")',
  'return await tools.call("mcp__s__drop")',
  'return await tools.call("s_echo\\u0000s_drop")',
  'await Promise.all(Array.from({ length: 200 }, () => tools.call("s_prose").catch(() => {}))); return 0',
]

test('the table is as long as it is said to be', () => {
  expect(ATTEMPTS.length).toBeGreaterThanOrEqual(60)
  expect(new Set(ATTEMPTS).size).toBe(ATTEMPTS.length)
})

test.each(ATTEMPTS)('nothing is reached by: %s', async (attempt) => {
  // A failure shows the line that failed: the word must not stand in it.
  const hidden = attempt.replaceAll('"ESCAPED"', '("ESC" + "APED")')
  const code = hidden.replaceAll('THEIRS', JSON.stringify(theirs)).replaceAll('MINE', JSON.stringify(mine))
  world.server.calls.length = 0
  const answer = await world.run(code, { cache_id: mine })
  expect(answer).not.toContain(OUT)
  expect(answer).not.toContain(SECRET)
  expect(answer).not.toMatch(/node:internal|\/tmp\/|\.ts:\d/)
  expect(world.server.calls.filter(({ name }) => name === 'drop' || name === 'write')).toEqual([])
  expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  expect(await world.run('return [typeof polluted, await d.count()]', { cache_id: mine })).toBe(
    '["undefined",300]',
  )
})

/** Programs that would take all the time or memory there is. */
const BOMBS: readonly string[] = [
  'while (true) {}',
  'for (;;) await null',
  'const f = () => Promise.resolve().then(f); await f()',
  'function f() { try { f() } finally { f() } } f()',
  'while (true) { try { while (true) {} } catch {} }',
  'const a = []; while (true) a.push(new Array(1e5).fill(1))',
  'let s = "x"; while (true) s += s',
  'new Uint8Array(1e9)',
  'return "x".repeat(2 ** 30)',
  '/^(a+)+$/.test("a".repeat(40) + "b")',
  'JSON.parse("[".repeat(1e6))',
  'let a = []; for (let i = 0; i < 1e6; i++) a = [a]; return a',
  'return 10n ** 10000000n',
  'new Array(1e8).join("x")',
  '[..."x".repeat(1e6)].sort(() => Math.random() - 0.5).map(String).join().split("").reverse().join()',
  'const f = () => setTimeout(f, 0); f(); await new Promise(() => {})',
  'for (let i = 0; i < 1e7; i++) setTimeout(() => {}, 1e9); await new Promise(() => {})',
  'while (true) console.log("x".repeat(1e5))',
  'while (true) d.count()',
  'await Promise.all(Array.from({ length: 1e5 }, () => d.count()))',
  'for (;;) await keep("x".repeat(1e5) + Math.random())',
  'return new Proxy({}, { ownKeys: () => Array.from({ length: 1e7 }, (_, i) => "k" + i) })',
  'const o = { toJSON() { return { toJSON: o.toJSON, a: [o, o] } } }; return { a: { get b() { return this } } , c: { toJSON() { while (true); } } }',
  'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)',
  'eval("(".repeat(1e5))',
  'return "a".repeat(1e6).replace(/a/g, "b".repeat(1000))',
  'structuredClone(new Array(1e9))',
  'async function* g() { while (true) yield 1 } for await (const x of g()) {}',
]

test.each(BOMBS)('it ends and leaves the next program its time: %s', async (code) => {
  await world.run(code, { cache_id: mine, timeout_ms: 1500 })
  expect(await world.run('return await d.count()', { cache_id: mine })).toBe('300')
})
