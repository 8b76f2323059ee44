/**
 * A model that follows a script, on 127.0.0.1: it calls the tools of a list of steps, one after another, and notes what a client
 * sends. It speaks OpenAI chat completions, OpenAI responses, Anthropic messages and Gemini generateContent, streamed or not.
 */
import { createServer } from 'node:http'

const HANDLE = /cache_id\W{1,8}([0-9a-z]{12,25})\b/
const USAGE = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 }
const FAREWELL = 'All steps are done.'

/** Everything that a value says in texts, in order: of blocks their text, of anything else its JSON. */
export function textOf(value) {
  if (value === undefined || value === null) return ''
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.map(textOf).join('\n')
  return typeof value.text === 'string' ? value.text : JSON.stringify(value)
}

/** The definitions of a request, flat: of OpenAI (with namespaces), Anthropic and Gemini. */
function definitions(tools, namespace) {
  return (tools ?? []).flatMap((tool) => {
    if (tool.functionDeclarations) return definitions(tool.functionDeclarations)
    if (tool.type === 'namespace') return definitions(tool.tools, tool.name)
    const it = tool.function ?? tool
    const schema = it.input_schema ?? it.parameters ?? it.parametersJsonSchema
    return [
      {
        name: it.name ?? it.type,
        description: it.description,
        schema,
        namespace,
        deferred: tool.defer_loading === true,
      },
    ]
  })
}

const event = (data, name) => `${name ? `event: ${name}\n` : ''}data: ${JSON.stringify(data)}\n\n`

/**
 * By API. `path`: which requests are its. `result`: what came back for a call, undefined while nothing did. `whole` and `parts`: a turn
 * as one body and as server-sent events.
 */
const APIS = {
  chat: {
    path: /\/chat\/completions$/,
    result: ({ messages }, { id }) =>
      messages.findLast((one) => one.role === 'tool' && one.tool_call_id === id)?.content,
    whole({ model }, { call, text }, id) {
      const asked = call && [
        {
          id: call.id,
          type: 'function',
          function: { name: call.name, arguments: JSON.stringify(call.args) },
        },
      ]
      const message = { role: 'assistant', content: text ?? null, ...(asked && { tool_calls: asked }) }
      const choice = { index: 0, message, finish_reason: call ? 'tool_calls' : 'stop', logprobs: null }
      return { id, object: 'chat.completion', created: 1, model, choices: [choice], usage: USAGE }
    },
    parts(body, turn, id) {
      const { message, finish_reason } = this.whole(body, turn, id).choices[0]
      const delta = {
        ...message,
        ...(message.tool_calls && {
          tool_calls: message.tool_calls.map((one, index) => ({ index, ...one })),
        }),
      }
      const base = { id, object: 'chat.completion.chunk', created: 1, model: body.model }
      const chunk = (more, finish = null) =>
        event({ ...base, choices: [{ index: 0, delta: more, finish_reason: finish }] })
      return [
        chunk(delta),
        chunk({}, finish_reason),
        event({ ...base, choices: [], usage: USAGE }),
        'data: [DONE]\n\n',
      ]
    },
  },
  responses: {
    path: /\/responses$/,
    result({ input }, { id }) {
      const item = Array.isArray(input)
        ? input.findLast((one) => one.call_id === id && /_output$/.test(one.type))
        : undefined
      return item?.output
    },
    whole(body, turn, id) {
      const usage = {
        input_tokens: 100,
        input_tokens_details: { cached_tokens: 0 },
        output_tokens: 10,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: 110,
      }
      return {
        ...{
          id,
          object: 'response',
          created_at: 1,
          status: 'completed',
          model: body.model,
          output: [outputItem(turn, id)],
          usage,
        },
        ...{
          parallel_tool_calls: false,
          tool_choice: 'auto',
          tools: [],
          error: null,
          incomplete_details: null,
        },
        ...{ instructions: null, metadata: {}, temperature: 1, top_p: 1 },
      }
    },
    parts(body, turn, id) {
      const response = this.whole(body, turn, id)
      const [item] = response.output
      let sequence = 0
      const says = (type, more) => event({ type, sequence_number: sequence++, ...more }, type)
      const at = { item_id: item.id, output_index: 0 }
      const within = { ...at, content_index: 0 }
      const blank = { type: 'output_text', text: '', annotations: [] }
      const opening = { ...item, status: 'in_progress', ...(turn.call ? { arguments: '' } : { content: [] }) }
      return [
        says('response.created', {
          response: { ...response, status: 'in_progress', output: [], usage: null },
        }),
        says('response.output_item.added', { output_index: 0, item: opening }),
        ...(turn.call
          ? [
              says('response.function_call_arguments.delta', { ...at, delta: item.arguments }),
              says('response.function_call_arguments.done', {
                ...at,
                name: item.name,
                arguments: item.arguments,
              }),
            ]
          : [
              says('response.content_part.added', { ...within, part: blank }),
              says('response.output_text.delta', { ...within, delta: turn.text, logprobs: [] }),
              says('response.output_text.done', { ...within, text: turn.text, logprobs: [] }),
              says('response.content_part.done', { ...within, part: item.content[0] }),
            ]),
        says('response.output_item.done', { output_index: 0, item }),
        says('response.completed', { response }),
      ]
    },
  },
  anthropic: {
    path: /\/messages$/,
    result({ messages }, { id }) {
      const blocks = messages.flatMap(({ role, content }) =>
        role === 'user' && Array.isArray(content) ? content : [],
      )
      return blocks.findLast((block) => block.type === 'tool_result' && block.tool_use_id === id)?.content
    },
    whole({ model }, { call, text }, id) {
      const block = call
        ? { type: 'tool_use', id: call.id, name: call.name, input: call.args }
        : { type: 'text', text }
      const usage = {
        input_tokens: 100,
        output_tokens: 10,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
      }
      const stop_reason = call ? 'tool_use' : 'end_turn'
      return {
        id,
        type: 'message',
        role: 'assistant',
        model,
        content: [block],
        stop_reason,
        stop_sequence: null,
        usage,
      }
    },
    parts(body, turn, id) {
      const { stop_reason, content, ...message } = this.whole(body, turn, id)
      const [block] = content
      const says = (type, more) => event({ type, ...more }, type)
      const delta = turn.call
        ? { type: 'input_json_delta', partial_json: JSON.stringify(turn.call.args) }
        : { type: 'text_delta', text: turn.text }
      return [
        says('message_start', { message: { ...message, content: [], stop_reason: null } }),
        says('content_block_start', {
          index: 0,
          content_block: { ...block, ...(turn.call ? { input: {} } : { text: '' }) },
        }),
        says('content_block_delta', { index: 0, delta }),
        says('content_block_stop', { index: 0 }),
        says('message_delta', { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 10 } }),
        says('message_stop', {}),
      ]
    },
  },
  gemini: {
    path: /:(?:streamG|g)enerateContent$/,
    // Replies of tools carry no id of the call in every version: the last one is it, once there are as many as calls.
    result({ contents }, { number }) {
      const replies = contents.flatMap(({ parts }) =>
        (parts ?? []).flatMap((part) => part.functionResponse ?? []),
      )
      return replies.length < number ? undefined : replies.at(-1).response
    },
    whole(_, { call, text }, id) {
      const part = call ? { functionCall: { id: call.id, name: call.name, args: call.args } } : { text }
      const candidate = { content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }
      const usageMetadata = { promptTokenCount: 100, candidatesTokenCount: 10, totalTokenCount: 110 }
      return { candidates: [candidate], usageMetadata, modelVersion: 'scripted', responseId: id }
    },
    parts(body, turn, id) {
      return [event(this.whole(body, turn, id))]
    },
  },
}

function outputItem({ call, text }, id) {
  if (call === undefined) {
    const content = [{ type: 'output_text', text, annotations: [] }]
    return { type: 'message', id: `msg_${id}`, role: 'assistant', status: 'completed', content }
  }
  const { name, namespace } = call
  const base = {
    type: 'function_call',
    id: `fc_${id}`,
    call_id: call.id,
    name,
    arguments: JSON.stringify(call.args),
    status: 'completed',
  }
  return namespace === undefined ? base : { ...base, namespace }
}

/** True for the name that a client makes of a tool's: the tool's own, after the client's prefix. */
export function isNamed(shown, tool) {
  const [long, short] = [shown, tool].map((name) => name.replaceAll(/[^A-Za-z0-9]/g, '_'))
  return long === short || long.endsWith(`_${short}`)
}

/**
 * The actions and notes of the model, apart from how it is spoken to.
 * @param steps `{ tool, args, fresh }`: `$HANDLE` in arguments is the last handle that was seen; `fresh` forgets it before
 * @param row the client's row of ./clients.mjs: `leastTools`, `aside`, `search`, `wait`
 */
function conversation(steps, row) {
  const known = new Map()
  const notes = { first: undefined, last: undefined, known, results: [], missing: [], found: [], waited: 0 }
  let next = 0
  let calls = 0
  let pending
  let handle
  let searched = false

  const call = (step, tool, name, args) => {
    calls++
    pending = {
      step,
      tool,
      args,
      name,
      id: `call_${calls}`,
      number: calls,
      namespace: known.get(name)?.namespace,
      repeated: false,
    }
    return { call: pending }
  }

  function takeIn(content) {
    const text = textOf(content)
    if (pending.step !== undefined) {
      handle = HANDLE.exec(text.replaceAll('\\', ''))?.[1] ?? handle
      notes.results.push({ step: pending.step, name: pending.name, text, handle })
    } else if (pending.name === row.search?.tool) notes.found.push(text)
    pending = undefined
  }

  function turn() {
    for (; next < steps.length; next++) {
      const step = steps[next]
      if (step.fresh) handle = undefined
      const text = JSON.stringify(step.args ?? {})
      if (text.includes('$HANDLE') && handle === undefined) {
        notes.missing.push({ step: next, why: 'no handle' })
        continue
      }
      const args = JSON.parse(text.replaceAll('$HANDLE', handle))
      const tool = [...known.values()].find(({ name }) => isNamed(name, step.tool))
      if (tool !== undefined && (!tool.deferred || searched)) {
        searched = false
        return call(next++, step.tool, tool.name, args)
      }
      if (row.search !== undefined && !searched) {
        searched = true
        return call(undefined, step.tool, row.search.tool, {
          query: `select:${row.search.prefix}${step.tool}`,
          max_results: 5,
        })
      }
      if (row.search?.callBy !== undefined) {
        searched = false
        return call(next++, step.tool, row.search.callBy, {
          name: `${row.search.prefix}${step.tool}`,
          arguments: args,
        })
      }
      if (row.wait !== undefined && notes.waited < 5) {
        notes.waited++
        return call(undefined, row.wait.tool, row.wait.tool, row.wait.args)
      }
      searched = false
      notes.missing.push({ step: next, why: 'not listed' })
    }
    return { text: FAREWELL }
  }

  return {
    notes,
    /** The model's answer to one request. */
    hear(api, body, raw) {
      const tools = definitions(body.tools)
      const aside =
        pending === undefined &&
        (tools.length < (row.leastTools ?? 1) || (row.aside && new RegExp(row.aside).test(raw)))
      if (aside) return { text: 'ok' }
      for (const tool of tools) known.set(tool.name, tool)
      notes.first ??= { body, tools }
      notes.last = { body, tools }
      if (pending !== undefined) {
        const content = api.result(body, pending)
        if (content !== undefined) takeIn(content)
        else if (!pending.repeated) {
          pending.repeated = true
          return { call: pending }
        } else {
          if (pending.step !== undefined) notes.missing.push({ step: pending.step, why: 'no result' })
          pending = undefined
        }
      }
      return turn()
    },
  }
}

/**
 * Starts the model on a free port.
 * @returns `address` (http://127.0.0.1:PORT), `close()` and `notes`: `first` and `last` (requests and their tools), `known` (definitions
 * by name, as they came last). Also `results` by step,
 * `missing` (steps without a result), `found` (what searches for tools gave), `waited` (turns that the model waited for tools)
 */
export async function startModel(steps, row) {
  const { hear, notes } = conversation(steps, row)
  let serial = 0
  const server = createServer((request, response) => {
    const chunks = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const path = new URL(request.url, 'http://127.0.0.1').pathname
      const raw = Buffer.concat(chunks).toString('utf8')
      const send = (status, body) =>
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
      if (/(?:count_tokens|:countTokens)$/.test(path))
        return send(200, { input_tokens: 100, totalTokens: 100 })
      if (/\/models$/.test(path))
        return send(200, {
          object: 'list',
          data: [{ id: 'scripted', object: 'model', created: 1, owned_by: 'scripted' }],
          models: [],
        })
      const api = Object.values(APIS).find((one) => one.path.test(path))
      let body
      try {
        body = JSON.parse(raw)
      } catch {}
      if (api === undefined || body === undefined)
        return send(404, { error: { message: 'The scripted model has nothing here.' } })
      const id = `scripted_${++serial}`
      const turn = hear(api, body, raw)
      if (body.stream !== true && !path.includes('stream')) return send(200, api.whole(body, turn, id))
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
      response.end(api.parts(body, turn, id).join(''))
    })
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    address: `http://127.0.0.1:${server.address().port}`,
    notes,
    close() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(resolve))
    },
  }
}
