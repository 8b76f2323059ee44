/** Names with `*` for any characters. */

/** True for names that any of the globs matches. Linear in the length of the name times that of the glob. */
export function matcherOf(globs: readonly string[]): (name: string) => boolean {
  const exact = new Set(globs.filter((glob) => !glob.includes('*')))
  const open = globs.filter((glob) => glob.includes('*')).map((glob) => glob.split('*'))
  if (open.length === 0) return (name) => exact.has(name)
  return (name) => exact.has(name) || open.some((parts) => fits(name, parts))
}

/** Each part at the first place where it fits: what stands between them is anything. */
function fits(name: string, parts: readonly string[]): boolean {
  const [first = '', ...rest] = parts
  const last = rest.at(-1) ?? ''
  if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last))
    return false
  let at = first.length
  const end = name.length - last.length
  for (const part of rest.slice(0, -1)) {
    const found = name.indexOf(part, at)
    if (found < 0 || found + part.length > end) return false
    at = found + part.length
  }
  return true
}
