import * as z from 'zod'
import { flag, number, oneOf } from '../../config/option.ts'

/** The kinds of data that the module knows. */
export const REDACT_KINDS = ['secrets', 'email', 'card', 'iban', 'phone', 'ip'] as const

/** Options of the module `redact`. */
export const redactOptions = z.object({
  kinds: z
    .array(oneOf(REDACT_KINDS, 'A kind of data.'))
    .meta({
      description:
        'What to strike out. secrets: keys, tokens, passwords, and values with such a name. email: addresses. card: card numbers. iban: IBANs. phone: phone numbers. ip: IP addresses.',
      allowed: `a list of: ${REDACT_KINDS.join(', ')}`,
    })
    .default(['secrets', 'email', 'card', 'iban']),
  patterns: z
    .record(z.string().min(1), z.string().min(1))
    .meta({
      description: 'Your own kinds: a regular expression (RE2) for each name.',
      allowed: 'an object with a pattern for each name',
    })
    .default({}),
  entropy: number(
    'The randomness, in bits a character, from which a word of capitals, small letters and digits counts as a key. 0: never. The word has 24 to 128 characters, and its name does not call it an id, a digest or a part of an address.',
    { min: 0, max: 6.5 },
  ).default(4.3),
  replacement: z
    .string()
    .min(1)
    .max(200)
    .regex(/^[^"\\\p{Cc}]*$/u)
    .meta({
      description: 'The text that replaces it. The proxy fills in {kind}.',
      // It comes to stand in the middle of JSON.
      allowed: 'a text of at most 200 characters without quotes, backslashes and line breaks',
    })
    .default('[redacted:{kind}]'),
  arguments: flag('true: also in messages of clients to servers.').default(false),
  allow: z
    .array(z.string().min(1))
    .meta({ description: 'Exact texts that the module does not change.' })
    .default([]),
})
