/** The modern era over HTTP: no sessions, an instance a request (MCP 2026-07-28, basic/transports). */
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler } from '@modelcontextprotocol/server'
import { createFixture } from './fixture.mjs'

/** @param lists what is switched on (`lists.mjs`) */
export function createModern(lists) {
  const handler = createMcpHandler(() => createFixture('modern', lists, false), { legacy: 'reject' })
  lists.follow('tools', () => handler.notify.toolsChanged())
  lists.follow('prompts', () => handler.notify.promptsChanged())
  return { handle: toNodeHandler(handler), close: () => handler.close() }
}
