/** A planted secret is gone, wherever it stands and however it is escaped; a text without one is the very same. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { changeTexts } from '../../../src/documents/change/change-result.ts'
import type { JsonObject, JsonValue } from '../../../src/protocol/json.ts'
import { compileChange } from '../../../src/text/change/change.ts'
import { type SensitiveRule, Tally } from '../../../src/text/change/change-rules.ts'
import { verifies } from '../../support/verifies.ts'

const RULE: SensitiveRule = {
  kind: 'sensitive',
  kinds: ['secrets', 'email', 'card', 'iban'],
  patterns: {},
  entropy: 4.3,
  replacement: '[redacted:{kind}]',
  allow: [],
}
const apply = compileChange([RULE])
const strike = (text: string): string => apply(text, new Tally())
const strikeAll = (message: JsonObject): JsonObject => {
  const counts = new Tally()
  return changeTexts(message, 'strings', (text, sort, name) => apply(text, counts, sort, name))
}

const alnum = (min: number, max: number) =>
  fc.stringMatching(new RegExp(`^[A-Za-z][0-9][A-Za-z0-9]{${min - 2},${max - 2}}$`))

/** Secrets that tell by themselves what they are. */
const planted = fc.oneof(
  alnum(30, 40).map((part) => `ghp_${part}`),
  alnum(20, 30).map((part) => `glpat-${part}`),
  alnum(24, 40).map((part) => `sk_${'live'}_${part}`),
  alnum(24, 40).map((part) => `sk-${part}`),
  fc.stringMatching(/^[A-Z0-9]{16}$/).map((part) => `AKIA${part}`),
  alnum(35, 35).map((part) => `AIza${part}`),
  fc.tuple(alnum(14, 30), alnum(10, 60), alnum(20, 40)).map(([a, b, c]) => `eyJ${a}.eyJ${b}.${c}`),
  alnum(6, 12).map((name) => `${name}@example.org`),
  fc.constantFrom('4111 1111 1111 1111', '5500-0000-0000-0004', '378282246310005', 'DE89370400440532013000'),
)
const words = fc
  .array(fc.constantFrom('the', 'order', '12.50', '"', "'", '\\', '\n', '/', '{', '}', ',', ' ', 'é', '😀'), {
    maxLength: 8,
  })
  .map((parts) => parts.join(' '))

/** JSON of it, JSON of that, and so on; or as a part of an address. */
const escapings = fc.constantFrom<(text: string) => string>(
  (text) => text,
  (text) => JSON.stringify(text),
  (text) => JSON.stringify({ a: JSON.stringify({ b: text }) }),
  (text) => JSON.stringify([JSON.stringify([JSON.stringify(text)])]),
  (text) => JSON.stringify({ text }, null, 2),
)

verifies('S2.38', 'no planted secret is left in a text', () => {
  fc.assert(
    fc.property(words, planted, words, escapings, (before, secret, after, escaped) => {
      const text = strike(escaped(`${before} ${secret} ${after}`))
      expect(text).not.toContain(secret)
    }),
  )
})

const NAMES = [
  'password',
  'DB_PASSWORD',
  'clientSecret',
  'api_key',
  'accessToken',
  'private-key',
  'secret',
] as const
/** Whatever a password may be made of. */
const passwords = fc.oneof(
  alnum(8, 20),
  fc.string({
    minLength: 8,
    maxLength: 24,
    unit: fc.constantFrom('a', 'B', '7', '"', '\\', '/', '\n', 'é', '&', '$', '{'),
  }),
)

verifies('S2.38', 'nor under a name that tells, in data and in JSON of any depth: both say the same', () => {
  fc.assert(
    fc.property(fc.constantFrom(...NAMES), passwords, words, fc.nat(3), (name, secret, other, depth) => {
      fc.pre(!/^\s*$/.test(secret) && !(/\s/.test(secret) && /key|token/i.test(name)))
      let data: JsonValue = { n: 1, other: `${other}.`, [name]: secret, last: [true] }
      for (let level = 0; level < depth; level++) data = level % 2 === 0 ? [data] : { in: data }
      const content = [{ type: 'text', text: JSON.stringify(data) }]
      const result = strikeAll({ content, structuredContent: { data } })
      const [block] = result.content as [{ text: string }]
      expect({ data: JSON.parse(block.text) }).toEqual(result.structuredContent)
      let left: JsonValue | undefined = (result.structuredContent as JsonObject).data
      for (let level = depth - 1; level >= 0; level--)
        left = level % 2 === 0 ? (left as JsonValue[])[0] : (left as JsonObject).in
      fc.pre(!/^(?:[*•x.#?_-]+|<[^>]*>|\$\w+|\$?\{[^}]*\})$/.test(secret))
      expect((left as JsonObject)[name]).toBe('[redacted:secret]')
    }),
  )
})

test('nothing found: the same object; struck out twice: the same as once', () => {
  fc.assert(
    fc.property(fc.jsonValue(), words, planted, (value, text, secret) => {
      const message = { content: [{ type: 'text', text }], structuredContent: { value: value as JsonValue } }
      const first = strikeAll(message)
      if (JSON.stringify(first) === JSON.stringify(message)) expect(first).toBe(message)
      expect(strikeAll(first)).toBe(first)
      const once = strike(`${text} ${secret} password: "${secret}" ${text}`)
      expect(strike(once)).toBe(once)
    }),
  )
})

test('JSON stays JSON, and a number stays a number', () => {
  const data = {
    mail: '\nada@example.org',
    card: 4111111111111111,
    password: 12345678,
    ids: [4111111111111111, 7],
  }
  for (const indent of [0, 2, 4])
    expect(JSON.parse(strike(JSON.stringify(data, null, indent)))).toEqual({
      mail: '\n[redacted:email]',
      card: 0,
      password: 0,
      ids: [0, 7],
    })
  expect(JSON.parse(JSON.parse(strike(JSON.stringify(JSON.stringify(data)))))).toMatchObject({
    card: 0,
    password: 0,
  })
  expect(strike('card 4111111111111111 and on')).toBe('card [redacted:card] and on')
})

test('patterns of one’s own have names of their own, and what is allowed is left alone', () => {
  const own = compileChange([
    {
      ...RULE,
      patterns: { badge: 'B-\\d{4}', 'a"b': 'X(\\d)+' },
      allow: ['B-0000'],
      replacement: '<{kind}>',
    },
  ])
  const counts = new Tally()
  expect(own('B-1234 B-0000 X12', counts)).toBe('<badge> B-0000 <ab>')
  expect(Object.fromEntries(counts)).toEqual({ badge: 1, ab: 1 })
})
