/** Makes a function of changes of text. */

import { compileLinear } from '../patterns/pattern.ts'
import { re2 } from '../patterns/re2.ts'
import type { ChangeText, TextRule } from './change-rules.ts'
import { compileStrike } from './strike.ts'

/** Throws Error with what is wrong with a pattern. */
export function compileChange(rules: readonly TextRule[]): ChangeText {
  const whole = inTurn(rules)
  // Sensitive rules read the names beside a value, and keep JSON what it is themselves.
  if (rules.some(({ kind }) => kind === 'sensitive')) return whole
  const isAround = ({ kind }: TextRule): boolean => kind === 'before' || kind === 'after'
  const around = inTurn(rules.filter(isAround))
  const change: ChangeText = (text, counts, sort = 'prose') => {
    const json =
      sort === 'identifier' ? undefined : changeJsonStrings(text, (value) => change(value, counts, 'data'))
    // Text that is put around JSON would keep the next rules from seeing that it is JSON: it is put there last.
    return json === undefined ? whole(text, counts, sort) : around(json, counts, sort)
  }
  return change
}

function inTurn(rules: readonly TextRule[]): ChangeText {
  const steps = rules.map(compileRule)
  return (text, counts, sort, name) => {
    let changed = text
    for (const step of steps) changed = step(changed, counts, sort, name)
    return changed
  }
}

const [QUOTE, BACKSLASH, COLON] = [0x22, 0x5c, 0x3a]

/**
 * A text with its string values changed. The text is a JSON object or list, or several of them with one on each line. Undefined for any
 * other text. Everything else stays byte for byte: names of members, numbers, white space, and strings that do not change.
 */
function changeJsonStrings(text: string, change: (value: string) => string): string | undefined {
  if (!/^\s*[[{]/.test(text) || !(isJson(text) || areJsonLines(text))) return undefined
  const parts: string[] = []
  let copied = 0
  for (let start = text.indexOf('"'); start >= 0; ) {
    const end = stringEnd(text, start)
    let after = end
    while (text.charCodeAt(after) <= 0x20) after += 1
    if (text.charCodeAt(after) !== COLON) {
      const written = text.slice(start, end)
      const value = written.includes('\\') ? (JSON.parse(written) as string) : written.slice(1, -1)
      const now = change(value)
      if (now !== value) {
        parts.push(text.slice(copied, start), JSON.stringify(now))
        copied = end
      }
    }
    start = text.indexOf('"', end)
  }
  return parts.length === 0 ? text : parts.join('') + text.slice(copied)
}

/** Behind the quote that ends a string of valid JSON. */
function stringEnd(text: string, start: number): number {
  for (let at = start + 1; ; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) return at + 1
    if (code === BACKSLASH) at += 1
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function areJsonLines(text: string): boolean {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return lines.length > 1 && lines.every((line) => /^\s*[[{]/.test(line) && isJson(line))
}

function compileRule(rule: TextRule): ChangeText {
  switch (rule.kind) {
    case 'pattern':
      return pattern(rule)
    case 'text':
      return rule.ignoreCase
        ? pattern({
            ...rule,
            kind: 'pattern',
            pattern: re2().quote(rule.text),
            with: rule.with.replaceAll('$', '$$$$'),
          })
        : exactText(rule)
    case 'before':
    case 'after':
      // Around what is read by itself, not around each value of data.
      return (value, counts, sort = 'prose') => {
        if (sort !== 'prose') return value
        counts.add(rule.name, 1)
        counts.grow(rule.text.length)
        return rule.kind === 'before' ? rule.text + value : value + rule.text
      }
    case 'sensitive':
      return compileStrike(rule)
  }
}

function exactText({ name, text, with: put }: Extract<TextRule, { kind: 'text' }>): ChangeText {
  return (value, counts) => {
    if (!value.includes(text)) return value
    const parts = value.split(text)
    const times = parts.length - 1
    counts.add(name, times)
    counts.grow(times * (put.length - text.length))
    return parts.join(put)
  }
}

function pattern(rule: Extract<TextRule, { kind: 'pattern' }>): ChangeText {
  const pieces = piecesOf(rule.with)
  const hasGroups = pieces.some((piece) => typeof piece !== 'string' && piece.group !== '0')
  const each = compileLinear(rule.pattern, rule.ignoreCase, hasGroups)
  return (value, counts) => {
    const parts: string[] = []
    let copied = 0
    let times = 0
    each(value, (start, end, group) => {
      const put = pieces
        .map((piece) => (typeof piece === 'string' ? piece : (group(piece.group) ?? piece.absent(group))))
        .join('')
      counts.grow(put.length - (end - start))
      parts.push(value.slice(copied, start), put)
      copied = end
      times += 1
    })
    counts.add(rule.name, times)
    return times === 0 ? value : parts.join('') + value.slice(copied)
  }
}

/** A text, or a group. */
type Piece = string | { group: string; absent(group: (which: string) => string | null | undefined): string }

/** `$1`: a group; `$<name>`: one by its name; `$&`: all that matched; `$$`: a dollar sign. Everything else stands as it is written. */
function piecesOf(template: string): Piece[] {
  return template.split(/(\$(?:\$|&|\d{1,2}|<\w{1,50}>))/).map((part): Piece => {
    if (part === '$$') return '$'
    if (part === '$&') return { group: '0', absent: () => '' }
    const group = /^\$(?:(\d{1,2})|<(\w+)>)$/.exec(part)
    const name = group?.[1] ?? group?.[2]
    if (name === undefined) return part
    return {
      group: name,
      // A group that took no part is empty; an unknown one is `$1` with a digit behind it, or no group at all.
      absent: (find) => {
        if (find(name) === null) return ''
        const [digit = '', rest = ''] = [name.slice(0, 1), name.slice(1)]
        const first = /^\d\d$/.test(name) ? find(digit) : undefined
        return first === undefined ? part : `${first ?? ''}${rest}`
      },
    }
  })
}
