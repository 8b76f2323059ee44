/** The OAuth functions of the MCP SDK, loaded when a server first asks for a token. */

export type Sdk = typeof import('@modelcontextprotocol/client')

export function loadSdk(): Promise<Sdk> {
  return import('@modelcontextprotocol/client')
}
