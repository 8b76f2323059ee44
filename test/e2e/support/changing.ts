/** A server with changing tools, as an entry of `mcpServers`. */
import { fileURLToPath } from 'node:url'
import type { Command } from './clients.ts'

const SCRIPT = fileURLToPath(new URL('./changing-server.mjs', import.meta.url))

/** See `changing-server.mjs`. */
export function changing(tools: readonly string[], hold?: string): Command {
  return {
    command: process.execPath,
    args: [SCRIPT, tools.join(',')],
    ...(hold !== undefined && { env: { HOLD: hold } }),
  }
}
