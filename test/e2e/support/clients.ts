/** A client of each generation of the SDK, as one thing. */
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { onTestFinished } from 'vitest'
import { PATIENT, type ToolResult } from './world.ts'

export interface ListedTool {
  name: string
  inputSchema: object
  outputSchema?: object
}

/** The methods of both generations; each checks results against the output schemas in the list. */
export interface AnyClient {
  listTools(): Promise<{ tools: ListedTool[] }>
  callTool(request: { name: string; arguments: Record<string, unknown> }): Promise<ToolResult>
  getServerVersion(): { name: string } | undefined
  close(): Promise<void>
}

export interface Command {
  command: string
  args: string[]
  env?: Record<string, string>
  cwd?: string
}

export const GENERATIONS = ['1.x', '2.x'] as const
export type Generation = (typeof GENERATIONS)[number]

/** Connects a client of this generation to a command, for the time of a test. */
export async function connectClient(generation: Generation, server: Command): Promise<AnyClient> {
  const info = { name: `test ${generation}`, version: '1.0.0' }
  const parameters = {
    ...server,
    env: { ...(process.env as Record<string, string>), ...server.env },
    stderr: 'ignore' as const,
  }
  const client = generation === '1.x' ? new LegacyClient(info) : new Client(info)
  const transport =
    generation === '1.x' ? new LegacyTransport(parameters) : new StdioClientTransport(parameters)
  onTestFinished(() => client.close())
  await client.connect(transport as never, PATIENT)
  return patient(client)
}

/** Waits for answers as long as a busy machine takes. */
export function patient(client: Client | LegacyClient): AnyClient {
  return {
    listTools: async () =>
      (await client.listTools(undefined, PATIENT)) as Awaited<ReturnType<AnyClient['listTools']>>,
    callTool: async (request) => {
      const result =
        client instanceof LegacyClient
          ? await client.callTool(request, undefined, PATIENT)
          : await client.callTool(request, PATIENT)
      return result as ToolResult
    },
    getServerVersion: () => client.getServerVersion(),
    close: () => client.close(),
  }
}
