/**
 * Finds secrets and personal data in a text. One pass tells where something may be; only there a closer look is taken, and every look is
 * bounded: the time is linear.
 */
import { findInColumns } from './columns.ts'
import type { Finding, SensitiveKind } from './finding.ts'
import { findForms } from './forms.ts'
import { findNamed } from './named.ts'
import { isSecretValue, SCHEME, secrecyOf } from './names.ts'
import { findCards, findEmails, findIbans, findIps, findPhones } from './personal.ts'
import { findRandomWords } from './random-words.ts'
import { scan } from './scan.ts'

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
