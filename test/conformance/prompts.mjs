/** Prompts, and the completion of their arguments. */
import { acceptedContent } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { form } from './input-tools.mjs'
import { PNG } from './samples.mjs'
import { text } from './tools.mjs'

/** Suggestions for every argument, as far as they begin like the typed text. */
const WORDS = ['paris', 'park', 'party', 'hello', 'world']

const user = (content) => ({ role: 'user', content })
const say = (...contents) => ({ messages: contents.map(user) })

export function addPrompts(server) {
  server.registerPrompt('test_simple_prompt', { description: 'No arguments.' }, () =>
    say(text('This is a simple prompt for testing.')),
  )
  server.registerPrompt(
    'test_prompt_with_arguments',
    {
      description: 'Two arguments.',
      argsSchema: z.object({
        arg1: z.string().describe('First test argument'),
        arg2: z.string().describe('Second test argument'),
      }),
    },
    ({ arg1, arg2 }) => say(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  )
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    {
      description: 'Embeds a resource.',
      argsSchema: z.object({ resourceUri: z.string().describe('URI of the resource to embed') }),
    },
    ({ resourceUri: uri }) => {
      const resource = { uri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' }
      return say({ type: 'resource', resource }, text('Please process the embedded resource above.'))
    },
  )
  server.registerPrompt('test_prompt_with_image', { description: 'Has an image.' }, () =>
    say({ type: 'image', data: PNG, mimeType: 'image/png' }, text('Please analyze the image above.')),
  )
  server.registerPrompt(
    'test_input_required_result_prompt',
    { description: 'Asks for its context.' },
    (ctx) => {
      const context = acceptedContent(ctx.mcpReq.inputResponses, 'user_context')?.context
      if (context !== undefined) return say(text(`Use this context: ${context}`))
      const question = form('What context should the prompt use?', { context: { type: 'string' } })
      return { resultType: 'input_required', inputRequests: { user_context: question } }
    },
  )

  server.server.setRequestHandler('completion/complete', ({ params }) => {
    const values = WORDS.filter((word) => word.startsWith(params.argument.value))
    return { completion: { values, total: values.length, hasMore: false } }
  })
}
