/** The characters that are cut off at the end of a text. */

/** A text without the characters at its end that match `one`, an expression for a single character. `/[ab]+$/` takes quadratic time. */
export function withoutEnd(text: string, one: RegExp): string {
  let end = text.length
  while (end > 0 && one.test(text.charAt(end - 1))) end--
  return text.slice(0, end)
}
