/**
 * Checks arguments against the schema of a tool without holding up the event loop. Arguments that are surely cheap are checked at once.
 * The rest are checked in a process with a limit of time and memory. Arguments that are too large for that are left to the tool's server.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { faultsOf } from '../engine/schema-check.ts'
import { isObject, type JsonObject, type JsonValue, own } from '../protocol/json.ts'

/** Steps (nodes of the schema times values of the arguments) that are checked at once. */
const CHEAP_STEPS = 100_000
/** Nodes of a schema with its references followed that are checked at once. */
const CHEAP_NODES = 2_000
/** Values, and characters of texts, that are handed to the process. */
const MOST_VALUES = 20_000
const MOST_CHARACTERS = 1024 * 1024
/** Milliseconds that a check may take, with the wait for others before it. */
const TIME_LIMIT_MS = 2_000
/** Megabytes of its objects. */
const MEMORY_MB = 128
/** Milliseconds without work after which the process ends. */
const IDLE_MS = 10_000

export interface ArgumentCheckOptions {
  /** Milliseconds. Default: 2,000. */
  timeLimitMs?: number
  /** The file that the process runs. Default: the compiled `check-process.ts`. */
  file?: URL
}

/** The faults of the arguments, a sentence each; empty when nothing is, and when it cannot be told in time. */
export type ArgumentCheck = (args: JsonObject, schema: JsonObject) => string[] | Promise<string[]>

export function createArgumentCheck({
  timeLimitMs = TIME_LIMIT_MS,
  file = compiledFile(),
}: ArgumentCheckOptions = {}): ArgumentCheck {
  const process = new CheckProcess(file)
  /** Schemas that took too long once. */
  const dear = new WeakSet<JsonObject>()
  const nodes = new WeakMap<JsonObject, number>()

  return (args, schema) => {
    const values = sizeOf(args)
    if (values === undefined || dear.has(schema)) return []
    const cost = nodes.get(schema) ?? nodesOf(schema)
    nodes.set(schema, cost)
    if (cost * values <= CHEAP_STEPS) return faultsOf(args, schema)
    return process.check(args, schema, timeLimitMs).then((faults) => {
      if (faults === undefined) dear.add(schema)
      return faults ?? []
    })
  }
}

/** One process, started when it is needed, with one check after the other. A thread that runs out of memory could end the whole proxy. */
class CheckProcess {
  readonly #file: URL
  #child: ChildProcess | undefined
  #idle: NodeJS.Timeout | undefined
  #last: Promise<unknown> = Promise.resolve()

  constructor(file: URL) {
    this.#file = file
  }

  /** Undefined: the time or the memory was not enough. An empty list for a check that got its turn too late. */
  check(args: JsonObject, schema: JsonObject, timeLimitMs: number): Promise<string[] | undefined> {
    const late = performance.now() + timeLimitMs
    const done = this.#last.then(() => {
      const left = late - performance.now()
      return left <= 0 ? [] : this.#run({ args, schema, limitMs: Math.ceil(left) })
    })
    this.#last = done
    return done
  }

  #run(job: { args: JsonObject; schema: JsonObject; limitMs: number }): Promise<string[] | undefined> {
    clearTimeout(this.#idle)
    this.#child ??= this.#start()
    const child = this.#child
    return new Promise((resolve) => {
      const finish = (faults: string[] | undefined): void => {
        clearTimeout(timer)
        child.removeAllListeners()
        if (faults === undefined) this.#end()
        else this.#idle = setTimeout(() => this.#end(), IDLE_MS).unref()
        resolve(faults)
      }
      const timer = setTimeout(() => finish(undefined), job.limitMs)
      child.once('message', (faults) => finish(faults as string[]))
      child.once('error', () => finish(undefined))
      child.once('exit', () => finish(undefined))
      try {
        child.send(job)
      } catch {
        // Nested deeper than the stack: its server decides.
        finish([])
      }
    })
  }

  /** It does not delay the exit, and ends with this process. */
  #start(): ChildProcess {
    const child = fork(this.#file, {
      execArgv: [`--max-old-space-size=${MEMORY_MB}`],
      env: {},
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    child.unref()
    child.channel?.unref()
    return child
  }

  #end(): void {
    const child = this.#child
    this.#child = undefined
    // Errors that it reports while it ends must not end the proxy.
    child?.on('error', () => {})
    child?.kill('SIGKILL')
  }
}

/** Values in the arguments; undefined when there are too many, or too much text. */
function sizeOf(args: JsonObject): number | undefined {
  let values = 0
  let characters = 0
  const waiting: JsonValue[] = [args]
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    if (++values > MOST_VALUES || characters > MOST_CHARACTERS) return undefined
    if (typeof value === 'string') characters += value.length
    else if (typeof value === 'object' && value !== null) {
      const parts = Object.values(value)
      if (values + waiting.length + parts.length > MOST_VALUES) return undefined
      for (const part of parts) waiting.push(part)
    }
  }
  return characters > MOST_CHARACTERS ? undefined : values
}

/** Keywords with a check that may take more than a step for each value. */
const DEAR: ReadonlySet<string> = new Set([
  'uniqueItems',
  'pattern',
  'patternProperties',
  'contains',
  'propertyNames',
  '$dynamicRef',
  '$recursiveRef',
])

/** Nodes of a schema with its local references followed; infinite when they are many, or when a keyword is dear. */
function nodesOf(schema: JsonObject): number {
  let nodes = 0
  const waiting: JsonValue[] = [schema]
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (++nodes > CHEAP_NODES) return Number.POSITIVE_INFINITY
    if (typeof node !== 'object' || node === null) continue
    const isSchema = isObject(node)
    for (const [key, part] of Object.entries(node)) {
      if (isSchema && DEAR.has(key)) return Number.POSITIVE_INFINITY
      if (isSchema && key === '$ref') {
        const target = typeof part === 'string' ? targetOf(schema, part) : undefined
        if (target !== undefined) waiting.push(target)
      } else if (key !== '$defs' && key !== 'definitions') waiting.push(part)
    }
  }
  return nodes
}

function targetOf(root: JsonObject, ref: string): JsonValue | undefined {
  if (ref === '#') return root
  if (!ref.startsWith('#/')) return undefined
  let here: JsonValue | undefined = root
  for (const part of ref.slice(2).split('/'))
    here = isObject(here) ? own(here, part.replaceAll('~1', '/').replaceAll('~0', '~')) : undefined
  return here
}

/** Beside this file in `dist`; from `src`, as tests run it, in the bundle, for Node cannot load TypeScript. */
function compiledFile(): URL {
  const compiled = import.meta.url.endsWith('.js')
  return new URL(compiled ? './check-process.js' : '../../dist/bundle/check-process.js', import.meta.url)
}
