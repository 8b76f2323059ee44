/**
 * The tools of the servers in endurance tests, whatever their transport and era. Every answer carries the marker of its call, and
 * every question too, so that a test sees when something reaches another.
 */

const object = { type: 'object' }

export const TOOLS = ['echo', 'records', 'work', 'ask', 'fault'].map((name) => ({
  name,
  description: `does ${name}`,
  inputSchema: object,
}))

export const text = (value) => ({
  content: [{ type: 'text', text: typeof value === 'string' ? value : JSON.stringify(value) }],
})

export const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

const QUESTIONS = {
  sampling: (marker) => ({
    method: 'sampling/createMessage',
    params: { messages: [{ role: 'user', content: { type: 'text', text: marker } }], maxTokens: 9 },
  }),
  elicitation: (marker) => ({
    method: 'elicitation/create',
    params: {
      message: marker,
      requestedSchema: { ...object, properties: { who: { type: 'string' } }, required: ['who'] },
    },
  }),
}

/**
 * @param io.progress tells a step of the call, with its marker
 * @param io.ask resolves to the client's answer
 */
export async function call({ name, arguments: args = {} }, io) {
  const { marker } = args
  switch (name) {
    case 'echo':
      return text(marker)
    case 'records':
      return text(Array.from({ length: args.count }, (_, id) => ({ id, marker, note: 'x'.repeat(40) })))
    case 'work':
      for (let step = 1; step <= 3; step++) {
        io.progress({ progress: step, total: 3, message: marker })
        await wait(args.ms)
      }
      return text(marker)
    case 'ask': {
      const answer = await io.ask(QUESTIONS[args.how](marker))
      return text({ marker, who: answer.content?.text ?? answer.content?.who ?? answer })
    }
    default:
      throw { code: -32602, message: `no tool ${name}` }
  }
}
