import type { IncomingMessage } from 'node:http'

const BASE = 'http://localhost'

let last = { text: '/', url: new URL(BASE) as Readonly<URL> }

/**
 * Where a request goes. What is no address at all (`//`) goes to the root, where nothing is served. Requests to the same place
 * share the object.
 */
export function requestUrl({ url: text = '/' }: IncomingMessage): Readonly<URL> {
  if (text !== last.text) last = { text, url: new URL(URL.canParse(text, BASE) ? text : '/', BASE) }
  return last.url
}
