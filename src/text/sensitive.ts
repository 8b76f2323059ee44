/**
 * Finds secrets and personal data in a text. All repetitions are bounded and begin at the edge of a run, so the time is linear; a detector
 * whose hint is not in the text is not run at all.
 */

/** What can be looked for. */
export type SensitiveKind = 'secrets' | 'email' | 'card' | 'iban' | 'phone' | 'ip'

/** Half-open, in UTF-16 code units. `kind`: what it was taken for, as it is counted. */
export interface Finding {
  start: number
  end: number
  kind: string
}

interface Detector {
  /** What it is counted as. */
  kind: string
  /** One of these is in every text in which there is something to find. */
  hints: readonly string[]
  /** One of these as well, in small letters. */
  words?: readonly string[]
  /** False: there is nothing to find. Far quicker than to look for it. */
  possible?: (text: string) => boolean
  /** The first group, or the whole match. Flags `gd`. */
  regex: RegExp
  /** The only places where something may begin, ascending; the regex is sticky then. */
  marks?: (text: string) => readonly number[]
  /** A closer look at what matched. */
  valid?: (text: string) => boolean
}

const secret = (regex: RegExp, ...hints: string[]): Detector => ({ kind: 'secret', hints, regex })

const DETECTORS: Readonly<Record<SensitiveKind, readonly Detector[]>> = {
  secrets: [
    secret(
      /-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----[\s\S]{1,16384}?-----END [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----/dg,
      'PRIVATE KEY',
    ),
    secret(
      /(?<![A-Za-z0-9])(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])/dg,
      'AKIA',
      'ASIA',
      'ABIA',
      'ACCA',
    ),
    secret(/(?<![A-Za-z0-9_])gh[opsru]_[A-Za-z0-9]{20,255}/dg, 'ghp_', 'gho_', 'ghs_', 'ghr_', 'ghu_'),
    secret(/(?<![A-Za-z0-9_])github_pat_[A-Za-z0-9_]{20,255}/dg, 'github_pat_'),
    secret(/(?<![A-Za-z0-9_])glpat-[A-Za-z0-9_-]{16,255}/dg, 'glpat-'),
    secret(/(?<![A-Za-z0-9_])xox[abeoprs]-[A-Za-z0-9-]{10,255}/dg, 'xox'),
    secret(/(?<![A-Za-z0-9_])(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,255}/dg, '_live_', '_test_'),
    secret(/(?<![A-Za-z0-9_])sk-(?:ant-|proj-|svcacct-)?[A-Za-z0-9_-]{20,255}/dg, 'sk-'),
    secret(/(?<![A-Za-z0-9_])AIza[A-Za-z0-9_-]{35}/dg, 'AIza'),
    secret(/(?<![A-Za-z0-9_])npm_[A-Za-z0-9]{30,64}/dg, 'npm_'),
    secret(/(?<![A-Za-z0-9_])hf_[A-Za-z0-9]{30,64}/dg, 'hf_'),
    secret(/(?<![A-Za-z0-9_])SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,128}/dg, 'SG.'),
    secret(
      /(?<![A-Za-z0-9_])eyJ[A-Za-z0-9_-]{8,4096}\.eyJ[A-Za-z0-9_-]{8,8192}\.[A-Za-z0-9_-]{0,4096}/dg,
      'eyJ',
    ),
    secret(/(?<![A-Za-z])(?:[Bb]earer|[Bb]asic) {1,4}([A-Za-z0-9._~+/=-]{12,4096})/dg, 'earer ', 'asic '),
    secret(
      /(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/?#"'<>@:]{0,256}:([^\s/?#"'<>@]{1,256})@/dg,
      '://',
    ),
    {
      kind: 'secret',
      hints: [':', '='],
      words: ['passw', 'pwd', 'secret', 'key', 'token'],
      regex:
        /(?<![a-z])(?:password|passwd|pwd|secret|api[_-]?key|access[_-]?key|auth[_-]?token|access[_-]?token|private[_-]?key|client[_-]?secret|token)\\?["']? {0,4}[:=] {0,4}\\?["']?([^\s"'\\,;&<>{}[\]()]{6,512})/dgi,
    },
  ],
  email: [
    {
      kind: 'email',
      hints: ['@'],
      marks: marksOfEmail,
      regex:
        /(?<![A-Za-z0-9._%+-])[A-Za-z0-9_%+][A-Za-z0-9._%+-]{0,63}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,7}\.[A-Za-z]{2,24}(?![A-Za-z0-9-])/dgy,
    },
  ],
  card: [
    {
      kind: 'card',
      hints: ['3', '4', '5', '6', '2'],
      possible: hasCardDigits,
      regex: /(?<![\d.-])[2-6](?:\d[ -]?){11,17}\d(?![\d.]*\d)/dg,
      valid: (text) => isCard(text.replace(/\D/g, '')),
    },
  ],
  iban: [
    {
      kind: 'iban',
      hints: ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'],
      regex: /(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![A-Za-z0-9])/dg,
      valid: (text) => isIban(text.replaceAll(' ', '')),
    },
  ],
  phone: [
    {
      kind: 'phone',
      hints: ['+'],
      regex: /(?<![\d+])\+[1-9]\d{0,2}[ .-]?(?:\(\d{1,4}\)[ .-]?)?(?:\d{2,4}[ .-]?){2,4}\d(?!\d)/dg,
    },
  ],
  ip: [
    {
      kind: 'ip',
      hints: ['.'],
      regex: /(?<![\d.])(?:(?:25[0-5]|2[0-4]\d|1?\d{1,2})\.){3}(?:25[0-5]|2[0-4]\d|1?\d{1,2})(?![\d.]*\d)/dg,
    },
  ],
}

/** Everything of these kinds, in no order; findings may overlap. `entropy` 0: random words are left alone. */
export function findSensitive(text: string, kinds: readonly SensitiveKind[], entropy: number): Finding[] {
  const findings: Finding[] = []
  const lower = text.toLowerCase()
  for (const kind of kinds) for (const detector of DETECTORS[kind]) detect(text, lower, detector, findings)
  if (entropy > 0 && text.length >= SHORTEST_WORD) random(text, entropy, findings)
  return findings
}

function detect(text: string, lower: string, detector: Detector, into: Finding[]): void {
  const { kind, hints, words, possible, marks, regex, valid } = detector
  if (!holds(text, hints) || (words && !holds(lower, words))) return
  if (possible && !possible(text)) return
  for (const match of marks ? matchesAt(text, marks(text), regex) : text.matchAll(regex)) {
    const [start, end] = match.indices?.[1] ?? match.indices?.[0] ?? [0, 0]
    if (valid === undefined || valid(text.slice(start, end))) into.push({ start, end, kind })
  }
}

/** A loop: it runs for every text. */
function holds(text: string, some: readonly string[]): boolean {
  for (const one of some) if (text.includes(one)) return true
  return false
}

function matchesAt(text: string, places: readonly number[], regex: RegExp): RegExpExecArray[] {
  const matches: RegExpExecArray[] = []
  for (const place of places) {
    regex.lastIndex = place
    const match = regex.exec(text)
    if (match) matches.push(match)
  }
  return matches
}

/** Characters of the part of an address before the @. */
const IS_OF_LOCAL = asciiTable(/[A-Za-z0-9._%+-]/)
const LONGEST_LOCAL = 64

function marksOfEmail(text: string): number[] {
  const marks: number[] = []
  for (let at = text.indexOf('@'); at !== -1; at = text.indexOf('@', at + 1)) {
    let start = at
    while (start > 0 && at - start <= LONGEST_LOCAL && IS_OF_LOCAL[text.charCodeAt(start - 1)] === 1) start--
    if (start < at && at - start <= LONGEST_LOCAL) marks.push(start)
  }
  return marks
}

/** Whether there are 13 digits with no more than one space or hyphen between them. */
function hasCardDigits(text: string): boolean {
  let digits = 0
  let isGap = true
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code >= 48 && code <= 57) {
      if (++digits === 13) return true
      isGap = false
    } else if (!isGap && (code === 32 || code === 45)) isGap = true
    else digits = 0
  }
  return false
}

const SHORTEST_WORD = 24
const LONGEST_WORD = 128

/** Words as keys are: of capitals, small letters and digits in no order. */
function random(text: string, least: number, into: Finding[]): void {
  let start = 0
  for (let end = 0; end <= text.length; end++) {
    if (end < text.length && IS_OF_WORD[text.charCodeAt(end)] === 1) continue
    if (end - start >= SHORTEST_WORD && end - start <= LONGEST_WORD) {
      const word = text.slice(start, end)
      if (/[a-z]/.test(word) && /[A-Z]/.test(word) && /\d/.test(word) && entropyOf(word) >= least)
        into.push({ start, end, kind: 'entropy' })
    }
    start = end + 1
  }
}

/** For each ASCII character. */
const IS_OF_WORD = asciiTable(/[A-Za-z0-9_+-]/)

function asciiTable(characters: RegExp): Uint8Array {
  return Uint8Array.from({ length: 128 }, (_, code) => (characters.test(String.fromCharCode(code)) ? 1 : 0))
}

/** Bits a character (Shannon). */
export function entropyOf(word: string): number {
  const counts = new Map<string, number>()
  for (const character of word) counts.set(character, (counts.get(character) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / word.length) * Math.log2(count / word.length)
  return bits
}

/** ISO/IEC 7812: 13 to 19 digits whose last one is right (Luhn). */
function isCard(digits: string): boolean {
  if (digits.length < 13 || digits.length > 19 || /^(\d)\1*$/.test(digits)) return false
  let sum = 0
  for (let at = 0; at < digits.length; at++) {
    const digit = Number(digits[digits.length - 1 - at])
    const doubled = at % 2 === 1 ? digit * 2 : digit
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}

/** ISO 13616: the remainder of its digits, letters counted from 10 on, is 1. */
function isIban(text: string): boolean {
  if (text.length < 15 || text.length > 34) return false
  let remainder = 0
  for (const character of text.slice(4) + text.slice(0, 4)) {
    const value = Number.parseInt(character, 36)
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97
  }
  return remainder === 1
}
