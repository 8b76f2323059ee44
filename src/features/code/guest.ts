/** The objects that a program finds in its machine: the typed interface that `help()` prints, and the JavaScript that makes it there. */

/** The interface, as TypeScript writes it. */
export const INTERFACE = `declare const d: Doc                     // what cache_id names; several at once have _from in each row
declare function doc(cache_id: string): Doc
interface Query { where?: string | string[], fields?: string[], sort?: string, path?: string, join_on?: string, offset?: number, limit?: number }
interface Doc {
  info(): Promise<{ tool: string, format: string, records: number, bytes: number, fields: { name: string, type: string }[] }>
  count(where?: string | string[]): Promise<number>
  rows(query?: Query): Promise<any[]>                                  // all that match; conditions as proxy_filter has them: "price > 5", "title ~ crash"
  each(fn: (row: any, index: number) => any, query?: Query): Promise<number>  // page by page, for more than fits in memory
  group(by: string | string[], aggregate?: string | string[], query?: Query): Promise<any[]>  // group("state", "sum(price) as total")
  search(pattern: string, options?: { mode?: "regex" | "bm25" | "fuzzy" | "context", max_results?: number, context_lines?: number, path?: string }): Promise<any[]>
  sql(statement: string): Promise<any[]>                               // "SELECT state, count(*) FROM d GROUP BY state"
  text(from?: number, to?: number): Promise<string>                    // characters, at most 1,000,000 at once
  json(): Promise<any>                                                 // the whole as a value, at most 2,000,000 characters
  at(path: string): Promise<any>                                       // the value at a JSONPath
  readonly notes: string[]                                             // remarks on the last answer: a field that is not there, the nearest name
}
declare const tools: {
  search(words: string, limit?: number): Promise<{ name: string, signature: string, description: string }[]>
  describe(name: string): Promise<string>
  call(name: string, args?: object): Promise<any>                      // structured content, parsed JSON or text; a large result is a Doc
}                                                                      // tools.<name>(args) is the same
declare function keep(value: any, name?: string): Promise<string>      // a new cache_id; {"$from": cache_id} in args passes it on unseen
declare function ask(prompt: string, data?: any, options?: { schema?: object }): Promise<any>  // a model's answer to a question, where the settings have one; with a JSON Schema a value
declare function askEach(rows: any[], prompt: string | ((row: any, index: number) => string), options?: { schema?: object, batch?: number }): Promise<any[]>  // one answer for each row; batch: rows of one question
declare function help(): string`

/** Names that a program may have misspelled. */
export const NAMES: readonly string[] = [
  'd',
  'doc',
  'tools',
  'keep',
  'ask',
  'askEach',
  'help',
  'console',
  'setTimeout',
  'JSON',
  'Math',
]

/** The most code units of a text at once. */
export const LONGEST_TEXT = 1_000_000

/** Rows of a page, and code units of its JSON. */
export const PAGE_ROWS = 5000
export const PAGE_LENGTH = 2_000_000

/**
 * Runs in the machine before any program: a function of `send`, the one way out, that takes a text. Answers the functions that the host calls.
 * Nothing else of the host is reachable.
 */
export const GUEST = `(function (send) {
'use strict'
const { parse, stringify } = JSON
const { defineProperty, freeze, keys, create, hasOwn, getPrototypeOf } = Object
const isArray = Array.isArray
const failures = [Error, TypeError, ReferenceError, RangeError]
const waiting = create(null)
let next = 0
let notes = []
let fields = []
let gave = ''
let handed = []

function request(op, args) {
  return new Promise((resolve, reject) => {
    const id = ++next
    waiting[id] = { resolve, reject }
    send(stringify({ ask: op, id, args }))
  })
}

const guarded = new Set(['then', 'catch', 'finally', 'constructor', '__proto__', 'prototype', 'toJSON', 'toString', 'valueOf'])

/** An object that stands before another one in the chain of prototypes, and throws for a member that neither has. */
function strict(base, tell) {
  return new Proxy(create(base), {
    get(target, name, receiver) {
      if (name in target || guarded.has(name)) return Reflect.get(target, name, receiver)
      const told = tell(name)
      if (told === undefined) return undefined
      throw new TypeError(told)
    },
  })
}

const unready = create(null)

/** The promise, which says so where it is taken for its value. */
function pending(promise, what) {
  unready[what] ??= strict(Promise.prototype, (name) => {
    const first = 'the value of ' + what + ' is not there yet: await it first'
    if (typeof name === 'string') return first + ', as in (await ' + what + ').' + name
    return name === Symbol.iterator || name === Symbol.toPrimitive ? first : undefined
  })
  return Object.setPrototypeOf(promise, unready[what])
}

class Doc {
  #ids
  constructor(ids) { this.#ids = ids; freeze(this) }
  get cache_id() { return this.#ids.join(', ') }
  get notes() { return notes }
  toJSON() { return { cache_id: this.cache_id } }
  toString() { return 'Doc ' + this.cache_id }
  async info() { return (await request('info', { ids: this.#ids })).value }
  async count(where) { return (await page(this.#ids, 'filter', listed({ where }), 0, 0)).total }
  async rows(query) { return all(this.#ids, 'filter', listed(query)) }
  async sql(statement) { return all(this.#ids, 'filter', { where: String(statement) }) }
  async group(by, aggregate, query) {
    const { by: own, ...rest } = isQuery(by) ? by : { by }
    return all(this.#ids, 'filter', listed({ aggregate: aggregate ?? 'count', ...query, ...rest, group_by: rest.group_by ?? own }))
  }
  async search(pattern, options) {
    if (pattern instanceof RegExp) {
      options = { case_insensitive: pattern.ignoreCase || undefined, ...options }
      pattern = pattern.source
    }
    const { max_results, limit, ...rest } = options ?? {}
    return all(this.#ids, 'search', { ...rest, pattern: String(pattern), limit: max_results ?? limit })
  }
  async each(fn, query) {
    if (typeof fn !== 'function') throw new TypeError('d.each(fn, query): the first argument is a function of a row')
    let at = 0
    for await (const rows of pages(this.#ids, 'filter', listed(query))) for (const row of rows) await fn(row, at++)
    return at
  }
  async text(from = 0, to = Infinity) { return (await request('text', { ids: this.#ids, from, to: to === Infinity ? undefined : to })).value }
  async json() { return this.at('$') }
  async at(path) { return (await request('at', { ids: this.#ids, path })).value }
  async *[Symbol.asyncIterator]() { for await (const rows of pages(this.#ids, 'filter', {})) yield* rows }
}
const ASKED = ['info', 'count', 'rows', 'sql', 'group', 'search', 'each', 'text', 'json', 'at']
for (const name of ASKED) {
  const method = Doc.prototype[name]
  defineProperty(Doc.prototype, name, { value(...args) { return pending(method.apply(this, args), 'd.' + name + '(…)') } })
}
Object.setPrototypeOf(Doc.prototype, strict(Object.prototype, (name) => {
  const isList = name === Symbol.iterator || name in Array.prototype || /^\\d+$/.test(String(name))
  if (isList) return 'a document is no list: take the rows first, as in (await d.rows({ where, fields }))' + (typeof name === 'symbol' ? '' : /^\\d/.test(name) ? '[' + name + ']' : '.' + name)
  if (typeof name === 'symbol') return undefined
  const near = ASKED.find((one) => name.toLowerCase().startsWith(one))
  const meant = near === undefined ? '; what is in it under that name is await d.at("$.' + name + '")' : '. Did you mean d.' + near + '?'
  return 'a document has no ' + name + ': it has ' + ASKED.join(', ') + meant
}))
freeze(Doc.prototype)

const isQuery = (value) => value !== null && typeof value === 'object' && !isArray(value)

function listed(query) {
  if (query !== undefined && query !== null && !isQuery(query)) query = { where: query }
  const { limit, offset, ...rest } = query ?? {}
  const params = {}
  for (const name of keys(rest)) if (rest[name] !== undefined && rest[name] !== null) params[name] = rest[name]
  if (limit !== undefined) params.limit = limit
  if (offset !== undefined) params.offset = offset
  return params
}

async function page(ids, kind, params, offset, limit) {
  const answer = await request('rows', { ids, kind, params, offset, limit: limit === Infinity ? undefined : limit })
  notes = answer.notes
  const [first] = answer.value
  if (first !== null && typeof first === 'object') fields = keys(first)
  return answer
}

/** The rows, a page at a time. */
async function* pages(ids, kind, { offset = 0, limit = Infinity, ...params }) {
  for (let at = 0; at < limit; ) {
    const { value, total } = await page(ids, kind, params, offset + at, limit - at)
    yield value
    at += value.length
    if (value.length === 0 || offset + at >= total) return
  }
}

async function all(ids, kind, query) {
  const rows = []
  for await (const some of pages(ids, kind, query)) for (const row of some) rows.push(row)
  return rows
}

function doc(id) {
  if (id instanceof Doc) return id
  const ids = (isArray(id) ? id : [id]).flatMap((one) => String(one).split(',')).map((one) => one.trim()).filter((one) => one !== '')
  if (ids.length === 0) throw new TypeError('doc(cache_id): no cache_id was given')
  return new Doc(freeze(ids))
}

async function call(name, args) {
  const { value, text, cache_id } = await request('call', { name: String(name), args: args ?? {} })
  const given = cache_id !== undefined ? doc(cache_id) : text === undefined ? value : valueIn(text)
  gave = String(name) + ' gave ' + kindOf(given)
  return given
}

function valueIn(text) {
  try { return parse(text) } catch { return text }
}

function kindOf(value) {
  if (value instanceof Doc) return 'a document, as d is'
  if (typeof value === 'string') return 'a text'
  if (value === null || typeof value !== 'object') return String(value)
  const names = (one) => 'an object with ' + (keys(one).slice(0, 12).join(', ') || 'nothing')
  if (!isArray(value)) return names(value)
  const [first] = value
  return 'a list of ' + value.length + (isQuery(first) ? ', the first is ' + names(first) : '')
}

const own = freeze({
  __proto__: null,
  search: (words, limit) => pending(request('search', { words: String(words), limit }).then(({ value }) => value), 'tools.search(…)'),
  describe: (name) => pending(request('describe', { name: String(name) }).then(({ value }) => value), 'tools.describe(…)'),
  call: (name, args) => pending(call(name, args), 'tools.call(…)'),
})
const tools = new Proxy(own, {
  get: (target, name) => (typeof name !== 'string' ? undefined : hasOwn(target, name) ? target[name] : guarded.has(name) ? undefined : (args) => pending(call(name, args), 'tools.' + name + '(…)')),
  getPrototypeOf: () => null,
})

async function keep(value, name) {
  const one = await settled(value)
  const json = typeof one === 'string' ? one : written(one)
  if (json === undefined) throw new TypeError('keep(value, name): there is no value')
  return (await request('keep', { json, name: name === undefined ? undefined : String(name) })).value
}

async function ask(prompt, data, { schema } = {}) {
  const about = data instanceof Doc ? await data.text() : await settled(data)
  return (await request('ask', {
    prompt: String(prompt),
    data: typeof about === 'string' ? about : written(about),
    schema: schema === undefined ? undefined : stringify(schema),
  })).value
}

async function askEach(rows, prompt, { schema, batch = 1 } = {}) {
  const all = rows instanceof Doc ? await rows.rows() : await settled(rows)
  if (!isArray(all)) throw new TypeError('askEach(rows, prompt, { schema }): rows is no list')
  const promptOf = typeof prompt === 'function' ? prompt : () => prompt
  const single = (row, at) => ask(promptOf(row, at), row, { schema }).catch((error) => {
    throw new Error('askEach, row ' + at + ': ' + error.message)
  })
  const size = typeof prompt === 'function' ? 1 : Math.max(1, Math.floor(Number(batch) || 1))
  if (size === 1) return inLanes(all, single)
  const items = isArray(schema) ? { enum: schema } : (schema ?? { type: 'string' })
  const chunks = []
  for (let at = 0; at < all.length; at += size) chunks.push(all.slice(at, at + size))
  const answers = await inLanes(chunks, (chunk, at) =>
    ask('For each element of the list, in its order: ' + prompt, chunk, { schema: { type: 'array', items, minItems: chunk.length, maxItems: chunk.length } })
      // Models miscount long lists.
      .catch((error) => (/schema/.test(error.message) ? Promise.all(chunk.map((row, i) => single(row, at * size + i))) : Promise.reject(error))))
  return answers.flat(1)
}

/** So many at once; after a failure none is begun, and those under way end first: what they answer is remembered. */
async function inLanes(all, work) {
  const answers = []
  let next = 0
  let failure
  const lane = async () => {
    while (next < all.length && failure === undefined) {
      const at = next++
      try { answers[at] = await work(all[at], at) } catch (error) { failure ??= { error } }
    }
  }
  await Promise.all(Array.from({ length: 32 }, lane))
  if (failure !== undefined) throw failure.error
  return answers
}

function shown(value) {
  if (typeof value === 'string') return value
  if (value instanceof Error) return value.name + ': ' + value.message
  try { return written(value) ?? String(value) } catch { return String(value) }
}
const log = (...values) => send(stringify({ log: values.map(shown).join(' ') }))
const console = freeze({ log, info: log, warn: log, error: log, debug: log, table: log, dir: log })

let timers = 0
function setTimeout(fn, ms, ...args) {
  const id = ++timers
  waiting['t' + id] = { resolve: () => fn(...args), reject: () => {} }
  send(stringify({ timer: id, ms: Number(ms) || 0 }))
  return id
}
function clearTimeout(id) {
  if (waiting['t' + id] === undefined) return
  delete waiting['t' + id]
  send(stringify({ cleared: id }))
}

function written(value) {
  return stringify(value, (key, one) => {
    if (typeof one === 'bigint') return String(one)
    if (one instanceof Map) return isPlain(one) ? Object.fromEntries(one) : [...one]
    if (one instanceof Set) return [...one]
    if (one instanceof RegExp) return String(one)
    if (one instanceof Error) return one.name + ': ' + one.message
    if (typeof one === 'number' && !Number.isFinite(one)) return String(one)
    return one
  })
}
const isPlain = (map) => [...map.keys()].every((key) => typeof key === 'string' || typeof key === 'number')

/** Promises at the top and one level down are waited for: an await was forgotten. */
async function settled(value) {
  const one = await value
  if (isArray(one)) return one.some(isPromise) ? Promise.all(one) : one
  if (one === null || typeof one !== 'object' || getPrototypeOf(one) !== Object.prototype) return one
  const names = keys(one)
  if (!names.some((name) => isPromise(one[name]))) return one
  const copy = {}
  for (const name of names) copy[name] = await one[name]
  return copy
}
const isPromise = (one) => one instanceof Promise

function failed(error) {
  const isError = error instanceof Error
  const name = isError ? String(error.name) : 'Error'
  const message = isError ? String(error.message) : shown(error)
  return { name, message: message.slice(0, 4000), stack: isError ? String(error.stack).slice(0, 4000) : '', seen: failures.some((one) => error instanceof one) ? seen() : undefined }
}

/** What the program was given last: it may have taken it for something else. */
function seen() {
  return { fields: fields.slice(0, 60), gave }
}

const none = (name, instead) => defineProperty(globalThis, name, {
  configurable: true, writable: true, enumerable: false,
  value: function () { throw new ReferenceError(name + ' is not there: a program has no network, files, processes or modules. ' + instead) },
})
const asTool = 'Call a tool of a server: await tools.call(name, args).'
none('fetch', asTool)
none('XMLHttpRequest', asTool)
none('WebSocket', asTool)
none('require', asTool)
none('open', 'Ask a document: d or doc(cache_id).')
none('setInterval', 'Use a loop with setTimeout.')

const globals = {
  doc,
  tools,
  keep: (...args) => pending(keep(...args), 'keep(…)'),
  ask: (...args) => pending(ask(...args), 'ask(…)'),
  askEach: (...args) => pending(askEach(...args), 'askEach(…)'),
  console,
  print: log,
  setTimeout,
  clearTimeout,
  help: () => help,
}
let help = ''
for (const name of keys(globals))
  defineProperty(globalThis, name, { value: globals[name], configurable: true, writable: true, enumerable: false })

return freeze({
  __proto__: null,
  begin(ids, text) {
    help = text
    notes = []
    fields = []
    gave = ''
    handed = ids
    defineProperty(globalThis, 'd', {
      configurable: true, enumerable: false,
      get() {
        if (handed.length === 0) throw new ReferenceError('d is not there, because no cache_id was given: pass cache_id to proxy_code, or take doc(cache_id)')
        return doc(handed)
      },
      set(value) { defineProperty(globalThis, 'd', { value, configurable: true, writable: true, enumerable: false }) },
    })
  },
  run(program) {
    const end = (outcome) => send(stringify(outcome))
    program().then(settled).then((value) => {
      if (typeof value === 'string') return end({ done: { text: value } })
      const json = written(value)
      end({ done: json === undefined ? {} : { json }, seen: json === undefined || value !== value ? seen() : undefined })
    }).catch((error) => {
      let told
      try { told = failed(error) } catch { told = { name: 'Error', message: 'the program threw something that cannot be read', stack: '', fields: [] } }
      end({ failed: told })
    })
  },
  answer(id, error, json) {
    const one = waiting[id]
    delete waiting[id]
    if (one === undefined) return
    if (error !== undefined) return one.reject(new Error(error))
    one.resolve(json === undefined ? undefined : parse(json))
  },
})
})`
