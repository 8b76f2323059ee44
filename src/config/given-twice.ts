/** New names: two that want the same one cannot both have it, whatever is listed. */

/** The first name that is wanted twice, and by whom. */
export interface GivenTwice {
  readonly name: string
  readonly first: string
  readonly second: string
}

/** @param wanted old names, each with the new one */
export function givenTwice(wanted: Iterable<readonly [string, string]>): GivenTwice | undefined {
  const owners = new Map<string, string>()
  for (const [old, name] of wanted) {
    const first = owners.get(name)
    if (first !== undefined) return { name, first, second: old }
    owners.set(name, old)
  }
  return undefined
}
