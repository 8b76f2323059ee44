/** Tools that answer on their own. */
import { setTimeout as sleep } from 'node:timers/promises'
import { fromJsonSchema } from '@modelcontextprotocol/server'
import { PNG, WAV } from './samples.mjs'

/** Milliseconds between two steps of a tool that takes its time. */
const STEP_MS = 50

export const text = (value) => ({ type: 'text', text: value })
const answer = (...content) => ({ content })
const embedded = (uri, mimeType, value) => ({ type: 'resource', resource: { uri, mimeType, text: value } })
const image = { type: 'image', data: PNG, mimeType: 'image/png' }

/** Tools that answer the same every time: each with its description and its answer. */
const FIXED = {
  test_simple_text: ['One line of text.', answer(text('This is a simple text response for testing.'))],
  test_image_content: ['An image.', answer(image)],
  test_audio_content: ['A sound.', answer({ type: 'audio', data: WAV, mimeType: 'audio/wav' })],
  test_embedded_resource: [
    'An embedded resource.',
    answer(embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.')),
  ],
  test_multiple_content_types: [
    'A text, an image and a resource.',
    answer(
      text('Multiple content types test:'),
      image,
      embedded(
        'test://mixed-content-resource',
        'application/json',
        JSON.stringify({ test: 'data', value: 123 }),
      ),
    ),
  ],
}

/** The vocabulary of JSON Schema 2020-12 that must reach the client unharmed (SEP-1613, SEP-2106). */
const VOCABULARY = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
}

/** A parameter that clients of the modern era repeat in a header (SEP-2243). */
const MIRRORED = {
  type: 'object',
  properties: {
    region: { type: 'string', 'x-mcp-header': 'Region', description: 'Sent as Mcp-Param-Region too.' },
  },
}

export function addTools(server, lists) {
  for (const [name, [description, result]] of Object.entries(FIXED)) {
    server.registerTool(name, { description }, () => result)
  }

  server.registerTool('test_error_handling', { description: 'Fails.' }, () => {
    throw new Error('This tool intentionally returns an error for testing')
  })

  const logging = async (ctx) => {
    await ctx.mcpReq.log('info', 'Tool execution started')
    await sleep(STEP_MS)
    await ctx.mcpReq.log('info', 'Tool processing data')
    await sleep(STEP_MS)
    await ctx.mcpReq.log('info', 'Tool execution completed')
    return answer(text('Logged three messages.'))
  }
  server.registerTool(
    'test_tool_with_logging',
    { description: 'Logs three messages while it works.' },
    logging,
  )
  server.registerTool('test_logging_tool', { description: 'Logs to who asked for a level.' }, logging)

  server.registerTool('test_tool_with_progress', { description: 'Tells how far it is.' }, async (ctx) => {
    const progressToken = ctx.mcpReq._meta?.progressToken
    for (const progress of [0, 50, 100]) {
      if (progress > 0) await sleep(STEP_MS)
      if (progressToken === undefined) continue
      const params = { progressToken, progress, total: 100, message: `${progress} of 100` }
      await ctx.mcpReq.notify({ method: 'notifications/progress', params })
    }
    return answer(text('Three steps done.'))
  })

  server.registerTool(
    'test_reconnection',
    { description: 'Closes its stream while it works; who comes back gets the answer (SEP-1699).' },
    async (ctx) => {
      ctx.http?.closeSSE?.()
      await sleep(2 * STEP_MS)
      return answer(text('Answered after the stream was closed.'))
    },
  )

  server.registerTool(
    'json_schema_2020_12_tool',
    { description: 'Tool with JSON Schema 2020-12 features', inputSchema: fromJsonSchema(VOCABULARY) },
    (args) => answer(text(JSON.stringify(args))),
  )
  server.registerTool(
    'test_x_mcp_header',
    { description: 'Takes a parameter that is a header as well.', inputSchema: fromJsonSchema(MIRRORED) },
    ({ region }) => answer(text(`Region: ${region ?? 'none'}`)),
  )

  for (const [list, name] of Object.entries({ tools: 'tool', prompts: 'prompt' })) {
    const description = `Switches a ${name} on or off, which changes the list of ${list}.`
    server.registerTool(`test_trigger_${name}_change`, { description }, () => {
      lists.flip(list)
      return answer(text('Changed.'))
    })
  }
}
