/** Words, names and sentences for generated payloads: frequent ones often, rare ones seldom, as in real text (Zipf). */

const split = (words) => words.trim().split(/\s+/)

const NOUNS =
  split(`request server user file page cache error token session worker queue message thread build release test module
  package config schema index table column record parser stream buffer socket proxy header cookie timeout retry deadline lock mutex
  snapshot backup migration cluster node replica shard partition bucket object array string number boolean pointer handle window
  dialog button menu editor cursor selection clipboard plugin extension theme font color layout grid image video player codec bitrate
  invoice payment refund order basket customer address shipment warehouse supplier discount coupon tax currency balance ledger account
  sensor gauge valve turbine pump reactor telescope antenna satellite orbit crater glacier delta estuary harbour lighthouse meadow
  orchard vineyard bakery kiln loom anvil lathe spindle pulley sextant compass barometer thermometer hygrometer`)
const VERBS =
  split(`fails returns opens closes reads writes sends receives parses renders loads saves starts stops hangs crashes leaks
  drops retries blocks waits resumes scrolls freezes flickers overflows truncates duplicates corrupts rejects accepts ignores
  overrides shadows inherits exports imports compiles bundles minifies encrypts signs verifies revokes rotates expires renews
  migrates reindexes rebalances throttles backpressures coalesces deduplicates annotates transcodes interpolates`)
const ADJECTIVES =
  split(`new old large small slow fast empty missing invalid stale broken wrong unexpected duplicate nested optional
  required default custom local remote concurrent pending closed open public private hidden visible static dynamic lazy eager verbose
  silent partial complete atomic idempotent ephemeral persistent transient deprecated experimental asymmetric quadratic monotonic
  heterogeneous opaque translucent brittle`)
const TAILS = split(`after before during while when because although unless until since`)
const FIRST =
  split(`James Mary Ahmed Yuki Olga Carlos Priya Lars Fatima Chen Elena Kofi Ingrid Mateo Aisha Tomasz Noor Hugo Leila Sven
  Amara Diego Hana Pavel Zoe Emeka Ruth Viktor Mei Oscar Nadia Felix Rosa Idris Clara`)
const LAST =
  split(`Smith Garcia Khan Tanaka Ivanova Silva Patel Berg Haddad Wei Rossi Mensah Larsen Torres Diallo Nowak Rahman Moreau
  Petrov Okafor Novak Lind Sato Becker Costa Weber Jansen Kovacs Eriksen Dubois Marino Keller`)
const CITIES = split(
  `Lisbon Osaka Nairobi Toronto Lima Oslo Hanoi Zagreb Perth Tunis Quito Leeds Graz Porto Bergen Cusco Malmo Turin`,
)

/**
 * @param {ReturnType<typeof import('../../questions/random.mjs').chance>} random
 */
export function vocabulary(random) {
  /** Half of the draws come from the first few words. */
  const zipf = (list) => list[Math.floor((list.length + 1) ** random.next()) - 1]
  const noun = () => zipf(NOUNS)
  const phrase = () => `${random.often(0.5) ? `${zipf(ADJECTIVES)} ` : ''}${noun()}`
  const clause = () =>
    `the ${phrase()} ${zipf(VERBS)} ${random.often(0.6) ? `the ${phrase()} of a ${phrase()}` : `without a ${phrase()}`}`
  const capital = (text) => text[0].toUpperCase() + text.slice(1)
  const sentence = () =>
    `${capital(clause())}${random.often(0.5) ? ` ${random.pick(TAILS)} ${clause()}` : ''}.`
  const many = (low, high, make, glue = ' ') =>
    Array.from({ length: random.between(low, high) }, make).join(glue)
  const digits = (count, alphabet) =>
    Array.from({ length: count }, () => alphabet[random.below(alphabet.length)]).join('')
  return {
    noun,
    phrase,
    sentence,
    capital,
    zipf,
    adjective: () => zipf(ADJECTIVES),
    verb: () => zipf(VERBS),
    title: () =>
      capital(
        `${phrase()} ${zipf(VERBS)} ${random.often(0.5) ? `${random.pick(TAILS)} ${noun()} ${zipf(VERBS)}` : `the ${phrase()}`}`,
      ),
    paragraph: (low = 2, high = 5) => many(low, high, sentence),
    paragraphs: (low, high) => many(low, high, () => many(2, 5, sentence), '\n\n'),
    person: () => `${random.pick(FIRST)} ${random.pick(LAST)}`,
    city: () => zipf(CITIES),
    hex: (count) => digits(count, '0123456789abcdef'),
    digits: (count) => digits(1, '123456789') + digits(count - 1, '0123456789'),
    ip: () =>
      `${random.pick([10, 172, 192, 203])}.${random.below(256)}.${random.below(8)}.${random.between(1, 254)}`,
    money: (low, high) => Math.round((low + (high - low) * random.next() ** 3) * 100) / 100,
    /** Seconds since 1970 as ISO text. */
    iso: (seconds) => new Date(seconds * 1000).toISOString().replace('.000', ''),
  }
}

/** The first moment of what is generated. */
export const START = Date.UTC(2024, 2, 1) / 1000
