/** Changes of text, as data: they cross the border to a worker. */
import { RE2JS } from 're2js'
import { type Finding, findSensitive, type SensitiveKind } from './sensitive.ts'

/** One change. `name`: what it is counted as. */
export type TextRule =
  /** RE2; `with` may hold `$1` and `$$`. */
  | { kind: 'pattern'; name: string; pattern: string; with: string; ignoreCase: boolean }
  | { kind: 'text'; name: string; text: string; with: string; ignoreCase: boolean }
  | { kind: 'before' | 'after'; name: string; text: string }
  | SensitiveRule

/** `{kind}` in `replacement` is filled in. */
export interface SensitiveRule {
  kind: 'sensitive'
  kinds: readonly SensitiveKind[]
  /** RE2 by the name it is counted as. */
  patterns: Readonly<Record<string, string>>
  /** Bits a character; 0: never. */
  entropy: number
  replacement: string
  /** Texts that are left alone. */
  allow: readonly string[]
}

/** What is changed, and where in a result. */
export interface TextChange {
  rules: readonly TextRule[]
  /**
   * `texts`: what a model reads: text blocks, texts of resources and prompts, and all strings of `structuredContent`. `strings`:
   * every string of the message but names, URIs and data of images.
   */
  where: 'texts' | 'strings'
}

/** The text as it is then; the same string where nothing had to be changed. Counts by name go into `counts`. */
export type ChangeText = (text: string, counts: Map<string, number>, isData?: boolean) => string

/** Throws Error with what is wrong with a pattern. */
export function compileChange(rules: readonly TextRule[]): ChangeText {
  const steps = rules.map(compileRule)
  return (text, counts, isData) => {
    let changed = text
    for (const step of steps) changed = step(changed, counts, isData)
    return changed
  }
}

function compileRule(rule: TextRule): ChangeText {
  switch (rule.kind) {
    case 'pattern':
      return pattern(rule)
    case 'text': {
      const { name, text, ignoreCase } = rule
      if (ignoreCase)
        return pattern({
          ...rule,
          kind: 'pattern',
          pattern: RE2JS.quote(text),
          with: rule.with.replaceAll('$', '$$$$'),
        })
      return (value, counts) => {
        const parts = value.split(text)
        count(counts, name, parts.length - 1)
        return parts.length === 1 ? value : parts.join(rule.with)
      }
    }
    case 'before':
    case 'after':
      // Around what is read by itself, not around each value of data.
      return (value, counts, isData) => {
        if (isData === true) return value
        count(counts, rule.name, 1)
        return rule.kind === 'before' ? rule.text + value : value + rule.text
      }
    case 'sensitive':
      return sensitive(rule)
  }
}

function pattern(rule: Extract<TextRule, { kind: 'pattern' }>): ChangeText {
  const compiled = compile(rule.pattern, rule.ignoreCase)
  return (value, counts) => {
    const matcher = compiled.matcher(value)
    const parts: string[] = []
    let copied = 0
    let times = 0
    while (matcher.find()) {
      // Empty matches would be added everywhere, which nobody means.
      if (matcher.end() === matcher.start()) continue
      parts.push(
        value.slice(copied, matcher.start()),
        filledIn(rule.with, (group) => matcher.group(group)),
      )
      copied = matcher.end()
      times += 1
    }
    count(counts, rule.name, times)
    return times === 0 ? value : parts.join('') + value.slice(copied)
  }
}

/** `$1`: a group; `$$`: a dollar sign. A group that there is not is written as it stands. */
function filledIn(template: string, group: (index: number) => string | null): string {
  return template.replace(/\$(\$|\d{1,2})/g, (whole, what: string) => {
    if (what === '$') return '$'
    try {
      return group(Number(what)) ?? ''
    } catch {
      return whole
    }
  })
}

/** Throws Error with the reason. */
export function compile(source: string, ignoreCase = false): RE2JS {
  return RE2JS.compile(source, RE2JS.MULTILINE | (ignoreCase ? RE2JS.CASE_INSENSITIVE : 0))
}

function sensitive(rule: SensitiveRule): ChangeText {
  const { kinds, entropy, replacement } = rule
  const allowed = new Set(rule.allow)
  const own = Object.entries(rule.patterns).map(([name, source]) => ({ name, regex: compile(source) }))
  return (text, counts) => {
    const findings = findSensitive(text, kinds, entropy)
    for (const { name, regex } of own) {
      const matcher = regex.matcher(text)
      while (matcher.find())
        if (matcher.end() > matcher.start())
          findings.push({ start: matcher.start(), end: matcher.end(), kind: name })
    }
    return findings.length === 0 ? text : struck(text, findings, replacement, allowed, counts)
  }
}

/** The text without what was found: what overlaps is one piece, of the kind that begins first. */
function struck(
  text: string,
  findings: Finding[],
  replacement: string,
  allowed: ReadonlySet<string>,
  counts: Map<string, number>,
): string {
  findings.sort((a, b) => a.start - b.start || b.end - a.end)
  const parts: string[] = []
  let copied = 0
  for (let at = 0; at < findings.length; ) {
    const { start, kind } = findings[at] as Finding
    let { end } = findings[at] as Finding
    for (at += 1; at < findings.length && (findings[at] as Finding).start < end; at++)
      end = Math.max(end, (findings[at] as Finding).end)
    const found = text.slice(start, end)
    if (allowed.has(found)) continue
    const put = replacement.replaceAll('{kind}', kind)
    // A bare number of JSON becomes a string of JSON, so that what reads it still can.
    const isBare = /^\d+$/.test(found) && isValue(text, start, end)
    parts.push(text.slice(copied, start), isBare ? JSON.stringify(put) : put)
    copied = end
    count(counts, kind, 1)
  }
  return copied === 0 && parts.length === 0 ? text : parts.join('') + text.slice(copied)
}

function isValue(text: string, start: number, end: number): boolean {
  return (
    /[:,[]\s{0,8}$/.test(text.slice(Math.max(0, start - 9), start)) &&
    /^\s{0,8}[,}\]]/.test(text.slice(end, end + 9))
  )
}

function count(counts: Map<string, number>, name: string, times: number): void {
  if (times > 0) counts.set(name, (counts.get(name) ?? 0) + times)
}
