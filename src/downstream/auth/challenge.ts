/** `WWW-Authenticate: Bearer …` (RFC 6750, 3; RFC 9728, 5.1). */

export interface Challenge {
  /** Absent when the request presented nothing (RFC 6750, 3.1). */
  error?: 'invalid_request' | 'invalid_token' | 'insufficient_scope'
  description?: string
  scopes?: readonly string[]
  /** Where the protected resource metadata lies. */
  metadata?: string | undefined
}

export function challengeText({ error, description, scopes = [], metadata }: Challenge): string {
  const parameters = Object.entries({
    error,
    error_description: description,
    scope: scopes.length === 0 ? undefined : scopes.join(' '),
    resource_metadata: metadata,
  }).flatMap(([name, value]) => (value === undefined ? [] : [`${name}="${quotable(value)}"`]))
  return ['Bearer', parameters.join(', ')].filter((part) => part !== '').join(' ')
}

/** Without what would end the quoted string or the header. */
function quotable(value: string): string {
  return value.replaceAll(/[^\x20-\x7E]|["\\]/g, "'")
}
