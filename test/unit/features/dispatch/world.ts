/** The exposure `dispatch` over tools that a test makes up, with kept results and files, and no threads. */

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Finder } from '../../../../src/discovery/finder.ts'
import type { Engine } from '../../../../src/engine/contract.ts'
import { digest } from '../../../../src/engine/digest.ts'
import { query } from '../../../../src/engine/query.ts'
import { createViews } from '../../../../src/engine/views.ts'
import type { DispatchSettings } from '../../../../src/features/dispatch/actions.ts'
import { createDispatch } from '../../../../src/features/dispatch/index.ts'
import { createShape } from '../../../../src/features/shape/index.ts'
import { silentLogger } from '../../../../src/observe/log.ts'
import { plain, type Result } from '../../../../src/protocol/content.ts'
import type { Agent, Client, Savings } from '../../../../src/protocol/exchange.ts'
import type { JsonObject } from '../../../../src/protocol/json.ts'
import { withOrigin } from '../../../../src/protocol/origin.ts'
import { createSpillDirectory } from '../../../../src/spill/directory.ts'
import { createSpills, type Spills, type SpillsOptions } from '../../../../src/spill/spills.ts'
import { createMemoryStore } from '../../../../src/store/memory.ts'
import { createResultStore } from '../../../../src/store/result-store.ts'
import { RESULT_STORE_DEFAULTS } from '../../../support/defaults.ts'
import { directEngine } from '../../../support/direct-engine.ts'
import { around } from '../../../support/onion.ts'
import { client, exchange, temporaryFolder } from '../../../support/upstream.ts'

/** No test searches here. */
const finder: Finder = { over: () => async () => [], retain() {}, release() {}, close: async () => {} }

export interface Reply extends JsonObject {
  content: { type: string; text: string }[]
}

export interface World {
  spills: Spills
  /** Where the files of this process lie. */
  directory: string
  calls: JsonObject[]
  /** The reported savings of replies. */
  saved: Savings[]
  /** `name`: another tool than `proxy-dispatch`. */
  ask(args: JsonObject, agent?: string, name?: string): Promise<Reply>
  /** Calls the tool, which answers this. */
  run(result: Result, more?: JsonObject): Promise<Reply>
  list(): Promise<JsonObject[]>
}

export interface WorldOptions {
  spill?: Partial<DispatchSettings['spill']>
  readback?: Partial<DispatchSettings['readback']>
  /** Results of at most so many characters pass whole. */
  maxResponseSize?: number
  engine?: Partial<Engine>
  spills?: Partial<SpillsOptions> & { write?: Spills['write'] }
}

export function dispatchWorld(options: WorldOptions = {}): World {
  const folder = temporaryFolder()
  const directory = createSpillDirectory(join(folder, 'spill'))
  const made = createSpills({ directory, allowDirs: [], maxBytes: 100_000_000, ...options.spills })
  const spills = { ...made, ...(options.spills?.write && { write: options.spills.write }) }
  const resultStore = createResultStore({
    ...RESULT_STORE_DEFAULTS,
    memory: createMemoryStore(),
    now: Date.now,
    onDrop: () => {},
    onError: () => {},
  })
  onTestFinished(async () => {
    await spills.close()
    await resultStore.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const views = createViews()
  const engine = {
    ...directEngine(),
    digest: async (...[arrival, wanted]: Parameters<Engine['digest']>) => {
      const { hash, ...rest } = digest(views, arrival, wanted)
      const { hashOf } = await import('../../../../src/engine/content.ts')
      return { ...rest, hash: hash === '' ? hashOf(arrival.content) : hash }
    },
    query: async (...[sources, asked]: Parameters<Engine['query']>) => query(views, sources, asked),
    ...options.engine,
  } as Engine
  const calls: JsonObject[] = []
  const saved: Savings[] = []
  const onSaved = (savings: Savings): void => void saved.push(savings)
  let answer: Result = { content: [] }
  const tools = ['read', 'write'].map((name) =>
    withOrigin({ name: `files_${name}`, inputSchema: { type: 'object' } }, { server: 'files', name }),
  )
  const size = options.maxResponseSize ?? 8000
  const shape = createShape({
    engine,
    resultStore,
    logger: silentLogger,
    enabled: true,
    exempt: new Set(),
    limits: { maxResponseSize: size, maxErrorSize: 32_000, previewSize: Math.min(2000, size) },
  })
  const shaped = around(shape, async ({ method, params, supplied }) => {
    if (method === 'tools/list') return { tools }
    calls.push(
      supplied === undefined ? params : { ...params, supplied: Buffer.from(supplied).toString('utf8') },
    )
    return answer
  })
  const settings: DispatchSettings = {
    budget: 8000,
    splitCalls: false,
    spill: { threshold: 0, format: 'json', ...options.spill },
    readback: { maxChars: 16_000, grepMaxMatches: 20, aliases: false, ...options.readback },
  }
  const layer = createDispatch({
    settings,
    ownTools: new Set(),
    finder,
    engine,
    resultStore,
    spills,
    connections: () => [{ server: 'files', id: 'id', descriptor: () => ({}) }],
    toolFilter: () => undefined,
    refresh: async () => {},
  })
  const handler = around(layer, shaped)
  const clients = new Map<string, Client>()
  const clientOf = (id: string): Client => {
    const agent: Agent = { id, kind: 'session' }
    const found = clients.get(id) ?? { ...client(), agent }
    clients.set(id, found)
    return found
  }
  const ask: World['ask'] = async (args, agent = 'one', name = 'proxy-dispatch') => {
    const params = { name, arguments: args }
    return plain(await handler(exchange(clientOf(agent), { params, onSaved }))) as Reply
  }
  return {
    spills,
    directory: directory.path,
    calls,
    saved,
    ask,
    run: (result, more = {}) => {
      answer = result
      return ask({ action: 'call', tool: 'read', ...more })
    },
    list: async () => {
      const listed = plain(await handler(exchange(clientOf('one'), { method: 'tools/list' })))
      return listed.tools as JsonObject[]
    },
  }
}

export function textOf({ content }: Reply): string {
  return content.map(({ text }) => text).join('\n')
}
