import { describe, expect, test } from 'vitest'
import { loadConfig, parseConfig } from '../../../src/config/load-program.ts'
import { otherProfiles, profilesOf } from '../../../src/config/profiles.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import { verifies } from '../../support/verifies.ts'

const notes = { use: 'package', profile: 'notes', title: 'Notes', tools: ['a/*'] }
const review = { use: 'package', profile: 'review', default: true }

const load = (
  modules: JsonObject[],
  more: { settings?: JsonObject; flags?: Record<string, string>; env?: Record<string, string> } = {},
) =>
  loadConfig({
    value: { mcpServers: { a: { command: 'x' } }, proxySettings: more.settings ?? {}, modules },
    env: more.env ?? {},
    cwd: '/',
    home: '/',
    flags: more.flags ?? {},
  })
const failure = (...args: Parameters<typeof load>): string => {
  try {
    load(...args)
    return ''
  } catch (error) {
    return String(error)
  }
}

describe('profiles of a configuration', () => {
  verifies('S2.22', 'packages with a name, in their order', () => {
    const { config, warnings } = load([notes, { use: 'package', title: 'for all' }, review])
    expect(warnings).toEqual([])
    expect(profilesOf(config.modules)).toEqual([
      { name: 'notes', title: 'Notes', isDefault: false },
      { name: 'review', title: undefined, isDefault: true },
    ])
  })

  verifies('S2.22', 'one that is chosen is the only one, by flag over environment over file', () => {
    const chosen = (more: Parameters<typeof load>[1]) =>
      profilesOf(load([notes, review], more).config.modules)
    const settings = { profile: 'review' }
    const env = { MCPPROXY_PROFILE: 'notes' }
    expect(chosen({ settings })).toEqual([{ name: 'review', title: undefined, isDefault: true }])
    expect(chosen({ settings, env })).toEqual([{ name: 'notes', title: 'Notes', isDefault: true }])
    expect(chosen({ env, flags: { profile: 'review' } }).map(({ name }) => name)).toEqual(['review'])
  })

  verifies(
    'S2.22',
    'an unknown profile ends the start with an error that names the nearest one and all others',
    () => {
      expect(failure([notes, review], { flags: { profile: 'note' } })).toMatch(
        /option --profile.*is "note", which is no profile.*Did you mean notes\? There are: notes, review\./s,
      )
      expect(failure([notes], { env: { MCPPROXY_PROFILE: '__proto__' } })).toContain('There is: notes.')
      expect(failure([], { flags: { profile: 'notes' } })).toContain('"use": "package"')
      expect(failure([notes, { ...review, disabled: true }], { flags: { profile: 'review' } })).toContain(
        'no profile',
      )
    },
  )

  test('a command that serves no clients does not require the profile', () => {
    const { config } = loadConfig({
      env: { MCPPROXY_PROFILE: 'x' },
      cwd: '/nowhere',
      home: '/',
      serversOptional: true,
    })
    expect(config.settings.profile).toBe('x')
    expect(() =>
      parseConfig({ mcpServers: { a: { command: 'x' } }, proxySettings: { profile: 'x' } }),
    ).toThrow('no profile')
  })

  test('reports contradictory profile settings', () => {
    expect(failure([notes, notes])).toContain('has the profile "notes" twice')
    expect(failure([{ ...notes, default: true }, review])).toContain('more than one profile with "default"')
    expect(failure([{ use: 'package', default: true }])).toContain('without "profile"')
    expect(failure([{ ...notes, mode: 'audit' }])).toContain('"mode": "audit"')
    expect(failure([{ ...notes, failOpen: true }])).toContain('"failOpen"')
    for (const profile of ['', '..', 'a/b', '%2e', '__proto__', '-x', 'a b', 'x'.repeat(65), 'ä'])
      expect(failure([{ use: 'package', profile }])).toContain('profile')
    expect(load([{ use: 'package', mode: 'audit', tools: ['x'] }]).config.modules).toHaveLength(1)
  })

  test('reports an unknown server of a profile', () => {
    const { warnings } = load([{ ...notes, servers: ['a', 'b', 'c*'] }])
    expect(warnings.map(({ message }) => message)).toEqual([
      'has a package (package) with the server "b", which does not exist',
    ])
  })

  test('many are not all named', () => {
    const names = Array.from({ length: 30 }, (_, n) => `profile-${n}`)
    expect(otherProfiles('profil-7', names)).toMatch(
      /^Did you mean profile-7\? There are: profile-0, .*, and 10 more\.$/,
    )
    expect(otherProfiles('x', [])).toBe('There are no profiles.')
  })
})
