/** Secrets that tell by their form what they are: keys with a prefix, JSON web tokens, keys in PEM, passwords in addresses. */

import { isPlaceholder } from './named.ts'
import type { Finding, Scan } from './scan.ts'

/** The prefixes of keys of services, and how the rest of one is written. */
const KEYS = [
  // Amazon, Google, Alibaba
  ['(?:AKIA|ASIA|ABIA|ACCA)', '[A-Z0-9]{16}(?![A-Za-z0-9])'],
  ['AIza', '[\\w-]{35}'],
  ['GOCSPX-', '[\\w-]{20,}'],
  ['LTAI', '[A-Za-z0-9]{17,25}(?![A-Za-z0-9])'],
  // Places of code and packages
  ['gh[opsru]_', '[A-Za-z0-9]{20,}'],
  ['github_pat_', '\\w{20,}'],
  ['gl(?:pat|dt|rt|ptt|soat|cbt|ft|imt|agent|oas)-', '[\\w-]{16,}'],
  ['npm_', '[A-Za-z0-9]{30,}'],
  ['pypi-', '[\\w-]{40,}'],
  ['rubygems_', '[a-f0-9]{40,}'],
  ['dckr_pat_', '[\\w-]{20,}'],
  // Messages and payment
  ['xox[abeoprs]-', '[A-Za-z0-9-]{10,}'],
  ['xapp-\\d-', '[A-Za-z0-9-]{20,}'],
  ['(?:sk|rk|pk)_(?:live|test|prod)_', '[A-Za-z0-9]{10,}'],
  ['whsec_', '[A-Za-z0-9+]{20,}'],
  ['sq0[a-z]{3}-', '[\\w-]{20,}'],
  // Models
  ['sk-', '[\\w-]{20,}'],
  ['hf_', '[A-Za-z0-9]{30,}'],
  ['gsk_', '[A-Za-z0-9]{30,}'],
  ['(?:xai|pplx|nvapi|tvly)-', '[\\w-]{20,}'],
  ['r8_', '[A-Za-z0-9]{30,}'],
  // Everything else
  ['do[opr]_v1_', '[a-f0-9]{40,}'],
  ['shp(?:at|ss|ca|pa)_', '[A-Fa-f0-9]{30,}'],
  ['gl(?:sa|c)_', '[\\w+-]{30,}'],
  ['lin_api_', '[A-Za-z0-9]{30,}'],
  ['ntn_', '[A-Za-z0-9]{30,}'],
  ['fig[do]_', '[\\w-]{30,}'],
  ['sntry[su]_', '[\\w+-]{30,}'],
  ['PMAK-', '[a-f0-9-]{40,}'],
  ['ATATT3', '[\\w-]{40,}'],
  ['AGE-SECRET-KEY-1', '[A-Z0-9]{50,}'],
] as const

/** Looked for in single words of data: only what is as long as a key of its service. */
const CAREFUL = new RegExp(`(?<![A-Za-z0-9])(?:${KEYS.map(([head, rest]) => head + rest).join('|')})`, 'g')
/** Looked for in lines of a log: whatever begins so and goes on for a while, with what a full stop joins to it. */
export const LOOSE_KEY = new RegExp(
  `(?<![A-Za-z0-9])(?:eyJ|SG\\.|ya29\\.|hv[sbr]\\.|${KEYS.map(([head]) => head).join('|')})[\\w.-]{16,4096}`,
  'g',
)

/** `sk-` also begins words of hyphenated names: a key has digits, or capitals among small letters. */
const MAY_BE_NAME = /^(?:sk|xai|pplx|nvapi|tvly|pypi|gl[a-z]+)-/
const IS_MIXED = /\d|[a-z][A-Z]/

/** Of several parts with a full stop between them. */
const JWT = /eyJ[\w-]{8,}(?:\.[\w-]*){2,4}/y
const JWT_HEAD = /(?<![A-Za-z0-9])eyJ/
const DOTTED = /(?:SG\.[\w-]{16,}\.[\w-]{16,}|ya29\.[\w-]{20,}|hv[sbr]\.[\w-]{20,})/y
const DOTTED_HEADS = ['SG.', 'ya29.', 'hvs.', 'hvb.', 'hvr.']

/** Addresses that let anybody write who knows them. */
const WEBHOOK =
  /(?:hooks\.slack\.com\\{0,8}\/services|discord(?:app)?\.com\\{0,8}\/api\\{0,8}\/webhooks)\\{0,8}\/([\w\\/-]{20,200})/g
const SCHEME_VALUE = / {1,4}([A-Za-z0-9._~+/-]{12,}={0,2})/y
const PEM_HEAD = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y
const PEM_TAIL = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y
/** Lines of base64, whatever stands for a line break there. */
const PEM_LINES = /(?:(?:\s|\\{1,8}[nrt]|[>|#*]){0,12}[A-Za-z0-9+/=]{16,128}){0,800}/y
const LONGEST_PEM = 32_768
const HEAD_BEGINS = '-----BEGIN'

const USERINFO =
  /(?:\\{0,8}\/){2}(?:[^\s/?#"'<>@:\\]{0,256}:([^\s/?#"'<>@\\]{1,256})|([A-Za-z0-9_-]{20,256}))@/y

export function findForms(text: string, { words, begins, schemes, names }: Scan, into: Finding[]): void {
  const add = (start: number, end: number): void => void into.push({ start, end, kind: 'secret' })
  for (let at = 0; at < words.length; at += 2) inWord(text, words[at] as number, words[at + 1] as number, add)
  for (const at of schemes) {
    const value = groupAt(SCHEME_VALUE, text, at)
    if (value !== undefined && IS_MIXED.test(text.slice(value.start, value.end))) add(value.start, value.end)
  }
  for (const [index, at] of begins.entries()) {
    const start = at - HEAD_BEGINS.length
    const end = endOfPem(text, start, begins[index + 1] ?? text.length)
    if (end > start) add(start, end)
  }
  if (names.length > 0 && (text.includes('hooks.slack') || text.includes('/webhooks')))
    for (const { 0: found, 1: value = '', index } of text.matchAll(WEBHOOK))
      add(index + found.length - value.length, index + found.length)
  for (const at of names) {
    const slash = text.charCodeAt(at + 1)
    if (text.charCodeAt(at) !== 58 || (slash !== 47 && slash !== 92)) continue
    const value = groupAt(USERINFO, text, at + 1)
    if (value !== undefined && !isPlaceholder(text.slice(value.start, value.end))) add(value.start, value.end)
  }
}

function inWord(text: string, start: number, end: number, add: (start: number, end: number) => void): void {
  const word = text.slice(start, end)
  if (text.charCodeAt(end) === 46) {
    const head = word.search(JWT_HEAD)
    JWT.lastIndex = start + head
    if (head >= 0 && JWT.test(text)) add(start + head, JWT.lastIndex)
  }
  if (text.charCodeAt(start - 1) === 46) {
    const head = DOTTED_HEADS.find((one) => text.startsWith(one, start - one.length))
    if (head !== undefined) {
      DOTTED.lastIndex = start - head.length
      if (DOTTED.test(text)) add(start - head.length, DOTTED.lastIndex)
    }
  }
  CAREFUL.lastIndex = 0
  for (let match = CAREFUL.exec(word); match; match = CAREFUL.exec(word))
    if (!MAY_BE_NAME.test(match[0]) || IS_MIXED.test(match[0]))
      add(start + match.index, start + match.index + match[0].length)
}

/** Where the key ends that begins here, before the next one; one that was cut off goes on as far as its lines do. */
function endOfPem(text: string, start: number, before: number): number {
  PEM_HEAD.lastIndex = start
  if (start < 0 || !PEM_HEAD.test(text)) return -1
  const inside = PEM_HEAD.lastIndex
  const rest = text.slice(inside, Math.min(before, inside + LONGEST_PEM))
  for (let at = rest.indexOf('-----END'); at !== -1; at = rest.indexOf('-----END', at + 1)) {
    PEM_TAIL.lastIndex = inside + at
    if (PEM_TAIL.test(text)) return PEM_TAIL.lastIndex
  }
  PEM_LINES.lastIndex = inside
  PEM_LINES.test(text)
  // A head alone is in programs that read keys.
  return PEM_LINES.lastIndex > inside ? PEM_LINES.lastIndex : -1
}

/** The first group that matched of a sticky expression. */
function groupAt(regex: RegExp, text: string, at: number): { start: number; end: number } | undefined {
  regex.lastIndex = at
  const match = regex.exec(text)
  const value = match?.[1] ?? match?.[2]
  if (match === null || value === undefined) return undefined
  // It is the last thing that matched, before what ends it.
  const start = at + match[0].lastIndexOf(value)
  return { start, end: start + value.length }
}
