/** Servers from the registry that start without accounts, as entries of `mcpServers`. npx brings them when they are first used. */
import { installedServers } from './world.mjs'

const npx = (name, args = [], env = {}) => ({
  command: 'npx',
  args: ['-y', '--prefer-offline', name, ...args],
  env,
})

export function publishedServers(folder) {
  return {
    ...installedServers(folder),
    thinking: npx('@modelcontextprotocol/server-sequential-thinking@2026.8.31'),
    postgres: npx('@modelcontextprotocol/server-postgres@0.6.2', [
      'postgresql://postgres@127.0.0.1:1/postgres',
    ]),
    playwright: npx('@playwright/mcp@0.0.83', ['--headless', '--isolated']),
    devtools: npx('chrome-devtools-mcp@1.11.0', ['--headless', '--isolated']),
    kubernetes: npx('mcp-server-kubernetes@4.1.7'),
    context7: npx('@upstash/context7-mcp@4.1.1'),
    repomix: npx('repomix@1.18.1', ['--mcp']),
    git: npx('@cyanheads/git-mcp-server@2.15.3', [], { MCP_TRANSPORT_TYPE: 'stdio', MCP_LOG_LEVEL: 'error' }),
    eslint: npx('@eslint/mcp@0.3.13'),
    notion: npx('@notionhq/notion-mcp-server@2.5.2', [], { NOTION_TOKEN: 'none' }),
  }
}
