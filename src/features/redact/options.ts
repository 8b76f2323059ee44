import * as z from 'zod'
import { flag, number, oneOf } from '../../config/option.ts'

/** What is looked for by itself. */
export const REDACT_KINDS = ['secrets', 'email', 'card', 'iban', 'phone', 'ip'] as const

/** Options of the module `redact`. */
export const redactOptions = z.object({
  kinds: z
    .array(oneOf(REDACT_KINDS, 'A kind of data.'))
    .meta({
      description:
        'What is struck out: keys, tokens, passwords, and values with a name that says so; e-mail addresses; card numbers; IBANs; phone numbers; IP addresses.',
      allowed: `a list of: ${REDACT_KINDS.join(', ')}`,
    })
    .default(['secrets', 'email', 'card', 'iban']),
  patterns: z
    .record(z.string().min(1), z.string().min(1))
    .meta({
      description: 'More of it: a regular expression (RE2) for each name.',
      allowed: 'an object with a pattern for each name',
    })
    .default({}),
  entropy: number(
    'From which randomness on a word of capitals, small letters and digits is taken for a key, in bits a character; 0: never. Of 24 to 128 characters; ids, digests and parts of addresses by their names are none.',
    { min: 0, max: 6.5 },
  ).default(4.3),
  replacement: z
    .string()
    .min(1)
    .max(200)
    .regex(/^[^"\\\p{Cc}]*$/u)
    .meta({
      description: 'What stands in place of it; {kind} is filled in.',
      // It comes to stand in the middle of JSON.
      allowed: 'a text of at most 200 characters without quotes, backslashes and line breaks',
    })
    .default('[redacted:{kind}]'),
  arguments: flag('In what clients send to servers as well.').default(false),
  allow: z.array(z.string().min(1)).meta({ description: 'Exact texts that are left alone.' }).default([]),
})
