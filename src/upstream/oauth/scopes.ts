/** Scopes: sets of words, written apart by spaces (RFC 6749, 3.3). */

/** Every word once, in the order of first appearance. Undefined: there are none. */
export function unionOfScopes(...scopes: readonly (string | undefined)[]): string | undefined {
  const words = new Set(scopes.flatMap(wordsOf))
  return words.size === 0 ? undefined : [...words].join(' ')
}

/** True when everything wanted is there already. */
export function coversScopes(there: string | undefined, wanted: string | undefined): boolean {
  const words = new Set(wordsOf(there))
  return wordsOf(wanted).every((word) => words.has(word))
}

function wordsOf(scope: string | undefined): string[] {
  return (scope ?? '').split(/\s+/).filter((word) => word !== '')
}
