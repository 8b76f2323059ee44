/** Somebody who says yes: follows an authorization URL the way a browser would, the form filled in and sent. */

const MAX_HOPS = 10

/**
 * Resolves to the address the authorization server sends the browser back to.
 * @param url the authorization URL
 * @param until beginning of that address, which is not fetched
 */
export async function follow(url, until) {
  let next = new URL(url)
  for (let hop = 0; hop < MAX_HOPS; hop++) {
    const response = await fetch(next, { redirect: 'manual' })
    await response.body?.cancel()
    const location = response.headers.get('location')
    if (location === null) return next
    next = new URL(location, next)
    if (until !== undefined && next.href.startsWith(until)) return next
  }
  throw new Error(`${url} redirects more than ${MAX_HOPS} times`)
}
