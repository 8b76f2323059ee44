/** What can be looked for. */
export type SensitiveKind = 'secrets' | 'email' | 'card' | 'iban' | 'phone' | 'ip'

/** Half-open, in UTF-16 code units. `kind`: what it was taken for, as it is counted. */
export interface Finding {
  start: number
  end: number
  kind: string
}

/** One for each ASCII character; 1 where `characters` matches. */
export function asciiTable(characters: RegExp): Uint8Array {
  return Uint8Array.from({ length: 128 }, (_, code) => (characters.test(String.fromCharCode(code)) ? 1 : 0))
}
