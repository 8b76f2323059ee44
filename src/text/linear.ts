/** Regular expressions of a configuration. Always linear in the text: re2js, or V8's own where it is proven to be. */
import { RE2JS } from 're2js'
import { plainPattern } from './plain-pattern.ts'
import { requiredLiteral } from './required-literal.ts'

/** Called with what was found and its groups by number or name; null for one that took no part, and undefined for one there is not. */
export type Found = (start: number, end: number, group: (which: string) => string | null | undefined) => void

/** Calls `found` for every match from left to right. Empty ones are left out: they would be everywhere, which nobody means. */
export type EachMatch = (text: string, found: Found) => void

/**
 * `^` and `$` match at lines. `hasGroups`: `found` asks for groups other than 0. Throws Error with the reason why the source cannot be
 * read.
 */
export function compileLinear(source: string, ignoreCase: boolean, hasGroups: boolean): EachMatch {
  const compiled = RE2JS.compile(source, RE2JS.MULTILINE | (ignoreCase ? RE2JS.CASE_INSENSITIVE : 0))
  const plain = hasGroups ? undefined : plainPattern(source, ignoreCase)
  if (plain) {
    const regex = new RegExp(plain.regex, ignoreCase ? 'giu' : 'gu')
    return (text, found) => {
      for (const { 0: whole, index } of text.matchAll(regex))
        if (whole !== '') found(index, index + whole.length, (which) => (which === '0' ? whole : undefined))
    }
  }
  const literal = ignoreCase ? undefined : requiredLiteral(source)
  const named = compiled.namedGroups()
  return (text, found) => {
    if (literal !== undefined && !text.includes(literal)) return
    const matcher = compiled.matcher(text)
    const group = (which: string): string | null | undefined => {
      const index = /^\d+$/.test(which)
        ? Number(which)
        : Object.hasOwn(named, which)
          ? named[which]
          : undefined
      return index === undefined || index > matcher.groupCount() ? undefined : matcher.group(index)
    }
    while (matcher.find()) if (matcher.end() > matcher.start()) found(matcher.start(), matcher.end(), group)
  }
}
