/** A name without case, blanks, `_` and `-`: its spellings are alike in that. */
export function bareName(name: string): string {
  return name.toLowerCase().replaceAll(/[\s_-]/g, '')
}
