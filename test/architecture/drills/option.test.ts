/** Adding an option of a feature is one entry in `src/features/<feature>/options.ts`, besides the place that uses it. */
import { afterAll, expect, test } from 'vitest'
import type * as Generate from '../../../src/config/generate.ts'
import type * as Load from '../../../src/config/load-program.ts'
import { plantedCopy } from '../../support/planted.ts'

const copy = plantedCopy('option')
afterAll(() => copy.remove())

copy.insert(
  'src/features/truncate/options.ts',
  '  truncateOutputLength: ',
  `  moonPhases: integer('How many phases the moon has.', { unit: 'phases', min: 1, max: 8 }).default(4),
`,
)

const loaded = () => copy.load<typeof Load>('src/config/load-program.ts')

test('a new option is read from the file, in other spellings too, and from the environment, and has a default', async () => {
  const { loadConfig } = await loaded()
  const read = (value: object, env = {}): unknown => {
    const { config, warnings } = loadConfig({
      value: { proxySettings: { ...value } },
      env,
      cwd: '/',
      home: '/',
      serversOptional: true,
    })
    expect(warnings).toEqual([])
    return { moonPhases: 'none', ...config.settings }.moonPhases
  }
  expect(read({})).toBe(4)
  expect(read({ moonPhases: 8 })).toBe(8)
  expect(read({ moon_phases: 2 })).toBe(2)
  expect(read({ moonPhases: 8 }, { MCPPROXY_MOON_PHASES: '1' })).toBe(1)
})

test('it is documented, and editors know it', async () => {
  const { jsonSchemaText, settingsTable } = await copy.load<typeof Generate>('src/config/generate.ts')
  expect(settingsTable()).toContain(
    '| `moonPhases` | `4` | 1–8 phases | How many phases the moon has. | `MCPPROXY_MOON_PHASES` |',
  )
  const { properties } = JSON.parse(jsonSchemaText())
  expect(properties.proxySettings.properties.moonPhases).toMatchObject({ default: 4, minimum: 1, maximum: 8 })
})

test('it is checked: what it may be, and its name', async () => {
  const { loadConfig, parseConfig } = await loaded()
  expect(() => parseConfig({ proxySettings: { moonPhases: 9 } })).toThrow(
    /moonPhases is 9, but must be a whole number from 1 to 8 \(phases\)/,
  )
  const value = { proxySettings: { moonPhase: 3 } }
  const { warnings } = loadConfig({ value, env: {}, cwd: '/', home: '/', serversOptional: true })
  expect(warnings.map(({ remedy }) => remedy)).toEqual(['Did you mean "moonPhases"?'])
})
