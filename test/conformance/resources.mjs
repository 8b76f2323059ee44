/** Resources, a template, and subscriptions of the legacy era. */
import { ResourceTemplate } from '@modelcontextprotocol/server'
import { PNG } from './samples.mjs'

/** The resources that can be read, by URI. */
const FIXED = {
  'test://static-text': {
    name: 'static-text',
    description: 'A text that stays.',
    mimeType: 'text/plain',
    text: 'This is the content of the static text resource.',
  },
  'test://static-binary': {
    name: 'static-binary',
    description: 'An image that stays.',
    mimeType: 'image/png',
    blob: PNG,
  },
  'test://watched-resource': {
    name: 'watched-resource',
    description: 'A text one can subscribe to.',
    mimeType: 'text/plain',
    text: 'Nothing new.',
  },
}

export function addResources(server, era) {
  for (const [uri, { name, description, mimeType, ...content }] of Object.entries(FIXED)) {
    const read = () => ({ contents: [{ uri, mimeType, ...content }] })
    server.registerResource(name, uri, { description, mimeType }, read)
  }
  const mimeType = 'application/json'
  server.registerResource(
    'template-data',
    new ResourceTemplate('test://template/{id}/data', { list: undefined }),
    { description: 'Data by id.', mimeType },
    (uri, { id }) => {
      const data = { id, templateTest: true, data: `Data for ID: ${id}` }
      return { contents: [{ uri: uri.href, mimeType, text: JSON.stringify(data) }] }
    },
  )
  // In the modern era one subscribes with `subscriptions/listen`, which the SDK serves.
  if (era === 'modern') return
  server.server.setRequestHandler('resources/subscribe', () => ({}))
  server.server.setRequestHandler('resources/unsubscribe', () => ({}))
}
