/** Which messages a module wants. */

/** Methods come from clients and servers: no more of them are remembered. */
const REMEMBERED = 500

/** `*`, `tools/*` or exact names. Absent: every method. */
export function methodFilter(patterns: readonly string[] | undefined): (method: string) => boolean {
  if (patterns === undefined || patterns.includes('*')) return () => true
  const exact = new Set(patterns.filter((pattern) => !pattern.endsWith('*')))
  const families = patterns.filter((pattern) => pattern.endsWith('*')).map((pattern) => pattern.slice(0, -1))
  if (families.length === 0) return (method) => exact.has(method)
  const known = new Map<string, boolean>()
  return (method) => {
    const before = known.get(method)
    if (before !== undefined) return before
    const wanted = exact.has(method) || families.some((family) => method.startsWith(family))
    if (known.size < REMEMBERED) known.set(method, wanted)
    return wanted
  }
}
