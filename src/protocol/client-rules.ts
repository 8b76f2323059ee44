/**
 * The behaviour of single MCP clients with tools and results: one table, by `clientInfo.name`. How each client is built decides what its
 * model reads. Every row names the version that ran against a scripted model, where the requests of the client were read. A client that
 * is not here gets what is right for all.
 */
import type { JsonObject } from './json.ts'

/**
 * The part of a CallToolResult that the model gets. `structured`: `structuredContent` alone where there is any; `content`: the blocks
 * alone; `content-first`: `structuredContent` only when there are no blocks; `both`: blocks and `structuredContent`; `json`: the whole
 * result as JSON, `_meta` too.
 */
export type Shows = 'structured' | 'content' | 'content-first' | 'both' | 'json'

/** A row of the table: what one client does. */
export interface ClientRule {
  /** As people call the client, and the version that was measured. */
  readonly client: string
  readonly measured: string
  /** `clientInfo.name`. */
  readonly name: RegExp
  /** `clientInfo.version`. Absent: every version. */
  readonly version?: RegExp
  readonly shows: Shows
  /** The client cuts a result that is longer as JSON. Characters (UTF-16 code units) of the whole CallToolResult. */
  readonly jsonLimit?: number
  /** The client cuts a longer text, or puts it into a file. Characters. */
  readonly textLimit?: number
  /** The text that the client puts before the name of a tool; `{server}` is the key of the proxy in the client's configuration. */
  readonly namePrefix?: string
  /** The longest name with its prefix that reaches the model whole, in characters. */
  readonly maxNameLength?: number
  /** True: a model's list of tools has names alone until it searches them. */
  readonly defers?: true
  /** False: the model does not read the `instructions` of the server. */
  readonly showsInstructions?: false
}

export const CLIENT_RULES: readonly ClientRule[] = [
  {
    client: 'Claude Code',
    measured: '2.1.330',
    name: /^claude-code$/,
    shows: 'structured',
    textLimit: 50_000,
    namePrefix: 'mcp__{server}__',
    maxNameLength: 64,
    defers: true,
  },
  {
    client: 'Codex',
    measured: '0.169.0',
    name: /^codex-mcp-client$/,
    shows: 'structured',
    // About 12,000 arrived, with more left out of their middle; it may differ by model.
    textLimit: 10_000,
    namePrefix: 'mcp__{server}__',
    maxNameLength: 64,
  },
  {
    client: 'Gemini CLI',
    measured: '0.61.0',
    // The key of the server may follow. It parses the first text where there is no structuredContent, and refuses what is no object.
    name: /^gemini-cli-mcp-client/,
    shows: 'content',
    textLimit: 40_000,
    namePrefix: 'mcp_{server}_',
    maxNameLength: 63,
  },
  {
    client: 'Qwen Code',
    measured: '0.24.4',
    name: /^qwen-cli-mcp-client/,
    shows: 'both',
    textLimit: 20_000,
    namePrefix: 'mcp__{server}__',
    maxNameLength: 63,
    defers: true,
  },
  {
    client: 'opencode',
    measured: '1.18.33',
    name: /^opencode$/,
    shows: 'content-first',
    textLimit: 50_000,
    namePrefix: '{server}_',
    // It shortens nothing, and OpenAI's models refuse a longer one.
    maxNameLength: 64,
  },
  {
    client: 'Copilot CLI',
    measured: '1.0.102',
    name: /^github-copilot-developer$/,
    shows: 'both',
    textLimit: 20_000,
    namePrefix: '{server}-',
    maxNameLength: 64,
    showsInstructions: false,
  },
  {
    client: 'Cline CLI',
    measured: '3.0.65',
    name: /^@cline\/core$/,
    shows: 'json',
    // 8,000 plain characters as one text block arrived with "[truncated 69 chars]" from their middle.
    jsonLimit: 8000,
    namePrefix: '{server}__',
    maxNameLength: 64,
    showsInstructions: false,
  },
  {
    client: 'Continue CLI',
    measured: '1.5.47',
    name: /^continue-(cli-)?client$/,
    shows: 'content',
    showsInstructions: false,
  },
  {
    client: 'Vercel AI SDK',
    measured: 'ai 7.0.173, @ai-sdk/mcp 2.0.99',
    name: /^ai-sdk-mcp-client$/,
    shows: 'content',
    showsInstructions: false,
  },
]

/** The rule for a client that says this of itself (`clientInfo`). Undefined: it is not in the table. */
export function clientRule({ name, version }: JsonObject): ClientRule | undefined {
  if (typeof name !== 'string') return undefined
  return CLIENT_RULES.find(
    (rule) => rule.name.test(name) && (rule.version === undefined || rule.version.test(String(version))),
  )
}
