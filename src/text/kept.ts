/** Findings that are kept by what they are about: in a `WeakMap` for as long as that is there. */
interface Kept<Key, Made> {
  get(key: Key): Made | undefined
  set(key: Key, made: Made): unknown
}

/** The finding that is kept; made where none is. */
export function keptFor<Key, Made>(kept: Kept<Key, Made>, key: Key, make: () => Made): Made {
  const before = kept.get(key)
  if (before !== undefined) return before
  const made = make()
  kept.set(key, made)
  return made
}
