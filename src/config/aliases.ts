/**
 * Other names of options: environment variable, command-line flag and the names of other proxies. No imports, so that the command line
 * can be built without loading the schema.
 */

/** Other names in a file for one option. `read` turns a value under such a name into one that the option takes; undefined: no value. */
export interface Alias {
  readonly path: string
  readonly read?: (value: unknown) => unknown
}

interface OptionNames {
  /** The first is the one to document; the others keep working. Absent: made of the option's path. */
  env?: readonly string[]
  /** `--port <n>`, as the command line declares it. Without a value: its presence says true. */
  flag?: string
  /** Names of other proxies in a file, beside `proxySettings` and inside it. */
  aliases?: readonly string[]
  /**
   * The meaning of a value under one of `aliases`, where it differs from the value that the option takes. Undefined: as if it were not
   * there.
   */
  read?: (value: unknown) => unknown
}

/** By the option's path under `proxySettings`: the options with a flag, with a name in other proxies, or with another variable than its path gives. */
export const OPTION_NAMES: Readonly<Record<string, OptionNames>> = {
  exposure: {
    flag: '--exposure <mode>',
    aliases: ['mcpproxy'],
    read: (value) => (isTrue(value) ? 'dispatch' : isFalse(value) ? undefined : value),
  },
  transport: { flag: '--transport <name>' },
  profile: { flag: '--profile <name>' },
  host: { flag: '--host <address>' },
  port: { flag: '--port <number>', aliases: ['onport'] },
  allowUnauthenticated: { flag: '--allow-unauthenticated' },
  maxResponseSize: { flag: '--max-response-size <characters>' },
  truncateOutputLength: { env: ['MCPPROXY_TRUNCATE_OUTPUT_LEN'] },
  cacheTTLSeconds: { env: ['MCPPROXY_CACHE_TTL_SECONDS', 'MCPPROXY_CACHE_TTL'], aliases: ['cacheTTL'] },
  'auth.publicUrl': { env: ['MCPPROXY_PUBLIC_URL'], flag: '--public-url <url>' },
  'naming.maxLength': { env: ['MCPPROXY_TOOL_NAME_LIMIT'], aliases: ['toolNameLimit'] },
  'connect.lazy': { env: ['MCPPROXY_LAZY'], aliases: ['mcplazy'] },
  'connect.listWaitMs': { env: ['MCPPROXY_LIST_WAIT_MS'] },
  'connect.callTimeoutMs': { env: ['MCPPROXY_CALL_TIMEOUT_MS'] },
  'connect.idleMs': { env: ['MCPPROXY_IDLE_MS'] },
  'retrieve.routing': { env: ['MCPPROXY_ROUTING_TYPE'] },
  'retrieve.topK': { env: ['MCPPROXY_TOP_K'] },
  'retrieve.detail': { env: ['MCPPROXY_DETAIL'] },
  'retrieve.variants': { env: ['MCPPROXY_VARIANTS'] },
  'retrieve.poolLimit': { env: ['MCPPROXY_TOOLS_LIMIT'] },
  'retrieve.pool.scoreWeight': { env: ['MCPPROXY_POOL_SCORE_WEIGHT'] },
  'retrieve.pool.freshnessWeight': { env: ['MCPPROXY_POOL_FRESHNESS_WEIGHT'] },
  'retrieve.pool.maxAgeSeconds': { env: ['MCPPROXY_POOL_MAX_AGE_SECONDS'] },
  'retrieve.listWithinTokens': { env: ['MCPPROXY_LIST_WITHIN_TOKENS'] },
  'dispatch.allow': { aliases: ['mcpproxyallow'], read: listed },
  'dispatch.deny': { aliases: ['mcpproxydeny'], read: listed },
  'utils.enabled': { env: ['MCPPROXY_UTILS'], aliases: ['useutils'] },
  'spill.threshold': { aliases: ['mcpproxythreshold'] },
  'spill.format': {
    aliases: ['mcpproxytoon'],
    read: (value) => (isTrue(value) ? 'toon' : isFalse(value) ? 'json' : value),
  },
  'bridge.enabled': { env: ['MCPPROXY_BRIDGE'] },
  'console.enabled': { env: ['MCPPROXY_CONSOLE'], flag: '--console' },
  'toolCache.ttlMs': { aliases: ['toolcachettl'] },
  'retrieve.listChangedExec': { env: ['MCPPROXY_LIST_CHANGED_EXEC'], aliases: ['listChangedExec'] },
  'retrieve.listChangedExecTimeoutMs': { env: ['MCPPROXY_LIST_CHANGED_EXEC_TIMEOUT_MS'] },
  'index.engine': { env: ['MCPPROXY_EMBEDDER'] },
  'index.model': { env: ['MCPPROXY_EMBEDDING_MODEL', 'MCPPROXY_HF_MODEL'] },
  'index.vectorStore': { env: ['MCPPROXY_VECTOR_STORE'] },
  'log.level': { flag: '--log-level <level>', aliases: ['logLevel'] },
  'log.file': { flag: '--log-file <path>', aliases: ['logFile'] },
}

/** Where servers are listed. */
export const SERVER_SECTIONS = ['mcpServers', 'servers'] as const

/** Where the configuration file is looked for. */
export const CONFIG_PATH_VARIABLE = 'MCPPROXY_CONFIG_PATH'
export const CONFIG_FILES = ['mcp.json', 'mcp_config.json'] as const

/** The environment variable of an option that says nothing else: `MCPPROXY_CACHE_MAX_ENTRIES` of `cacheMaxEntries`. */
export function variableOf(path: string): string {
  const words = path.replace(/([A-Z]+)([A-Z][a-z])/g, '$1_$2').replace(/([a-z])([A-Z])/g, '$1_$2')
  return `MCPPROXY_${words.replaceAll('.', '_').toUpperCase()}`
}

/** The options by the names that other proxies have for them in a file. */
export const SETTING_ALIASES: Readonly<Record<string, Alias>> = Object.fromEntries(
  Object.entries(OPTION_NAMES).flatMap(([path, { aliases = [], read }]) =>
    aliases.map((name) => [name, { path, ...(read && { read }) }]),
  ),
)

function isTrue(value: unknown): boolean {
  return value === true || value === 'true'
}

function isFalse(value: unknown): boolean {
  return value === false || value === 'false'
}

/** Names with commas between; without any, there is no list. */
function listed(value: unknown): unknown {
  if (typeof value !== 'string') return value
  const names = value.split(',').map((name) => name.trim())
  const given = names.filter((name) => name !== '')
  return given.length === 0 ? undefined : given
}

/** Keys of a server's entry by the names that other clients have for them. */
export const SERVER_ALIASES: Readonly<Record<string, Alias>> = {
  serverUrl: { path: 'url' },
  httpUrl: { path: 'url' },
  transport: { path: 'type' },
  'oauth.callbackPort': { path: 'oauth.redirectPort' },
  'oauth.scopes': { path: 'oauth.scope' },
}

/** Keys of other clients in a server entry that mean nothing to a proxy. */
export const SERVER_IGNORED: readonly string[] = [
  'name',
  'description',
  'version',
  'gallery',
  'dev',
  'autoApprove',
  'alwaysAllow',
]

/** Keys of a server entry that this version does not have. Using one is reported, never silent. */
export const SERVER_LATER: readonly string[] = ['concurrency']

/** The long name of a flag without its dashes and value: `max-response-size`. */
export function flagName(flag: string): string {
  return flag.replace(/^--/, '').replace(/ .*$/, '')
}
