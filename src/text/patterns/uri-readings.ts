/**
 * The ways in which a server may read a URI. Servers tidy up what they get: `FILE://localhost/a/%2e%2E/b` opens the same file as
 * `file:///b`, and who keeps a URI from clients has to know it under all of these.
 */
import { matcherOf } from './glob.ts'

/** Escapes within escapes that are undone. */
const ROUNDS = 3

/** As written; tidied up; and tidied up without its query and the slash at its end. */
export function readingsOf(uri: string): readonly string[] {
  const tidy = tidyUri(uri)
  const bare = withoutSlash(tidy.replace(/\?.*$/s, ''))
  return [...new Set([uri, tidy, bare])]
}

/** URIs, or `server/URI`, that any of the patterns fits. `*` stands for any characters. */
export interface UriMatcher {
  /** True when any way to read it fits: for what is kept from clients. */
  any(uri: string, server?: string): boolean
  /** True when it fits as it is written and tidied up: for what is given to them. */
  sure(uri: string, server?: string): boolean
}

export function uriMatcherOf(globs: readonly string[]): UriMatcher {
  const tidy = globs.map(tidyGlob)
  const fits = matcherOf([...new Set([...globs, ...tidy])])
  const fitsAlso = matcherOf(tidy.map(withoutSlash))
  const from = (uri: string, server: string | undefined, test: (name: string) => boolean): boolean =>
    test(uri) || (server !== undefined && test(`${server}/${uri}`))
  return {
    any: (uri, server) =>
      globs.length > 0 &&
      readingsOf(uri).some((reading) => from(reading, server, fits) || from(reading, server, fitsAlso)),
    sure: (uri, server) => from(uri, server, fits) && from(tidyUri(uri), server, fits),
  }
}

function withoutSlash(uri: string): string {
  return uri.replace(/(?<=[^/:])\/$/, '')
}

/** One form for URIs that servers may take for the same (RFC 3986, 6.2.2, and what parsers do beyond it). */
export function tidyUri(uri: string): string {
  const text = unescaped(uri)
    .normalize('NFC')
    .replace(/[\p{Cc}]/gu, '')
    .trim()
    .replaceAll('\\', '/')
    .replace(/#.*$/s, '')
  const [whole, scheme, rest = ''] = /^([a-z*?][a-z0-9+.*?-]*):(.*)$/is.exec(text) ?? []
  if (whole === undefined || scheme === undefined) return tidyPath(text)
  const name = scheme.toLowerCase()
  const [, authority, path] = /^\/\/([^/?]*)(.*)$/s.exec(rest) ?? []
  if (authority === undefined || path === undefined)
    return name === 'file' && rest.startsWith('/') ? `file://${tidyPath(rest)}` : `${name}:${tidyPath(rest)}`
  const root = path === '' && /^https?$/.test(name) ? '/' : ''
  return `${name}://${tidyAuthority(name, authority)}${root}${tidyPath(path)}`
}

/** A pattern may begin with the name of a server. */
function tidyGlob(glob: string): string {
  const [, server = '', uri = glob] = /^([^/:]+\/)([^/].*)$/s.exec(glob) ?? []
  return server + tidyUri(uri)
}

function tidyAuthority(scheme: string, authority: string): string {
  const host = authority.toLowerCase()
  if (scheme === 'file') return host === 'localhost' ? '' : host
  if (scheme !== 'http' && scheme !== 'https') return host
  return host.replace(/^.*@/s, '').replace(scheme === 'http' ? /:80$/ : /:443$/, '')
}

/** Without `.`, `..` and empty segments. The query stays as it is. */
function tidyPath(text: string): string {
  const query = text.indexOf('?')
  const path = query < 0 ? text : text.slice(0, query)
  const segments: string[] = []
  for (const segment of path.split('/')) {
    if (segment === '..' && !segments.at(-1)?.includes('*')) segments.pop()
    else if (segment !== '.' && segment !== '') segments.push(segment)
  }
  const start = path.startsWith('/') ? '/' : ''
  const end = segments.length > 0 && /(?:^|\/)\.{0,2}$/.test(path) ? '/' : ''
  return start + segments.join('/') + end + (query < 0 ? '' : text.slice(query))
}

/** Without percent escapes, those of escapes included. A sign that would be a wildcard, a fragment or a query stays escaped. */
function unescaped(text: string): string {
  let plain = text
  for (let round = 0; round < ROUNDS && plain.includes('%'); round++) {
    plain = plain.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) =>
      Buffer.from(escapes.replaceAll('%', ''), 'hex')
        .toString('utf8')
        .replace(/[*?#]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`),
    )
  }
  return plain
}
