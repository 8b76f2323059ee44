/**
 * The same secrets with a lower threshold, for logs and configurations: a line of a log loses rather too much. It has the names and the
 * keys of the careful detector in common, and strikes whole values where that one looks at them first.
 */
import type { Finding } from './finding.ts'
import { findForms, LOOSE_KEY } from './forms.ts'
import { scan } from './scan.ts'

/** What stands in place of a secret. */
export const STRUCK = '***'

/** All repetitions are bounded, so the time is linear in the text. */
const USERINFO = /([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/?#"'<>@]{1,512}@/gi
const QUERY = /([a-z][a-z0-9+.-]{0,20}:\/\/[^\s?#"'<>]{0,2048})[?#][^\s"'<>]{1,8192}/gi
const SCHEME = /\b(bearer|basic)\s{1,4}[\w.~+/=-]{6,}/gi
const ASSIGNMENT =
  /((?:token|secret|password|passwd|api[_-]?key|cookie|authorization)["']?\s{0,4}[:=]\s{0,4})(?:"[^"]{1,8192}"|'[^']{1,8192}'|[^\s"',;&]{1,8192})/gi

/** Without one of these there is nothing to replace. To look for them is far quicker. */
const SCHEMES = ['bearer', 'basic']
const ASSIGNED = ['token', 'secret', 'passw', 'key', 'cookie', 'authorization']
const PEM = 'PRIVATE KEY'

/** A text without addresses' passwords and queries, values behind `Bearer` or `token=`, and keys that tell by their form. */
export function strikeLoosely(text: string): string {
  let result = text.includes(PEM) ? withoutPem(text) : text
  if (result.includes('://')) result = result.replace(USERINFO, `$1${STRUCK}@`).replace(QUERY, `$1?${STRUCK}`)
  const lower = result.toLowerCase()
  if (SCHEMES.some((word) => lower.includes(word))) result = result.replace(SCHEME, `$1 ${STRUCK}`)
  if (ASSIGNED.some((word) => lower.includes(word))) result = result.replace(ASSIGNMENT, `$1${STRUCK}`)
  return result.replace(LOOSE_KEY, STRUCK)
}

/** Of the forms that the careful detector knows, those of several lines. */
function withoutPem(text: string): string {
  const findings: Finding[] = []
  findForms(text, { ...scan(text), words: [], names: [], schemes: [] }, findings)
  let result = ''
  let copied = 0
  for (const { start, end } of findings.sort((a, b) => a.start - b.start)) {
    result += text.slice(copied, Math.max(copied, start)) + STRUCK
    copied = Math.max(copied, end)
  }
  return result + text.slice(copied)
}

// Which names belong to secrets, in any spelling.

const ENDINGS = /(?:token|secret|password|passwd|passphrase|apikey|cookie|credential|authorization)s?$/
const WORDS = new Set(['auth', 'bearer', 'jwt', 'pass', 'pwd', 'pat', 'key', 'keys'])

const judged = new Map<string, boolean>()
const MAX_JUDGED = 2_000

/** True for `API_KEY`, `clientSecret`, `X-Auth-Token`, `password`: names are compared word by word, in any spelling. */
export function isSecretName(name: string): boolean {
  const known = judged.get(name)
  if (known !== undefined) return known
  const found = words(name).some((word) => WORDS.has(word) || ENDINGS.test(word))
  if (name.length <= 200) {
    if (judged.size >= MAX_JUDGED) judged.clear()
    judged.set(name, found)
  }
  return found
}

/** `maxTokens: 4000` counts something; it hides nothing. */
export function isSecretField(name: string, value: unknown): boolean {
  if (typeof value === 'boolean' || value === null || value === undefined) return false
  if (typeof value === 'number' && /token|key/i.test(name)) return false
  return isSecretName(name)
}

function words(name: string): string[] {
  return name
    .slice(0, 200)
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
}
