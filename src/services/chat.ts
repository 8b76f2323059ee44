/** Models behind an API as OpenAI has it (`POST {url}/chat/completions`). */
import { isObject, own } from '../protocol/json.ts'
import type { Signal } from '../protocol/message.ts'
import { type Posted, post, WrongAnswer } from './post.ts'

/** Which model is asked, and where. */
export interface ChatOptions extends Posted {
  /** `…/v1`, or the whole address. */
  readonly url: string
  readonly model?: string | undefined
  /** Sent to this address, and nowhere else. */
  readonly apiKey?: string | undefined
  /** Tokens of the answer. Absent: as many as the service gives. */
  readonly maxTokens?: number
}

/** `tokens`: of question and answer, where the service counts them. */
export interface ChatAnswer {
  readonly text: string
  readonly tokens?: number
}

/** The answer of the model. Rejects as `post` does. */
export async function chat(
  system: string,
  user: string,
  options: ChatOptions,
  signal: Signal,
): Promise<ChatAnswer> {
  const { name, url, model, apiKey, maxTokens, headers } = options
  const address = /\/chat\/completions$/.test(url) ? url : `${url.replace(/\/+$/, '')}/chat/completions`
  const body = {
    ...(model !== undefined && { model }),
    ...(maxTokens !== undefined && { max_tokens: maxTokens }),
    temperature: 0,
    messages: [
      { role: 'system', content: system },
      { role: 'user', content: user },
    ],
  }
  const authorization = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }
  const answer = await post(address, body, { ...options, headers: { ...authorization, ...headers } }, signal)
  const [choice] = isObject(answer) && Array.isArray(answer.choices) ? answer.choices : []
  const message = isObject(choice) ? own(choice, 'message') : undefined
  const text = isObject(message) ? own(message, 'content') : undefined
  if (typeof text !== 'string') throw new WrongAnswer(`${name} did not answer with a message`)
  const usage = isObject(answer) ? own(answer, 'usage') : undefined
  const tokens = isObject(usage) ? own(usage, 'total_tokens') : undefined
  return { text, ...(typeof tokens === 'number' && tokens >= 0 && { tokens }) }
}
