/** Tools that need something of the client (sampling, elicitation, roots), in one round or in several (SEP-2322). */
import { CLIENT_CAPABILITIES_META_KEY, inputResponse } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { text } from './tools.mjs'

const answer = (value) => ({ content: [text(value)] })
const ask = (inputRequests, requestState) => ({
  resultType: 'input_required',
  inputRequests,
  ...(requestState === undefined ? {} : { requestState }),
})

/** Request for a form with these properties, all required unless said otherwise. */
export const form = (message, properties, required = Object.keys(properties)) => ({
  method: 'elicitation/create',
  params: { mode: 'form', message, requestedSchema: { type: 'object', properties, required } },
})
const sample = (prompt, maxTokens) => ({
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: text(prompt) }], maxTokens },
})
const roots = { method: 'roots/list' }

/** The answer of the client, or undefined when it gave none, or not in this way. */
const given = (ctx, key, kind) => {
  const response = inputResponse(ctx.mcpReq.inputResponses, key)
  return response.kind === kind ? response : undefined
}
const named = (options) => options.map(([value, title]) => ({ const: value, title }))
const WORDS = ['option1', 'option2', 'option3']

/** Tools that show a form and say what came of it. */
const FORMS = {
  test_elicitation_sep1034_defaults: [
    'A form with a default for every primitive type.',
    form(
      'Check the values',
      {
        name: { type: 'string', default: 'John Doe' },
        age: { type: 'integer', default: 30 },
        score: { type: 'number', default: 95.5 },
        status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
        verified: { type: 'boolean', default: true },
      },
      [],
    ),
  ],
  test_elicitation_sep1330_enums: [
    'A form with every kind of choice.',
    form(
      'Choose',
      {
        untitledSingle: { type: 'string', enum: WORDS },
        titledSingle: {
          type: 'string',
          oneOf: named([
            ['value1', 'First Option'],
            ['value2', 'Second Option'],
            ['value3', 'Third Option'],
          ]),
        },
        legacyEnum: {
          type: 'string',
          enum: ['opt1', 'opt2', 'opt3'],
          enumNames: ['Option One', 'Option Two', 'Option Three'],
        },
        untitledMulti: { type: 'array', items: { type: 'string', enum: WORDS } },
        titledMulti: {
          type: 'array',
          items: {
            anyOf: named([
              ['value1', 'First Choice'],
              ['value2', 'Second Choice'],
              ['value3', 'Third Choice'],
            ]),
          },
        },
      },
      [],
    ),
  ],
  test_streaming_elicitation: ['A form.', form('Your name?', { name: { type: 'string' } })],
}

const NAME = form('What is your name?', { name: { type: 'string' } })
const CONFIRM = form('Please confirm', { ok: { type: 'boolean' } })

export function addInputTools(server, stateCodec) {
  const add = (name, description, run) => server.registerTool(name, { description }, run)

  server.registerTool(
    'test_sampling',
    { description: 'Asks the model of the client.', inputSchema: z.object({ prompt: z.string() }) },
    ({ prompt }, ctx) => {
      const response = given(ctx, 'message', 'sampling')
      return response ? answer(`LLM response: ${textOf(response)}`) : ask({ message: sample(prompt, 100) })
    },
  )
  server.registerTool(
    'test_elicitation',
    { description: 'Asks the person.', inputSchema: z.object({ message: z.string() }) },
    ({ message }, ctx) => {
      const response = given(ctx, 'person', 'elicit')
      if (response) return answer(`User response: ${outcome(response)}`)
      const properties = {
        username: { type: 'string', description: "User's response" },
        email: { type: 'string', description: "User's email address" },
      }
      return ask({ person: form(message, properties) })
    },
  )
  for (const [name, [description, request]] of Object.entries(FORMS)) {
    add(name, description, (ctx) => {
      const response = given(ctx, 'form', 'elicit')
      return response ? answer(`Elicitation completed: ${outcome(response)}`) : ask({ form: request })
    })
  }
  add('test_missing_capability', 'Cannot do without sampling.', (ctx) =>
    given(ctx, 'message', 'sampling') ? answer('Sampled.') : ask({ message: sample('Say anything', 10) }),
  )
  addRounds(add, stateCodec)

  add('test_input_required_result_capabilities', 'Asks for no more than the client can do.', (ctx) => {
    // Of the request in the modern era, of the session in the legacy one.
    const declared = ctx.mcpReq.envelope?.[CLIENT_CAPABILITIES_META_KEY]
    const able = declared ?? server.server.getClientCapabilities() ?? {}
    const requests = {
      ...(able.elicitation && { user_name: NAME }),
      ...(able.sampling && { capital_question: sample('What is the capital of France?', 100) }),
      ...(able.roots && { client_roots: roots }),
    }
    const answered = Object.keys(ctx.mcpReq.inputResponses ?? {}).length
    return answered > 0 || Object.keys(requests).length === 0 ? answer(`${answered} answers`) : ask(requests)
  })
}

/** `test_input_required_result_…` */
function addRounds(add, stateCodec) {
  const addRound = (name, description, run) => add(`test_input_required_result_${name}`, description, run)

  addRound('elicitation', 'Asks for a name.', (ctx) => {
    const name = given(ctx, 'user_name', 'elicit')?.content?.name
    return typeof name === 'string' ? answer(`Hello, ${name}!`) : ask({ user_name: NAME })
  })
  addRound('sampling', 'Asks a model.', (ctx) => {
    const response = given(ctx, 'capital_question', 'sampling')
    return response
      ? answer(textOf(response))
      : ask({ capital_question: sample('What is the capital of France?', 100) })
  })
  addRound('list_roots', 'Asks for the roots.', (ctx) => {
    const response = given(ctx, 'client_roots', 'roots')
    return response ? answer(response.roots.map(({ uri }) => uri).join('\n')) : ask({ client_roots: roots })
  })

  for (const name of ['request_state', 'tampered_state']) {
    addRound(name, 'Keeps its state with the client.', async (ctx) => {
      const state = ctx.mcpReq.requestState()
      if (given(ctx, 'confirm', 'elicit') && state?.tool === name) return answer('state-ok')
      return ask({ confirm: CONFIRM }, await stateCodec.mint({ tool: name }))
    })
  }
  addRound('multiple_inputs', 'Asks for three things at once.', async (ctx) => {
    const name = given(ctx, 'user_name', 'elicit')
    const greeting = given(ctx, 'greeting', 'sampling')
    const folders = given(ctx, 'client_roots', 'roots')
    if (name && greeting && folders)
      return answer(`${textOf(greeting)} ${name.content?.name}, ${folders.roots.length}`)
    const requests = { user_name: NAME, greeting: sample('Generate a greeting', 50), client_roots: roots }
    return ask(requests, await stateCodec.mint({ round: 1 }))
  })
  addRound('multi_round', 'Asks twice.', async (ctx) => {
    const state = ctx.mcpReq.requestState()
    const name = given(ctx, 'step1', 'elicit')?.content?.name
    const color = given(ctx, 'step2', 'elicit')?.content?.color
    if (state?.round === 2 && color !== undefined) return answer(`${state.name} likes ${color}`)
    if (state?.round === 1 && name !== undefined) {
      const step2 = form('Step 2: What is your favorite color?', { color: { type: 'string' } })
      return ask({ step2 }, await stateCodec.mint({ round: 2, name }))
    }
    const step1 = form('Step 1: What is your name?', { name: { type: 'string' } })
    return ask({ step1 }, await stateCodec.mint({ round: 1 }))
  })
}

const outcome = ({ action, content }) => `action=${action}, content=${JSON.stringify(content ?? {})}`

function textOf({ result }) {
  const blocks = Array.isArray(result.content) ? result.content : [result.content]
  return blocks.map((block) => block.text ?? '').join('')
}
