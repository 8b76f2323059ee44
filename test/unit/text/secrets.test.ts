/** The parts of a text that are taken for a secret, and the parts that are not. */
import { describe, expect, test } from 'vitest'
import { UNITS } from '../../../src/text/change/scan.ts'
import { findSensitive } from '../../../src/text/change/strike.ts'
import { verifies } from '../../support/verifies.ts'

const SECRETS = new Set(['secrets'] as const)
const found = (text: string): string[] =>
  findSensitive(text, SECRETS, 0)
    .map(({ start, end }) => text.slice(start, end))
    .toSorted()

/** In parts, so that no scanner takes these for real keys. */
const some = (length: number): string => 'a1B2c3D4e5F6g7H8i9J0'.repeat(8).slice(0, length)
const PREFIXED = [
  `AKIA${'ABCDEFGHIJKLMNOP'}`,
  `AIza${some(35)}`,
  `ghp_${some(36)}`,
  `github_pat_${some(40)}`,
  `glpat-${some(20)}`,
  `xoxb-${some(24)}`,
  `sk_live_${some(24)}`,
  `sk-${some(40)}`,
  `sk-ant-api03-${some(40)}`,
  `npm_${some(36)}`,
  `hf_${some(34)}`,
  `SG.${some(22)}.${some(43)}`,
  `eyJ${some(20)}.eyJ${some(40)}.${some(43)}`,
]

describe('by their form', () => {
  verifies('S2.25 S2.38', 'keys of services, wherever they stand', () => {
    for (const key of PREFIXED)
      for (const [before, after] of [
        ['', ''],
        ['see ', ', and'],
        ['"', '"'],
        ['x=', '&y'],
        ['\\n', '\\n'],
        ['\\u0022', '\\u0022'],
        ['%22', '%22'],
        ['(', ')'],
        ['ключ:', '。'],
      ])
        expect(found(`${before}${key}${after}`), `${before}${key}`).toEqual([key])
  })

  test('keys in PEM over several lines, in JSON, and where they were cut off', () => {
    const lines = [some(64), some(64), some(20)]
    for (const br of ['\n', '\r\n', '\\n', '\\\\n']) {
      const pem = ['-----BEGIN RSA PRIVATE KEY-----', ...lines, '-----END RSA PRIVATE KEY-----'].join(br)
      expect(found(`a ${pem} b`)).toEqual([pem])
      const cut = ['-----BEGIN PRIVATE KEY-----', ...lines].join(br)
      expect(found(`${cut}${br}${br}then some words`)).toEqual([cut])
    }
    expect(found('if (text.includes("-----BEGIN PRIVATE KEY-----")) read(text)')).toEqual([])
    expect(found('-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----')).toEqual([])
  })

  test('passwords in addresses, and what comes behind Bearer and Basic', () => {
    expect(found('postgres://ada:s3cret!@db:5432/x')).toEqual(['s3cret!'])
    expect(found('"https:\\/\\/ada:s3cret@host"')).toEqual(['s3cret'])
    expect(found(`https://${some(30)}@host/x.git`)).toEqual([some(30)])
    expect(found('curl -H "X: bearer abcdef-123456"')).toEqual(['abcdef-123456'])
    expect(found('BASIC dXNlcjpwYXNzd29yZA==')).toEqual(['dXNlcjpwYXNzd29yZA=='])
    expect(found(`https://hooks.slack.com/services/T0/B0/${some(24)}`)).toEqual([`T0/B0/${some(24)}`])
    for (const text of [
      'ssh://git@github.com/a/b',
      'https://host:8080/a@b',
      'Basic authentication, bearer authorization',
      'postgres://ada:${PASSWORD}@db',
    ])
      expect(found(text), text).toEqual([])
  })

  test('names with hyphens are no keys', () => {
    for (const text of ['sk-learn-and-other-libraries-of-this-kind', 'risk-management-and-compliance-office'])
      expect(found(text), text).toEqual([])
  })
})

describe('by the name before them', () => {
  verifies(
    'S2.25 S2.38',
    'in JSON, JSON within JSON, YAML, environments, addresses, headers, XML and options',
    () => {
      for (const [text, ...secrets] of [
        ['{"password":"hunter2"}', 'hunter2'],
        ['{"password" : "two words"}', 'two words'],
        ['{"password":"a\\"b\\\\"}', 'a\\"b\\\\'],
        ['{"a":"{\\"password\\":\\"a\\\\\\"b\\",\\"x\\":\\"y\\"}"}', 'a\\\\\\"b'],
        ['{"a":"{\\"b\\":\\"{\\\\\\"apiKey\\\\\\":\\\\\\"abcdef\\\\\\"}\\"}"}', 'abcdef'],
        ['{"passwords":["one","two \\" three"],"b":"c"}', 'one', 'two \\" three'],
        ['{"password":"not closed', 'not closed'],
        ['{"password": 12345678, "n": 1}', '12345678'],
        ["{'client_secret': 'abc'}", 'abc'],
        ['password: hunter2', 'hunter2'],
        ['  - db_password: swordfish\n', 'swordfish'],
        ['PASSWORD=hunter2\nA=b', 'hunter2'],
        ['export DB_PASSWORD=p&ss;w0rd\n', 'p&ss;w0rd'],
        ['DB_PASS=swordfish', 'swordfish'],
        ['api_key = abc123def', 'abc123def'],
        ['?access_token=abc123&x=1', 'abc123'],
        ['q%3Fapi_key%3Dabc123def%26x', 'abc123def%26x'],
        ['password\\u003dhunter2', 'hunter2'],
        ['Server=x;Password=Pa$$w0rd;Database=y', 'Pa$$w0rd'],
        ['Authorization: Token abc123', 'abc123'],
        ['X-Api-Key: abc123def', 'abc123def'],
        ['Set-Cookie: sid=abc123; Path=/', 'sid=abc123; Path=/'],
        ['<password>hunter2</password>', 'hunter2'],
        ['mysql --password hunter2 -h x', 'hunter2'],
        ['**Password:** hunter2', 'hunter2'],
        ['{"name":"DB_PASSWORD","value":"hunter2"}', 'hunter2'],
        ['- name: DB_PASSWORD\n  value: hunter2', 'hunter2'],
      ])
        expect(found(text as string), text).toEqual(secrets.toSorted())
    },
  )

  test('what only has such a name', () => {
    for (const text of [
      '{"password":""}',
      '{"password":null,"secret":true}',
      '{"password":"[redacted:secret]"}',
      '{"password":"********"}',
      'password=${PASSWORD}',
      'PASSWORD=$(cat file)',
      'password: string\ntoken?: string',
      'const token = getToken(); let password = user.password',
      'token = os.environ["TOKEN"]',
      'sessionId: transport?.sessionIdOfClient,',
      'if (token == "abcdefgh1") return',
      'Password: Enter your password',
      '{"password":"Password","token":"Token"}',
      '{"nextPageToken":"CAUQAA12345","continuation_token":"abc12345def"}',
      '{"max_tokens":4000,"tokens":["the","president"],"token":"president"}',
      '{"token":"0xdAC17F958D2ee523a2206206994597C13D831ec7"}',
      '{"primary_key":"abc123def456","public_key":"abc123def456","key":"node.kubernetes.io/x1"}',
      '{"secretName":"db-1","password_reset_url":"https://x"}',
      'PWD=/home/ada/project1',
      '<a href="x1y2z3">token</a>',
    ])
      expect(found(text), text).toEqual([])
  })
})

test('wherever the window ends through which a text is looked at, and in texts of any script', () => {
  const key = PREFIXED[2] ?? ''
  for (const filling of ['. ', 'é ', 'ж '])
    for (let at = UNITS - 50; at < UNITS + 4; at++)
      for (const before of ['', '\\n', '\\u0022', 'password=']) {
        const text = `${filling.repeat(at).slice(0, at - 1)} ${before}${key} and on`
        expect(found(text), `${at} ${before}`).toContain(key)
      }
})

test('what is made to take long does not', () => {
  const many = (part: string): string => part.repeat(Math.ceil(400_000 / part.length))
  for (const text of [
    many('-----BEGIN PRIVATE KEY-----\n'),
    many('-----BEGIN PRIVATE KEY-----\n-----END X'),
    many('password:"'),
    many('password:"password:\''),
    many('password: ["'),
    many('"name":"x","value":'),
    many('<password>'),
    many('\\"'),
    `password:${many('\\')}"`,
    many('eyJaaaaaaaaaaaaaaaa.'),
    many('x://a:'),
    many('sk-'),
    many('Aa1'),
    many('bearer '),
    many('4'),
    many('4 '),
    many('a@'),
    many('+1'),
    many('DE89 '),
  ])
    expect(
      findSensitive(text, new Set(['secrets', 'email', 'card', 'iban', 'phone', 'ip']), 4.3),
    ).toBeInstanceOf(Array)
  // However long a secret is.
  expect(found(`{"password":"${many('x y ')}"}`)).toEqual([many('x y ')])
})
