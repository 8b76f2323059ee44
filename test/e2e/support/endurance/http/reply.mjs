/** One request as it is read, and its response as it is written. */
import { streams } from './state.mjs'

export async function bodyOf(request) {
  let text = ''
  for await (const chunk of request) text += chunk
  return text === '' ? undefined : JSON.parse(text)
}

export function json(response, value, headers = {}) {
  response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value))
}

/** The response to one request: JSON, or events when something has to go before the answer. */
export class Reply {
  #response
  #began = false

  constructor(response) {
    this.#response = response
  }

  event(message, id) {
    if (!this.#began) {
      this.#began = true
      this.#response.writeHead(200, { 'content-type': 'text/event-stream' })
      streams.add(this.#response)
      this.onceClosed(() => streams.delete(this.#response))
    }
    const text = typeof message === 'string' ? message : JSON.stringify({ jsonrpc: '2.0', ...message })
    this.#response.write(`${id === undefined ? '' : `id: ${id}\nretry: 10\n`}data: ${text}\n\n`)
  }

  raw(text) {
    this.#response.write(text)
  }

  answer(message) {
    if (this.#response.destroyed) return
    if (!this.#began) return json(this.#response, { jsonrpc: '2.0', ...message })
    this.event(message)
    this.#response.end()
  }

  refuse(status, text) {
    this.#response.writeHead(status, { 'content-type': 'text/plain' }).end(text)
  }

  end() {
    this.#response.end()
  }

  reset() {
    this.#response.socket?.resetAndDestroy()
  }

  hangUp() {
    this.#response.socket?.destroy()
  }

  json(text, length) {
    this.#response.writeHead(200, {
      'content-type': 'application/json',
      ...(length !== undefined && { 'content-length': length }),
    })
    this.#response.write(text)
  }

  onceClosed(run) {
    // The requester may be gone before the request was read.
    if (this.#response.destroyed) run()
    else this.#response.once('close', run)
  }
}
