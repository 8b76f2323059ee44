/** The input schemas of tools, by the names each client knows them by. */
import type { Client } from '../../protocol/exchange.ts'
import { isObject, type JsonObject, own } from '../../protocol/json.ts'
import { plain, type Result } from '../../protocol/result.ts'

export interface ToolSchemas {
  /** Makes a list for a client, and keeps it. */
  list(client: Client, list: () => Promise<Result>): Promise<Result>
  /** From the list that was kept, else from one that is made now. Undefined: there is no such tool. */
  of(client: Client, name: string, list: () => Promise<Result>): Promise<JsonObject | undefined>
  /** The tools of somebody are no longer what they were. Nothing that was kept counts any more. */
  changed(): void
}

interface Kept {
  result: Result
  generation: number
  /** By name, once somebody asked. */
  schemas?: ReadonlyMap<string, JsonObject>
}

export function createToolSchemas(): ToolSchemas {
  const kept = new WeakMap<Client, Kept>()
  let generation = 0

  async function make(client: Client, list: () => Promise<Result>): Promise<Kept> {
    const begun = generation
    const made = { result: await list(), generation: begun }
    kept.set(client, made)
    return made
  }

  return {
    list: async (client, list) => (await make(client, list)).result,
    async of(client, name, list) {
      const known = kept.get(client)
      const current = known?.generation === generation ? known : await make(client, list)
      current.schemas ??= schemasOf(current.result)
      return current.schemas.get(name)
    },
    changed() {
      generation++
    },
  }
}

function schemasOf(result: Result): ReadonlyMap<string, JsonObject> {
  const tools = own(plain(result), 'tools')
  const schemas = new Map<string, JsonObject>()
  for (const tool of Array.isArray(tools) ? tools : []) {
    if (!isObject(tool) || typeof tool.name !== 'string') continue
    const schema = own(tool, 'inputSchema')
    schemas.set(tool.name, isObject(schema) ? schema : {})
  }
  return schemas
}
