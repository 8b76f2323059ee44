/** A gateway that runs programs, with a server of records, and what its client says. */
import type { ClientCapabilities } from '@modelcontextprotocol/sdk/types.js'
import type { JsonObject } from '../../src/protocol/json.ts'
import { type Embedded, type EmbeddedOptions, embedded, type ToolServer, toolServer } from './embedded.ts'

export interface CodeWorld extends Embedded {
  readonly server: ToolServer
  /** The answer's text, without the sign before JSON that is no object. */
  run(code: string, args?: JsonObject): Promise<string>
  /** The answer's text as JSON. */
  value(code: string, args?: JsonObject): Promise<unknown>
  /** The handle of a kept result: `count` records. */
  records(count?: number): Promise<string>
}

/** `id`, `name`, `state` open or closed, `price`, `owner.login`. */
export function recordsOf(count: number): JsonObject[] {
  return Array.from({ length: count }, (_, id) => ({
    id,
    name: `record ${id}`,
    state: id % 3 === 0 ? 'closed' : 'open',
    price: id * 2,
    owner: { login: `user${id % 7}` },
  }))
}

const READS = { readOnlyHint: true }

interface CodeWorldOptions extends Omit<EmbeddedOptions, 'servers'> {
  code?: JsonObject
  capabilities?: ClientCapabilities
}

export async function codeWorld({ code, settings, ...options }: CodeWorldOptions = {}): Promise<CodeWorld> {
  const server = toolServer({
    records: {
      description: 'Lists records of the store.',
      annotations: READS,
      inputSchema: { type: 'object', properties: { count: { type: 'integer' } } },
      run: ({ count = 300 }) => JSON.stringify(recordsOf(Number(count))),
    },
    page: {
      annotations: READS,
      run: () => JSON.stringify({ total: 1214, page: 1, per_page: 300, items: recordsOf(300) }),
    },
    pages: {
      description: 'A collection of 10 in pages of 3.',
      annotations: READS,
      inputSchema: { type: 'object', properties: { page: { type: 'integer' }, wide: { type: 'boolean' } } },
      run({ page = 1, wide = false }) {
        const items = recordsOf(10)
          .slice(3 * (Number(page) - 1), 3 * Number(page))
          .map((one) => (wide ? { ...one, text: 'x'.repeat(500_000) } : one))
        return JSON.stringify({ total_count: 10, page, per_page: 3, items })
      },
    },
    structured: {
      annotations: READS,
      outputSchema: { type: 'object', properties: { total: { type: 'number' } } },
      run: () => ({ content: [], structuredContent: { total: 7 } }),
    },
    prose: { annotations: READS, run: () => 'Once upon a time.\nThe end.' },
    fails: {
      annotations: READS,
      run: () => ({ isError: true, content: [{ type: 'text', text: 'no such city' }] }),
    },
    hostile: {
      annotations: READS,
      run: () => '{"__proto__":{"polluted":true},"constructor":{"prototype":{"x":1}},"then":"a text"}',
    },
    echo: { annotations: READS },
    write: { annotations: { destructiveHint: false }, run: () => 'written' },
    drop: { description: 'Drops the table.', run: () => 'dropped' },
  })
  const world = await embedded({
    ...options,
    servers: { s: server.serve },
    settings: { exposure: 'passthrough', code: { enabled: true, ...code }, ...settings },
  })
  const run = async (text: string, args: JsonObject = {}): Promise<string> => {
    const { content } = await world.ask({ code: text, ...args }, 'proxy_code')
    return content
      .map((block) => block.text)
      .join('\n')
      .replace(/^=> /, '')
  }
  return {
    ...world,
    server,
    run,
    async value(text, args) {
      const answer = await run(text, args)
      try {
        return JSON.parse(answer)
      } catch {
        return answer
      }
    },
    async records(count = 300) {
      const { content } = await world.ask({ count }, 's_records')
      const handle = /[0-9a-z]{12}/.exec(content[0]?.text ?? '')?.[0]
      if (handle === undefined) throw new Error(`no handle in ${content[0]?.text}`)
      return handle
    },
  }
}
