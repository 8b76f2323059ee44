/**
 * The client of a scenario: connects in the scenario's era, lists what the server has, and does what the scenario waits for.
 * It knows nothing of the proxy: directly or through it, it does the same.
 */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { authorized } from './oauth.mjs'

/** The first revision of the modern era. */
const MODERN = '2026-07-28'

const CAPABILITIES = {
  roots: { listChanged: true },
  sampling: {},
  elicitation: { form: { applyDefaults: true }, url: {} },
}

/**
 * @param url where the server is
 * @param scenario its name
 * @param revision of the protocol, `2025-11-25`
 * @param context what the suite hands to the client, besides
 * @param provider of the SDK, when the client has to authorise itself
 */
export async function drive({ url, scenario, revision, context, provider }) {
  const modern = revision >= MODERN
  const client = new Client(
    { name: 'conformance-client', version: '1.0.0' },
    { capabilities: CAPABILITIES, versionNegotiation: { mode: modern ? 'auto' : 'legacy' } },
  )
  const before = { elicitation: async () => {} }
  answerRequests(client, before)

  const open = () => new StreamableHTTPClientTransport(new URL(url), provider && { authProvider: provider })
  let transport = open()
  const run = (action) => authorized(provider, () => transport, action)
  try {
    await run(async () => {
      // A transport starts once.
      transport = open()
      await client.connect(transport)
    })
    const spoken = client.getNegotiatedProtocolVersion()
    if (modern !== spoken >= MODERN) throw new Error(`Wanted ${revision}, the server speaks ${spoken}`)
    const { tools } = await run(() => client.listTools())
    await actionOf(scenario)({ client, run, tools, context, before })
  } finally {
    await client.close()
  }
}

function answerRequests(client, before) {
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    await before.elicitation()
    return { action: 'accept', content: filled(params.requestedSchema) }
  })
  client.setRequestHandler('sampling/createMessage', () => ({
    role: 'assistant',
    model: 'none',
    content: { type: 'text', text: 'An answer.' },
  }))
  client.setRequestHandler('roots/list', () => ({ roots: [{ uri: 'file:///tmp', name: 'tmp' }] }))
}

/** Required properties without a default; the SDK fills in the defaults. */
function filled({ properties, required = [] }) {
  const missing = Object.entries(properties).filter(([, schema]) => schema.default === undefined)
  return Object.fromEntries(
    missing
      .filter(([name, { type }]) => required.includes(name) || type === 'boolean')
      .map(([name, schema]) => [name, sample(schema)]),
  )
}

const SAMPLES = { string: 'text', number: 1.5, integer: 1, boolean: true, array: [], object: {}, null: null }

const sample = ({ type }) => SAMPLES[type] ?? 'text'

const call = (client, name, args = {}) => client.callTool({ name, arguments: args })

/** Scenarios that are not over with connecting and listing. */
const ACTIONS = {
  tools_call: ({ client }) => call(client, 'add_numbers', { a: 5, b: 3 }),
  'elicitation-sep1034-client-defaults': ({ client }) => call(client, 'test_client_elicitation_defaults'),
  'sse-retry': ({ client }) => call(client, 'test_reconnection'),
  'json-schema-2020-12-preservation': ({ client, tools }) => {
    const schema = tools.find(({ name }) => name === 'json_schema_2020_12_tool').inputSchema
    return call(client, 'json_schema_echo', { schema })
  },
  'http-standard-headers': async ({ client }) => {
    for (const name of ['test_headers', 'my-hyphenated-tool']) await call(client, name)
    const { resources } = await client.listResources()
    for (const { uri } of resources) await client.readResource({ uri })
    const { prompts } = await client.listPrompts()
    for (const { name } of prompts) await client.getPrompt({ name })
  },
  'http-custom-headers': async ({ client, context }) => {
    for (const { name, arguments: args } of context.toolCalls) await call(client, name, args)
  },
  // Whatever of the tools reached the client is called; those with a bad annotation must not have.
  'http-invalid-tool-headers': async ({ client, tools }) => {
    const own = tools.filter(({ name }) => /^(in)?valid_/.test(name))
    for (const { name, inputSchema } of own) {
      const args = inputSchema.required.map((key) => [key, sample(inputSchema.properties[key])])
      await call(client, name, Object.fromEntries(args))
    }
  },
  'sep-2322-client-request-state': async ({ client, before }) => {
    // Another call while the first waits for its answer must not carry what belongs to the first.
    before.elicitation = async () => {
      before.elicitation = async () => {}
      await call(client, 'test_mrtr_unrelated')
    }
    for (const name of ['echo_state', 'no_state']) await call(client, `test_mrtr_${name}`)
    // The SDK refuses the result, which it may; the scenario asks only that the call is not repeated.
    await call(client, 'test_mrtr_no_result_type').catch(() => {})
  },
}

function actionOf(scenario) {
  if (scenario.startsWith('auth/')) return useProtected
  return ACTIONS[scenario] ?? (async () => {})
}

/** The calls of every scenario of authorization, for a client that the server let in. */
async function useProtected({ client, run, tools }) {
  if (!tools.some(({ name }) => name === 'test-tool')) throw new Error('The server did not let the client in')
  await run(() => call(client, 'test-tool'))
  await run(() => client.listTools(undefined, { cacheMode: 'bypass' }))
}
