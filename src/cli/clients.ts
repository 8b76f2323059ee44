/**
 * The clients that `import` and `init` know. A row says where the client keeps its servers, and how an entry is read and written there.
 * It also has the settings of the proxy's entry, and what the model of that client sees. The versions that were measured are in
 * docs/clients.md.
 */
import { join } from 'node:path'
import { parse as parseToml, stringify as stringifyToml } from 'smol-toml'
import { readJsonc } from '../config/jsonc.ts'
import { formatProblem } from '../config/report.ts'
import { messageOf, ProxyError } from '../protocol/errors.ts'
import { isObject, type JsonObject, type JsonValue, own, setOwn } from '../protocol/json.ts'
import type { Host } from './host.ts'

/** The facts that the place of a client's file depends on. */
type HomeDirectories = Pick<Host, 'cwd' | 'home' | 'platform' | 'env'>

export interface Client {
  /** As it is written on the command line. */
  readonly id: string
  readonly title: string
  /** Every file it may have on this machine, nearest first: the project's before the user's. */
  files(places: HomeDirectories): string[]
  /** Which of the files `init` is about, as an index of `Array.prototype.at`. */
  readonly target: number
  readonly format: 'json' | 'toml'
  /** The member of the file that holds the servers by name. */
  readonly key: string
  /** The keys to further maps of servers in a file, nearest first. */
  more?(cwd: string): string[][]
  /** An entry of the client as the proxy's configuration has it. */
  read(entry: JsonObject): JsonObject
  /** The entry that starts a command, with the settings that fit the proxy. */
  write(command: string, args: string[]): JsonObject
  /** Notes for the user and further settings: one sentence or two each. */
  readonly notes: readonly string[]
}

/** The proxy's own tools that read kept results. Approving them approves nothing that writes. */
const OWN_TOOLS = ['proxy_explore', 'proxy_filter', 'proxy_search'] as const

/** How an entry of a client differs from one of the proxy. */
interface Dialect {
  /** Keys that say something to that client alone. */
  drop?: readonly string[]
  /** Keys by the name they have in the proxy's configuration. */
  rename?: Readonly<Record<string, string>>
  /** Lists of tools that may and may not be used. */
  allow?: string
  deny?: string
  /** The longest time of a call. */
  milliseconds?: string
  seconds?: string
  /** True: `${NAME}` in texts of the client is no variable. */
  literal?: true
}

/** An entry in the proxy's form. Members that neither the dialect nor the proxy knows stay, and `doctor` names them. */
function translate(entry: JsonObject, dialect: Dialect): JsonObject {
  const { drop = [], rename = {}, allow, deny, milliseconds, seconds } = dialect
  const out: JsonObject = {}
  const tools: JsonObject = {}
  for (const [key, raw] of Object.entries(entry)) {
    const value = dialect.literal === true ? escaped(raw) : raw
    if (drop.includes(key)) continue
    if (key === 'enabled') {
      if (value === false) out.disabled = true
    } else if (key === allow) {
      if (Array.isArray(value) && !value.includes('*')) tools.allow = value
    } else if (key === deny) {
      if (Array.isArray(value) && value.length > 0) tools.deny = value
    } else if (key === milliseconds || key === seconds) {
      if (typeof value === 'number' && value > 0)
        out.timeout = Math.max(1, Math.ceil(key === milliseconds ? value / 1000 : value))
    } else setOwn(out, Object.hasOwn(rename, key) ? (rename[key] ?? key) : key, value)
  }
  return Object.keys(tools).length === 0 ? out : { ...out, tools }
}

/** Texts in which `${NAME}` stays what it is when the proxy fills in variables. */
function escaped(value: JsonValue): JsonValue {
  if (typeof value === 'string') return value.replaceAll('${', () => '$${')
  if (Array.isArray(value)) return value.map(escaped)
  if (!isObject(value)) return value
  const out: JsonObject = {}
  for (const [key, one] of Object.entries(value)) setOwn(out, key, escaped(one))
  return out
}

const reader =
  (dialect: Dialect) =>
  (entry: JsonObject): JsonObject =>
    translate(entry, dialect)

/** Codex names variables in keys of their own, where others write `${NAME}`. */
function readCodex(entry: JsonObject): JsonObject {
  const { bearer_token_env_var, env_http_headers, env_vars, ...rest } = entry
  const out = translate(rest, {
    literal: true,
    rename: { http_headers: 'headers' },
    allow: 'enabled_tools',
    deny: 'disabled_tools',
    seconds: 'tool_timeout_sec',
    drop: [
      'startup_timeout_sec',
      'startup_timeout_ms',
      'startup_readiness',
      'default_tools_approval_mode',
      'tools',
      'required',
      'supports_parallel_tool_calls',
      'scopes',
      'oauth_resource',
    ],
  })
  const headers: JsonObject = isObject(out.headers) ? out.headers : {}
  if (typeof bearer_token_env_var === 'string') headers.Authorization = `Bearer \${${bearer_token_env_var}}`
  for (const [name, variable] of Object.entries(isObject(env_http_headers) ? env_http_headers : {})) {
    if (typeof variable === 'string') setOwn(headers, name, `\${${variable}}`)
  }
  if (Object.keys(headers).length > 0) out.headers = headers
  const handed = (Array.isArray(env_vars) ? env_vars : []).map((one) => (isObject(one) ? one.name : one))
  const env: JsonObject = isObject(out.env) ? out.env : {}
  for (const name of handed) if (typeof name === 'string') setOwn(env, name, `\${${name}}`)
  if (Object.keys(env).length > 0) out.env = env
  return out
}

/** opencode has command and arguments in one list, and writes variables as `{env:NAME}`. */
function readOpencode(entry: JsonObject): JsonObject {
  const { command, type, ...rest } = entry
  const out = translate(rest, { rename: { environment: 'env' }, drop: ['timeout', 'oauth'] })
  const [program, ...args] = Array.isArray(command) ? command : []
  const text = JSON.stringify(program === undefined ? out : { command: program, args, ...out })
  const filled = text.replaceAll(/\{env:([A-Za-z_]\w*)\}|\$\{/g, (_, name?: string) =>
    name === undefined ? '$${' : `\${${name}}`,
  )
  return JSON.parse(filled) as JsonObject
}

/** Older files of Zed have the command as an object. */
function readZed(entry: JsonObject): JsonObject {
  const { command, ...rest } = entry
  const plain = isObject(command)
    ? { ...rest, command: command.path ?? null, args: command.args ?? [], env: command.env ?? {} }
    : entry
  return translate(plain, { drop: ['source', 'settings'], literal: true })
}

const standard = (command: string, args: string[]): JsonObject => ({ command, args })
const allowsOwn = (prefix: string): string => OWN_TOOLS.map((tool) => `"${prefix}${tool}"`).join(', ')

/** Where programs keep their files. */
function applications({ platform, home, env }: HomeDirectories): string {
  if (platform === 'darwin') return join(home, 'Library', 'Application Support')
  if (platform === 'win32') return env.APPDATA ?? join(home, 'AppData', 'Roaming')
  return env.XDG_CONFIG_HOME ?? join(home, '.config')
}

const GEMINI: Dialect = {
  allow: 'includeTools',
  deny: 'excludeTools',
  milliseconds: 'timeout',
  drop: ['trust', 'authProviderType', 'targetAudience', 'targetServiceAccount', 'extension'],
}

export const CLIENTS: readonly Client[] = [
  {
    id: 'claude-desktop',
    title: 'Claude Desktop',
    files: (places) => [join(applications(places), 'Claude', 'claude_desktop_config.json')],
    target: 0,
    format: 'json',
    key: 'mcpServers',
    read: reader({}),
    write: standard,
    notes: ['Restart Claude Desktop after a change of the file.'],
  },
  {
    id: 'claude-code',
    title: 'Claude Code',
    files: ({ cwd, home }) => [join(cwd, '.mcp.json'), join(home, '.claude.json')],
    target: 0,
    format: 'json',
    key: 'mcpServers',
    // The servers of each project stand beside those of the user.
    more: (cwd) => [['projects', cwd, 'mcpServers']],
    read: reader({ drop: ['alwaysLoad', 'toolPermissions'] }),
    write: (command, args) => ({ type: 'stdio', command, args }),
    notes: [
      `To approve the proxy's reading tools once, write { "permissions": { "allow": [${allowsOwn('mcp__proxy__')}] } } to .claude/settings.json.`,
      'Claude Code shows its model the names of MCP tools alone until it searches them. The proxy asks for its own tools to be shown at once. "alwaysLoad": true in the entry shows all tools of all servers at once.',
    ],
  },
  {
    id: 'cursor',
    title: 'Cursor',
    files: ({ cwd, home }) => [join(cwd, '.cursor', 'mcp.json'), join(home, '.cursor', 'mcp.json')],
    target: -1,
    format: 'json',
    key: 'mcpServers',
    read: reader({}),
    write: standard,
    notes: [],
  },
  {
    id: 'vscode',
    title: 'VS Code',
    files: (places) => [
      join(places.cwd, '.vscode', 'mcp.json'),
      join(applications(places), 'Code', 'User', 'mcp.json'),
    ],
    target: 0,
    format: 'json',
    key: 'servers',
    read: reader({}),
    write: (command, args) => ({ type: 'stdio', command, args }),
    notes: [],
  },
  {
    id: 'codex',
    title: 'Codex',
    files: ({ cwd, home, env }) => [
      join(cwd, '.codex', 'config.toml'),
      join(env.CODEX_HOME ?? join(home, '.codex'), 'config.toml'),
    ],
    target: -1,
    format: 'toml',
    key: 'mcp_servers',
    read: readCodex,
    write: (command, args) => ({
      command,
      args,
      startup_timeout_sec: 30,
      tools: Object.fromEntries(OWN_TOOLS.map((tool) => [tool, { approval_mode: 'approve' }])),
    }),
    notes: [
      'The entry approves the proxy\'s reading tools alone. default_tools_approval_mode = "approve" would approve every tool behind it.',
      'Codex asks its model after one second whether or not a server has answered; its tools come with a later turn. Install the package (npm install -g mcp-rlm-proxy) and write command = "mcp-rlm-proxy" to start without npx.',
    ],
  },
  {
    id: 'gemini',
    title: 'Gemini CLI',
    files: ({ cwd, home }) => [join(cwd, '.gemini', 'settings.json'), join(home, '.gemini', 'settings.json')],
    target: -1,
    format: 'json',
    key: 'mcpServers',
    read: reader(GEMINI),
    write: (command, args) => ({ command, args, trust: false }),
    notes: [
      '"trust": true runs every tool of every server behind the proxy without a question. Leave it false unless you would say so of each of them.',
      'Gemini CLI refuses a result without structured content of which the first text is JSON but no object, with the proxy as without.',
      'Without a terminal (-p) and without --yolo, Gemini CLI lists no tools of MCP servers that are not trusted.',
    ],
  },
  {
    id: 'qwen',
    title: 'Qwen Code',
    files: ({ cwd, home }) => [join(cwd, '.qwen', 'settings.json'), join(home, '.qwen', 'settings.json')],
    target: -1,
    format: 'json',
    key: 'mcpServers',
    read: reader(GEMINI),
    write: (command, args) => ({ command, args, trust: false }),
    notes: [
      '"trust": true runs every tool of every server behind the proxy without a question.',
      'Qwen Code shows its model names and 150 characters of MCP tools; it finds the rest with its tool_search.',
    ],
  },
  {
    id: 'opencode',
    title: 'opencode',
    files: ({ cwd, home, env }) =>
      [cwd, join(env.XDG_CONFIG_HOME ?? join(home, '.config'), 'opencode')].flatMap((folder) => [
        join(folder, 'opencode.json'),
        join(folder, 'opencode.jsonc'),
      ]),
    target: 2,
    format: 'json',
    key: 'mcp',
    read: readOpencode,
    write: (command, args) => ({ type: 'local', command: [command, ...args], enabled: true }),
    notes: [
      'opencode runs tools of MCP servers without a question; "permission" in the same file changes that.',
    ],
  },
  {
    id: 'copilot',
    title: 'Copilot CLI',
    files: ({ home, env }) => [join(env.COPILOT_HOME ?? join(home, '.copilot'), 'mcp-config.json')],
    target: 0,
    format: 'json',
    key: 'mcpServers',
    read: ({ type, ...entry }) =>
      translate(type === undefined || type === 'local' ? entry : { type, ...entry }, {
        allow: 'tools',
        milliseconds: 'timeout',
        drop: ['deferTools', 'source', 'sourcePath'],
      }),
    write: (command, args) => ({ type: 'local', command, args, tools: ['*'], deferTools: 'never' }),
    notes: [
      '"deferTools": "never" has the tools shown at once where there are many; without it Copilot CLI may show them only after a search.',
      'Without a terminal (-p) it runs tools that declare that they only read, and refuses others unless --allow-tool or --allow-all-tools says so.',
    ],
  },
  {
    id: 'cline',
    title: 'Cline',
    files: (places) => [
      join(
        applications(places),
        ...['Code', 'User', 'globalStorage', 'saoudrizwan.claude-dev', 'settings', 'cline_mcp_settings.json'],
      ),
      join(places.home, '.cline', 'data', 'settings', 'cline_mcp_settings.json'),
    ],
    target: -1,
    format: 'json',
    key: 'mcpServers',
    read: reader({ rename: { transportType: 'type' }, drop: ['autoApprove', 'remoteConfigured'] }),
    write: (command, args) => ({ command, args, disabled: false, autoApprove: [...OWN_TOOLS] }),
    notes: [
      '"autoApprove" names the proxy\'s reading tools alone.',
      'Cline cuts a result that is longer than 8,000 characters as JSON from its middle; the proxy stays below for it.',
    ],
  },
  {
    id: 'windsurf',
    title: 'Windsurf',
    files: ({ home }) => [join(home, '.codeium', 'windsurf', 'mcp_config.json')],
    target: 0,
    format: 'json',
    key: 'mcpServers',
    read: reader({ deny: 'disabledTools', drop: ['alwaysAllow'] }),
    write: standard,
    notes: [],
  },
  {
    id: 'zed',
    title: 'Zed',
    files: (places) => [
      join(places.cwd, '.zed', 'settings.json'),
      places.platform === 'win32'
        ? join(applications(places), 'Zed', 'settings.json')
        : join(places.env.XDG_CONFIG_HOME ?? join(places.home, '.config'), 'zed', 'settings.json'),
    ],
    target: -1,
    format: 'json',
    key: 'context_servers',
    read: readZed,
    write: (command, args) => ({ source: 'custom', command, args, env: {} }),
    notes: [],
  },
]

/** The row of a client. Fails with CONFIG_INVALID when there is none of that name. */
export function clientCalled(name: string): Client {
  const client = CLIENTS.find(({ id }) => id === name)
  if (client === undefined) {
    throw new ProxyError(
      'CONFIG_INVALID',
      `"${name}" is not a client I know.`,
      `Write one of ${CLIENTS.map(({ id }) => id).join(', ')}.`,
    )
  }
  return client
}

/** The text of a client's file as a value. `problems`: in words, when it is broken. */
export function readClientFile(
  { format }: Client,
  text: string,
  path: string,
): { value: JsonValue | undefined; problems: string[] } {
  if (format === 'json') {
    const { value, problems } = readJsonc(text, path)
    return { value, problems: problems.map(formatProblem) }
  }
  try {
    // Dates become texts, as they do in JSON.
    return { value: JSON.parse(JSON.stringify(parseToml(text))) as JsonValue, problems: [] }
  } catch (error) {
    return { value: undefined, problems: [`${path}: this is not valid TOML: ${messageOf(error)}`] }
  }
}

/** A server of a client's file. */
export interface FoundServer {
  readonly name: string
  /** In the proxy's form. */
  readonly entry: JsonObject
  /** The keys to the map that it stands in. */
  readonly map: readonly string[]
}

/** Servers of a client's file. An entry that starts nothing and has no address is no server. */
export function serversIn(client: Client, file: JsonObject, cwd: string): FoundServer[] {
  return [...(client.more?.(cwd) ?? []), [client.key]].flatMap((map) => {
    const servers = map.reduce<JsonValue | undefined>(
      (at, key) => (isObject(at) ? own(at, key) : undefined),
      file,
    )
    return Object.entries(isObject(servers) ? servers : {}).flatMap(([name, written]): FoundServer[] => {
      if (!isObject(written)) return []
      const entry = client.read(written)
      const starts = ['command', 'url', 'serverUrl', 'httpUrl'].some((key) => typeof entry[key] === 'string')
      return starts ? [{ name, entry, map }] : []
    })
  })
}

/** The entry in the client's file that starts the proxy with a configuration. `command`: what the proxy does; by default it serves. */
export function proxyEntry(
  client: Client,
  config: string,
  platform: string,
  command: readonly string[] = [],
): JsonObject {
  const words = ['npx', '-y', 'mcp-rlm-proxy', '--config', config, ...command]
  // Clients on Windows start no scripts (npx is one) without its command processor.
  const [program = '', ...args] = platform === 'win32' ? ['cmd', '/c', ...words] : words
  return client.write(program, args)
}

/** Text of a client's file with one server. */
export function snippet(client: Client, name: string, entry: JsonObject): string {
  const file = { [client.key]: { [name]: entry } }
  return client.format === 'toml' ? `${stringifyToml(file).trim()}\n` : `${JSON.stringify(file, null, 2)}\n`
}
