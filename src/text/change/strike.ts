/** Strikes secrets and personal data out of a text, and leaves it what it is: JSON stays JSON. */

import { compileLinear } from '../patterns/pattern.ts'
import type { ChangeText, SensitiveRule, Tally } from './change-rules.ts'
import { findInColumns } from './columns.ts'
import { findForms } from './forms.ts'
import { findNamed, isSecretValue, SCHEME, secrecyOf } from './named.ts'
import { findCards, findEmails, findIbans, findIps, findPhones } from './personal.ts'
import { findRandomWords } from './random-words.ts'
import { type Finding, type SensitiveKind, scan } from './scan.ts'

const SECRETS: ReadonlySet<SensitiveKind> = new Set(['secrets'])
const NOTHING: ReadonlySet<SensitiveKind> = new Set()

/** Throws Error with what is wrong with a pattern. */
export function compileStrike(rule: SensitiveRule): ChangeText {
  const { entropy, replacement } = rule
  const kinds = new Set(rule.kinds)
  // Identifiers keep the data of persons, and data that is random by nature: without it nothing would be found again.
  const ofIdentifiers = kinds.has('secrets') ? SECRETS : NOTHING
  const allowed = new Set(rule.allow)
  const own = Object.entries(rule.patterns).map(([kind, source]) => ({
    // It comes to stand in the middle of JSON.
    kind: kind.replace(/["\\\p{Cc}]/gu, ''),
    each: compileLinear(source, false, false),
  }))
  return (text, counts, sort, name) => {
    const findings =
      sort === 'identifier'
        ? findSensitive(text, ofIdentifiers, 0)
        : findSensitive(text, kinds, entropy, name)
    for (const { kind, each } of own) each(text, (start, end) => void findings.push({ start, end, kind }))
    return findings.length === 0 ? text : struck(text, findings, replacement, allowed, counts)
  }
}

/** The text without what was found: what overlaps is one piece, of the kind that begins first. */
function struck(
  text: string,
  findings: Finding[],
  replacement: string,
  allowed: ReadonlySet<string>,
  counts: Tally,
): string {
  findings.sort((a, b) => a.start - b.start || b.end - a.end)
  const parts: string[] = []
  let copied = 0
  for (let at = 0; at < findings.length; ) {
    const first = findings[at] as Finding
    let { end } = first
    for (at += 1; at < findings.length && (findings[at] as Finding).start < end; at++)
      end = Math.max(end, (findings[at] as Finding).end)
    const start = behindEscape(text, first.start)
    const found = text.slice(start, end)
    const put = replacement.replaceAll('{kind}', first.kind)
    // A text that was struck out before is not struck out again.
    if (found === '' || found === put || allowed.has(found)) continue
    // A number of JSON stays one, as in data.
    parts.push(text.slice(copied, start), isNumber(text, start, end) ? '0' : put)
    copied = end
    counts.add(first.kind, 1)
  }
  return parts.length === 0 ? text : parts.join('') + text.slice(copied)
}

/** The `n` of an escaped line break is no letter of what follows, on whatever level it is escaped. */
function behindEscape(text: string, start: number): number {
  if (text.charCodeAt(start - 1) !== 92) return start
  if (/^u[\dA-Fa-f]{4}/.test(text.slice(start, start + 5))) return start + 5
  return /^[nrtbf]/.test(text.slice(start, start + 1)) ? start + 1 : start
}

const BLANKS = 64

function isNumber(text: string, start: number, end: number): boolean {
  return (
    /^-?\d[\d.eE+-]*$/.test(text.slice(start, end)) &&
    /[:,[](?:\s|\\[nrt])*$/.test(text.slice(Math.max(0, start - BLANKS), start)) &&
    /^(?:\s|\\[nrt])*[,}\]]/.test(text.slice(end, end + BLANKS))
  )
}

// Finding. One pass tells where something may be; only there a closer look is taken, and every look is bounded, so the time is linear.

/** Shorter texts hold nothing. */
const SHORTEST = 6

/**
 * Everything of these kinds, in no order; findings may overlap. `entropy` 0: random words are left alone. `name`: what data has the text
 * beside.
 */
export function findSensitive(
  text: string,
  kinds: ReadonlySet<SensitiveKind>,
  entropy: number,
  name?: string,
): Finding[] {
  const findings: Finding[] = []
  if (name !== undefined && kinds.has('secrets')) findByName(text, name, findings)
  if (text.length < SHORTEST) return findings
  const found = scan(text)
  if (kinds.has('secrets')) {
    if (found.words.length + found.names.length + found.begins.length + found.schemes.length > 0)
      findForms(text, found, findings)
    if (found.names.length > 0) findNamed(text, found.names, findings)
    findInColumns(text, findings)
  }
  if (kinds.has('email')) findEmails(text, findings)
  if (found.hasCard && kinds.has('card')) findCards(text, findings)
  if (found.hasIban && kinds.has('iban')) findIbans(text, findings)
  if (kinds.has('phone')) findPhones(text, findings)
  if (kinds.has('ip')) findIps(text, findings)
  if (entropy > 0 && found.words.length > 0) findRandomWords(text, found.words, entropy, findings, name)
  return findings
}

/** The whole of a value is a secret where its name says so. */
function findByName(text: string, name: string, into: Finding[]): void {
  const secrecy = secrecyOf(name)
  if (secrecy !== undefined && isSecretValue(secrecy, text, true))
    into.push({ start: SCHEME.exec(text)?.[0].length ?? 0, end: text.length, kind: 'secret' })
}
