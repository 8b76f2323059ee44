/** Hides e-mail addresses in what tools, resources and prompts give. Needs nothing: neither the proxy nor a package. */

const ADDRESS = /[\w.%+-]{1,64}@[a-z\d-]{1,63}(?:\.[a-z\d-]{1,63}){1,8}/gi

export const interceptors = [
  {
    name: 'mask-email',
    version: '1.0.0',
    description: 'Replaces e-mail addresses in results.',
    type: 'mutation',
    hook: { events: ['tools/call', 'resources/read', 'prompts/get'], phase: 'response' },
    // Late, so that addresses which other mutations put in are hidden as well.
    priorityHint: { response: 50_000 },
    configSchema: {
      type: 'object',
      properties: {
        replacement: { type: 'string', description: 'Written in place of an address. Default: [email]' },
        keep: { type: 'array', items: { type: 'string' }, description: 'Domains whose addresses stay.' },
      },
    },
    invoke({ payload, config = {} }) {
      const { replacement = '[email]', keep = [] } = config
      let masked = 0
      const mask = (text) =>
        text.replace(ADDRESS, (address) => {
          if (keep.includes(address.slice(address.indexOf('@') + 1).toLowerCase())) return address
          masked++
          return replacement
        })
      const changed = eachText(payload, mask)
      if (masked === 0)
        return { interceptor: 'mask-email', type: 'mutation', phase: 'response', modified: false }
      const info = { masked }
      return {
        interceptor: 'mask-email',
        type: 'mutation',
        phase: 'response',
        modified: true,
        payload: changed,
        info,
      }
    },
  },
]

/** Members that name or describe something and hold no text for a reader. */
const NAMES = new Set(['type', 'role', 'uri', 'mimeType', 'data', 'blob', '_meta'])

/** A copy with every text changed, at any depth. */
function eachText(value, change) {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((inner) => eachText(inner, change))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, NAMES.has(key) ? inner : eachText(inner, change)]),
  )
}
