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
  /** The first is the one to document; the others keep working. */
  env: readonly string[]
  /** `--port <n>`, as the command line declares it. Without a value: its presence says true. */
  flag?: string
  /** Names of other proxies in a file, beside `proxySettings` and inside it. */
  aliases?: readonly string[]
  /** What a value under one of `aliases` means, where it is not what the option itself takes. Undefined: as if it were not there. */
  read?: (value: unknown) => unknown
}

/** By the option's path under `proxySettings`. Every option that takes one value is here, and those that other proxies name. */
export const OPTION_NAMES: Readonly<Record<string, OptionNames>> = {
  exposure: {
    env: ['MCPPROXY_EXPOSURE'],
    flag: '--exposure <mode>',
    aliases: ['mcpproxy'],
    read: (value) => (isTrue(value) ? 'dispatch' : isFalse(value) ? undefined : value),
  },
  freshCalls: { env: ['MCPPROXY_FRESH_CALLS'] },
  transport: { env: ['MCPPROXY_TRANSPORT'], flag: '--transport <name>' },
  profile: { env: ['MCPPROXY_PROFILE'], flag: '--profile <name>' },
  host: { env: ['MCPPROXY_HOST'], flag: '--host <address>' },
  port: { env: ['MCPPROXY_PORT'], flag: '--port <number>', aliases: ['onport'] },
  allowUnauthenticated: { env: ['MCPPROXY_ALLOW_UNAUTHENTICATED'], flag: '--allow-unauthenticated' },
  dataDir: { env: ['MCPPROXY_DATA_DIR'] },
  resetData: { env: ['MCPPROXY_RESET_DATA'] },
  maxResponseSize: { env: ['MCPPROXY_MAX_RESPONSE_SIZE'], flag: '--max-response-size <characters>' },
  maxResponseTokens: { env: ['MCPPROXY_MAX_RESPONSE_TOKENS'] },
  maxErrorSize: { env: ['MCPPROXY_MAX_ERROR_SIZE'] },
  previewSize: { env: ['MCPPROXY_PREVIEW_SIZE'] },
  enableAutoTruncation: { env: ['MCPPROXY_ENABLE_AUTO_TRUNCATION'] },
  structured: { env: ['MCPPROXY_STRUCTURED'] },
  savingsInReplies: { env: ['MCPPROXY_SAVINGS_IN_REPLIES'] },
  truncationMessage: { env: ['MCPPROXY_TRUNCATION_MESSAGE'] },
  truncateOutputLength: { env: ['MCPPROXY_TRUNCATE_OUTPUT_LEN'] },
  queryTimeoutMs: { env: ['MCPPROXY_QUERY_TIMEOUT_MS'] },
  cacheTTLSeconds: { env: ['MCPPROXY_CACHE_TTL_SECONDS', 'MCPPROXY_CACHE_TTL'], aliases: ['cacheTTL'] },
  cacheMaxEntries: { env: ['MCPPROXY_CACHE_MAX_ENTRIES'] },
  enableAgentIsolation: { env: ['MCPPROXY_ENABLE_AGENT_ISOLATION'] },
  maxEntriesPerAgent: { env: ['MCPPROXY_MAX_ENTRIES_PER_AGENT'] },
  maxMemoryPerAgent: { env: ['MCPPROXY_MAX_MEMORY_PER_AGENT'] },
  maxTotalAgents: { env: ['MCPPROXY_MAX_TOTAL_AGENTS'] },
  cacheDiskMaxBytes: { env: ['MCPPROXY_CACHE_DISK_MAX_BYTES'] },
  cacheDiskMaxAgeSeconds: { env: ['MCPPROXY_CACHE_DISK_MAX_AGE_SECONDS'] },
  'auth.tokens': { env: ['MCPPROXY_AUTH_TOKENS'] },
  'auth.issuer': { env: ['MCPPROXY_AUTH_ISSUER'] },
  'auth.audience': { env: ['MCPPROXY_AUTH_AUDIENCE'] },
  'auth.jwksUri': { env: ['MCPPROXY_AUTH_JWKS_URI'] },
  'auth.introspection.url': { env: ['MCPPROXY_AUTH_INTROSPECTION_URL'] },
  'auth.introspection.clientId': { env: ['MCPPROXY_AUTH_INTROSPECTION_CLIENT_ID'] },
  'auth.introspection.clientSecret': { env: ['MCPPROXY_AUTH_INTROSPECTION_CLIENT_SECRET'] },
  'auth.profileScopes': { env: ['MCPPROXY_AUTH_PROFILE_SCOPES'] },
  'auth.publicUrl': { env: ['MCPPROXY_PUBLIC_URL'], flag: '--public-url <url>' },
  'naming.prefix': { env: ['MCPPROXY_NAMING_PREFIX'] },
  'naming.separator': { env: ['MCPPROXY_NAMING_SEPARATOR'] },
  'naming.maxLength': { env: ['MCPPROXY_TOOL_NAME_LIMIT'], aliases: ['toolNameLimit'] },
  'naming.charset': { env: ['MCPPROXY_NAMING_CHARSET'] },
  'oauth.open': { env: ['MCPPROXY_OAUTH_OPEN'] },
  'connect.lazy': { env: ['MCPPROXY_LAZY'], aliases: ['mcplazy'] },
  'connect.timeoutMs': { env: ['MCPPROXY_CONNECT_TIMEOUT_MS'] },
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
  'dispatch.variants': { env: ['MCPPROXY_DISPATCH_VARIANTS'] },
  'dispatch.allow': { env: [], aliases: ['mcpproxyallow'], read: listed },
  'dispatch.deny': { env: [], aliases: ['mcpproxydeny'], read: listed },
  'utils.enabled': { env: ['MCPPROXY_UTILS'], aliases: ['useutils'] },
  'utils.root': { env: ['MCPPROXY_UTILS_ROOT'] },
  'utils.write': { env: ['MCPPROXY_UTILS_WRITE'] },
  'spill.threshold': { env: ['MCPPROXY_SPILL_THRESHOLD'], aliases: ['mcpproxythreshold'] },
  'spill.format': {
    env: ['MCPPROXY_SPILL_FORMAT'],
    aliases: ['mcpproxytoon'],
    read: (value) => (isTrue(value) ? 'toon' : isFalse(value) ? 'json' : value),
  },
  'spill.dir': { env: ['MCPPROXY_SPILL_DIR'] },
  'readback.maxChars': { env: ['MCPPROXY_READBACK_MAX_CHARS'] },
  'readback.grepMaxMatches': { env: ['MCPPROXY_READBACK_GREP_MAX_MATCHES'] },
  'readback.aliases': { env: ['MCPPROXY_READBACK_ALIASES'] },
  'bridge.enabled': { env: ['MCPPROXY_BRIDGE'] },
  'bridge.port': { env: ['MCPPROXY_BRIDGE_PORT'] },
  'bridge.token': { env: ['MCPPROXY_BRIDGE_TOKEN'] },
  'bridge.inlineBytes': { env: ['MCPPROXY_BRIDGE_INLINE_BYTES'] },
  'bridge.resultTtlSeconds': { env: ['MCPPROXY_BRIDGE_RESULT_TTL_SECONDS'] },
  'toolCache.ttlMs': { env: ['MCPPROXY_TOOL_CACHE_TTL_MS'], aliases: ['toolcachettl'] },
  'retrieve.listChangedExec': { env: ['MCPPROXY_LIST_CHANGED_EXEC'], aliases: ['listChangedExec'] },
  'retrieve.listChangedExecTimeoutMs': { env: ['MCPPROXY_LIST_CHANGED_EXEC_TIMEOUT_MS'] },
  'index.engine': { env: ['MCPPROXY_EMBEDDER'] },
  'index.model': { env: ['MCPPROXY_EMBEDDING_MODEL', 'MCPPROXY_HF_MODEL'] },
  'index.vectorStore': { env: ['MCPPROXY_VECTOR_STORE'] },
  'log.level': { env: ['MCPPROXY_LOG_LEVEL'], flag: '--log-level <level>', aliases: ['logLevel'] },
  'log.file': { env: ['MCPPROXY_LOG_FILE'], flag: '--log-file <path>', aliases: ['logFile'] },
}

/** Where servers are listed. */
export const SERVER_SECTIONS = ['mcpServers', 'servers'] as const

/** Where the configuration file is looked for. */
export const CONFIG_PATH_VARIABLE = 'MCPPROXY_CONFIG_PATH'
export const CONFIG_FILES = ['mcp.json', 'mcp_config.json'] as const

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
