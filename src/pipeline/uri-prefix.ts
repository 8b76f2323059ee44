/** The beginnings of URIs that tell servers apart. */
import { shortHash } from '../text/short-hash.ts'

/** The part of a URI that a prefix takes the place of (RFC 3986, 3.1). */
export function prefixOf(uri: string): string {
  if (uri.startsWith('ui://')) return 'ui://'
  return /^[a-z][a-z0-9+.-]*:/iu.exec(uri)?.[0] ?? ''
}

/** What a moved URI begins with; see `replacement`. */
export function labelledPrefixOf(uri: string): string {
  return uri.startsWith('ui://') ? uri.slice(0, uri.indexOf('/', 5) + 1) : prefixOf(uri)
}

/** What may take its place for this server, the first that is free. Without end. */
export function* replacementsOf(from: string, server: string): Generator<string, never> {
  const label = labelOf(server)
  yield replacement(from, label)
  for (let salt = 1; ; salt++) yield replacement(from, `${label}-${shortHash(`${server}\n${salt}`)}`)
}

function replacement(from: string, label: string): string {
  if (from === 'ui://') return `ui://${label}/`
  return from === '' ? `mcp+${label}:` : `${from.slice(0, -1)}+${label}:`
}

/** The server's name in characters that a scheme and a host may have. */
function labelOf(server: string): string {
  const label = server
    .toLowerCase()
    .replace(/[^a-z0-9-]+/gu, '-')
    .slice(0, 40)
  return label.replace(/^-+|-+$/gu, '') || shortHash(server)
}
