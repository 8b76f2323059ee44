/** Servers with tools that a test sets and changes, and an embedder that counts its questions. */
import { once } from 'node:events'
import { renameSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import * as z from 'zod'
import type { Command } from './clients.ts'
import type { RunningProxy } from './world.ts'

const SCRIPT = fileURLToPath(new URL('./catalogue-server.mjs', import.meta.url))

export interface Catalogue {
  /** An entry of `mcpServers`. */
  server: Command
  /** Sets the tools that it lists from now on: names and descriptions. While `silent`, it answers nothing. */
  set(tools: Record<string, string>, silent?: boolean): void
}

export function catalogue(directory: string, name: string, tools: Record<string, string>): Catalogue {
  const file = join(directory, `${name}.json`)
  const set: Catalogue['set'] = (next, silent = false) => {
    const listed = Object.entries(next).map(([tool, description]) => ({
      name: tool,
      description,
      inputSchema: { type: 'object', properties: {} },
    }))
    writeFileSync(`${file}.new`, `${JSON.stringify({ tools: listed, silent })}\n`)
    renameSync(`${file}.new`, file)
  }
  set(tools)
  return { server: { command: process.execPath, args: [SCRIPT, file] }, set }
}

/** The reply of `retrieve_tools`. */
export const reply = z.object({
  message: z.string(),
  query: z.union([z.string(), z.array(z.string())]),
  total_available_tools: z.int(),
  newly_registered: z.array(z.string()).optional(),
  evicted_tools: z.array(z.string()).optional(),
  pool_size: z.int().optional(),
  pool_limit: z.int().optional(),
  tools: z.array(
    z.object({
      name: z.string(),
      original_name: z.string(),
      server: z.string(),
      description: z.string(),
      score: z.number().positive().max(1),
      signature: z.string().optional(),
      newly_registered: z.boolean().optional(),
    }),
  ),
})

export type Reply = z.output<typeof reply>

export async function retrieve(proxy: Pick<RunningProxy, 'text'>, query: string, topK = 5): Promise<Reply> {
  return reply.parse(JSON.parse(await proxy.text('retrieve_tools', { query, top_k: topK })))
}

/** The names that a question finds, best first. */
export async function namesFor(
  proxy: Pick<RunningProxy, 'text'>,
  query: string,
  topK?: number,
): Promise<string[]> {
  return (await retrieve(proxy, query, topK)).tools.map(({ name }) => name)
}

export interface EmbeddingServer {
  /** For OPENAI_BASE_URL. */
  url: string
  /** Every text that was embedded, in their order. */
  texts: string[]
  /** The `Authorization` of every request. */
  keys: (string | undefined)[]
  /** From now on it fails. */
  fail: boolean
}

/** A model that knows a few subjects: a text is about a subject when it has words of it. */
export async function embeddingServer(subjects: readonly (readonly string[])[]): Promise<EmbeddingServer> {
  const made: EmbeddingServer = { url: '', texts: [], keys: [], fail: false }
  const vector = (text: string): number[] => [
    ...subjects.map((words) => words.filter((word) => text.toLowerCase().includes(word)).length),
    0.1,
  ]
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    const { input } = JSON.parse(body) as { input: string[] }
    made.keys.push(request.headers.authorization)
    if (made.fail) return void response.writeHead(400).end('{"error":{"message":"broken"}}')
    made.texts.push(...input)
    const data = input.map((text, index) => ({ index, embedding: vector(text) }))
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  made.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  return made
}
