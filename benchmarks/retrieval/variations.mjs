/** The labelled questions and their tools in other styles: what servers and models write differs, what is meant stays the same. */

/** Customary in names of tools and in what people type. */
const SHORT = {
  address: 'addr',
  administrator: 'admin',
  application: 'app',
  attribute: 'attr',
  authentication: 'auth',
  calculate: 'calc',
  configuration: 'config',
  database: 'db',
  delete: 'del',
  description: 'desc',
  directory: 'dir',
  document: 'doc',
  environment: 'env',
  execute: 'exec',
  expression: 'expr',
  image: 'img',
  information: 'info',
  language: 'lang',
  library: 'lib',
  message: 'msg',
  number: 'num',
  organization: 'org',
  package: 'pkg',
  parameter: 'param',
  picture: 'pic',
  pointer: 'ptr',
  position: 'pos',
  previous: 'prev',
  quantity: 'qty',
  reference: 'ref',
  repository: 'repo',
  response: 'resp',
  server: 'srv',
  service: 'svc',
  specification: 'spec',
  statistics: 'stats',
  synchronize: 'sync',
  temperature: 'temp',
  transaction: 'txn',
  vector: 'vec',
  directories: 'dirs',
  documents: 'docs',
  messages: 'msgs',
  images: 'imgs',
  repositories: 'repos',
  parameters: 'params',
  packages: 'pkgs',
  environments: 'envs',
}

const MANUAL = `

## Usage
Use this tool whenever the user asks for it. Prefer it over other ways when possible, and never call it more often than necessary.
Before you call it, make sure that all required parameters are known; ask the user otherwise. After the call, report the result to the
user in plain words. If the call fails, read the error message, correct the parameters and try again, at most three times.

## Notes
- Requires an authenticated account with the right permissions.
- Results may be truncated; use pagination parameters to get more.
- Rate limits of the service apply. Dates are given in ISO 8601, names are case-sensitive.

## Returns
A JSON object with the fields \`status\`, \`data\` and \`error\`. On success \`data\` holds the result.`

const words = (text) => text.split(/(\W+|_)/)
const shorten = (text) =>
  words(text)
    .map((word) => SHORT[word] ?? word)
    .join('')
const parts = (name) =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1_$2')
    .split(/[_\-.\s]+/)
    .map((part) => part.toLowerCase())
const capital = (word) => word.slice(0, 1).toUpperCase() + word.slice(1)
const described = (change) => (tool) =>
  withDefinition(tool, { description: change(tool.definition.description ?? '') })
const named = (change) => (tool) => ({
  ...withDefinition(tool, { name: change(tool.definition.name) }),
  name: change(tool.name),
})

/** Parameters that all tools of a server may take, as those of many clouds do. */
const SHARED = Object.fromEntries(
  Object.entries({
    subscription: 'Subscription ID or name to work in.',
    tenant: 'The tenant: directory ID or name used to sign in.',
    resource_group: 'The resource group that the resource belongs to.',
    auth_method: 'Authentication method: credential, key or connection string.',
    retry_delay: 'Initial delay in seconds between retry attempts.',
    retry_max_retries: 'Maximum number of retry attempts for failed operations.',
    retry_network_timeout: 'Network operation timeout in seconds.',
    request_id: 'Identifier of the request for logs and support.',
  }).map(([name, description]) => [name, { type: 'string', description }]),
)

/** Every second server gives all its tools the same parameters beside their own. */
export const sharing = (tool, _, tools) => (ordinalOf(tool, tools) % 2 === 1 ? tool : withShared(tool))

export const withShared = (tool) => {
  const schema = tool.definition.inputSchema ?? {}
  return withDefinition(tool, { inputSchema: { ...schema, properties: { ...schema.properties, ...SHARED } } })
}

const ordinalOf = ({ server }, tools) => [...new Set(tools.map((tool) => tool.server))].indexOf(server)

/** Changes of tools, then changes of questions. */
export const VARIATIONS = {
  'as they are': {},
  'no descriptions': { tool: described(() => '') },
  'descriptions of one sentence': {
    tool: described((text) => /^[\s\S]*?[.!?](?=\s|$)/.exec(text)?.[0] ?? text),
  },
  'descriptions with a manual': { tool: described((text) => text + MANUAL) },
  'descriptions in markup': {
    tool: described(
      (text) =>
        `<p><strong>${text.replace(/(\w{6,})/g, '**$1**').replace(/\. /g, '.</p>\n<p>')}</strong>&nbsp;<a href="https://example.com/docs">docs</a></p>`,
    ),
  },
  'no parameters': { tool: (tool) => withDefinition(tool, { inputSchema: { type: 'object' } }) },
  'parameters not described': {
    tool: (tool) =>
      withDefinition(tool, {
        inputSchema: JSON.parse(
          JSON.stringify(tool.definition.inputSchema ?? {}, (key, value) =>
            key === 'description' && typeof value === 'string' ? undefined : value,
          ),
        ),
      }),
  },
  'servers that give all tools the same parameters': { tool: sharing },
  'no server names': { tool: (tool) => ({ ...tool, server: '' }) },
  'names in camelCase': {
    tool: named((name) =>
      parts(name)
        .map((part, at) => (at > 0 ? capital(part) : part))
        .join(''),
    ),
  },
  'names-with-dashes': { tool: named((name) => parts(name).join('-')) },
  'names writtentogether': { tool: named((name) => parts(name).join('')) },
  'abbreviated names': {
    tool: named((name) =>
      parts(name)
        .map((part) => SHORT[part] ?? part)
        .join('_'),
    ),
  },
  'abbreviated names and descriptions': {
    tool: (tool) =>
      named((name) =>
        parts(name)
          .map((part) => SHORT[part] ?? part)
          .join('_'),
      )(described(shorten)(tool)),
  },
  'names that say nothing': {
    tool: (tool, place) => ({ ...withDefinition(tool, { name: `tool_${place}` }), name: `tool_${place}` }),
  },
  'questions in capitals': { question: (text) => text.toUpperCase() },
  'polite questions': {
    question: (text) =>
      `Hi there! I hope you are well. I was wondering if you could please help me with this one: ${text}. Thanks a lot in advance, that would be great!`,
  },
  'abbreviated questions': { question: shorten },
  'a slip in a word of each question': { question: slip },
}

function withDefinition(tool, changed) {
  return { ...tool, definition: { ...tool.definition, ...changed } }
}

/** Two letters in the middle of the longest word change places. */
function slip(text) {
  const longest = (text.match(/[a-z]{5,}/gi) ?? []).sort((a, b) => b.length - a.length)[0]
  if (longest === undefined) return text
  const at = longest.length >> 1
  return text.replace(
    longest,
    longest.slice(0, at - 1) + longest[at] + longest[at - 1] + longest.slice(at + 1),
  )
}

export function vary(set, { tool = (each) => each, question = (each) => each }) {
  return {
    ...set,
    tools: set.tools.map(tool),
    questions: set.questions.map((each) => ({ ...each, query: question(each.query) })),
  }
}
