import * as z from 'zod'
import { flag, number, oneOf, text } from '../option.ts'

/** What is looked for by itself. */
export const REDACT_KINDS = ['secrets', 'email', 'card', 'iban', 'phone', 'ip'] as const

/** Options of the module `redact`. */
export const redactOptions = z.object({
  kinds: z
    .array(oneOf(REDACT_KINDS, 'A kind of data.'))
    .meta({
      description:
        'What is struck out: keys, tokens and passwords; e-mail addresses; card numbers; IBANs; phone numbers; IP addresses.',
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
    'From which randomness on a word of 24 to 128 characters is taken for a key, in bits a character; 0: never.',
    { min: 0, max: 6.5 },
  ).default(4.3),
  replacement: text('What stands in place of it; {kind} is filled in.').default('[redacted:{kind}]'),
  arguments: flag('In what clients send to servers as well.').default(false),
  allow: z.array(z.string().min(1)).meta({ description: 'Exact texts that are left alone.' }).default([]),
})
