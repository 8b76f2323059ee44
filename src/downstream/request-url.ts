import type { IncomingMessage } from 'node:http'

const BASE = 'http://localhost'

/** Where a request goes. What is no address at all (`//`) goes to the root, where nothing is served. */
export function requestUrl({ url = '/' }: IncomingMessage): URL {
  return new URL(URL.canParse(url, BASE) ? url : '/', BASE)
}
