/** Freezes a value and everything in it, without recursion, so that any mutation throws. */
export function deepFreeze<T>(value: T): T {
  const open: unknown[] = [value]
  for (let next = open.pop(); open.length > 0 || next !== undefined; next = open.pop()) {
    if (typeof next !== 'object' || next === null || Object.isFrozen(next)) continue
    Object.freeze(next)
    open.push(...Object.values(next))
  }
  return value
}
