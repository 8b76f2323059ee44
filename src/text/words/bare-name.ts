/** A name without case, blanks, `_` and `-`: its spellings are alike in that. */
export function bareName(name: string): string {
  return name.toLowerCase().replaceAll(/[\s_-]/g, '')
}

/** The words in a name, however it joins them, in small letters: `order`, `status` of `order_status`, `orderStatus` and `ORDER-STATUS`. */
export function wordsInName(name: string): string[] {
  return (name.match(/\p{Lu}?[\p{Ll}\p{Lo}]+|\p{Lu}+(?!\p{Ll})|\p{N}+/gu) ?? []).map((word) =>
    word.toLowerCase(),
  )
}
