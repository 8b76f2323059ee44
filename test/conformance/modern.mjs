/** The modern era over HTTP: no sessions, an instance a request (MCP 2026-07-28, basic/transports). */
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler } from '@modelcontextprotocol/server'
import { createFixture } from './fixture.mjs'

export function createModern() {
  const announce = {
    tools: () => handler.notify.toolsChanged(),
    prompts: () => handler.notify.promptsChanged(),
  }
  const handler = createMcpHandler(() => createFixture('modern', announce), { legacy: 'reject' })
  return { handle: toNodeHandler(handler), close: () => handler.close() }
}
