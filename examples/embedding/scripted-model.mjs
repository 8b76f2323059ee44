/** A model that costs nothing: it reads the orders, asks for a sum over what the gateway kept, and repeats the answer. */
import { MockLanguageModelV3 } from 'ai/test'

export const model = new MockLanguageModelV3({
  async doGenerate({ prompt }) {
    const { role, content } = prompt.at(-1)
    if (role === 'user') return call('shop_orders', {})
    const [{ text }] = content[0].output.value
    const [, cache_id] = /^cache_id (\w+)/.exec(text) ?? []
    return cache_id
      ? call('proxy_filter', { cache_id, where: ['state = open'], aggregate: 'sum(total)' })
      : reply({ type: 'text', text }, 'stop')
  },
})

function call(toolName, input) {
  return reply(
    { type: 'tool-call', toolCallId: toolName, toolName, input: JSON.stringify(input) },
    'tool-calls',
  )
}

function reply(part, reason) {
  const usage = { inputTokens: {}, outputTokens: {} }
  return { content: [part], finishReason: { unified: reason }, usage, warnings: [] }
}
