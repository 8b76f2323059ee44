/** Which redirects are followed (RFC 9110, 15.4): those that keep method and origin, so that credentials stay where they belong. */

/** Where to ask instead, or why not. */
export type Redirect = { path: string; permanent: boolean } | { fault: string }

const KEEP_METHOD = new Set([307, 308])
const FOR_READING = new Set([301, 302, 303, 307, 308])
const PERMANENT = new Set([301, 308])

export function redirectOf(
  method: string,
  status: number,
  location: string | undefined,
  from: URL,
): Redirect {
  if (location === undefined || !URL.canParse(location, from.href)) return { fault: 'redirects to nowhere' }
  const to = new URL(location, from)
  if (to.origin !== from.origin) {
    return {
      fault: `redirects from ${from.origin} to ${to.origin}, where credentials are not sent; configure that address if it is right`,
    }
  }
  const followed = (method === 'GET' ? FOR_READING : KEEP_METHOD).has(status)
  if (!followed)
    return { fault: `redirects to ${to.origin}${to.pathname} in a way that would lose the message` }
  return { path: `${to.pathname}${to.search}`, permanent: PERMANENT.has(status) }
}
