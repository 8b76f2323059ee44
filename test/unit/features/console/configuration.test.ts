import {
  chmodSync,
  lstatSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createConfigurationFile } from '../../../../src/features/console/configuration.ts'
import { temporaryFolder } from '../../../support/upstream.ts'

const TEXT = `{
  // The shop.
  "mcpServers": { "shop": { "command": "node", "tools": { "deny": ["old"] } }, "bank": { "command": "node" } }
}
`

/** A file, and a check that finds an error in a text with the word WRONG. */
function world(text = TEXT) {
  const folder = temporaryFolder()
  const path = join(folder, 'mcp.json')
  writeFileSync(path, text)
  let time = Date.UTC(2026, 0, 1)
  const problem = { severity: 'error', place: 'mcp.json', path: 'x', message: 'is wrong', remedy: 'mend it' }
  const configuration = createConfigurationFile(
    path,
    async (checked) => (checked.includes('WRONG') ? [problem as never] : []),
    () => (time += 1_000),
  )
  return {
    folder,
    path,
    configuration,
    hash: () => configuration.read().hash,
    text: () => readFileSync(path, 'utf8'),
  }
}

test('a text is saved with a backup beside the file, with the rights of the file', async () => {
  const { path, folder, configuration, hash, text } = world()
  chmodSync(path, 0o600)
  const saved = await configuration.save('{}', hash())
  expect(text()).toBe('{}')
  expect(saved.hash).toBe(hash())
  expect(saved.backup).toMatch(/^mcp\.json\.backup-2026-01-01T/)
  const backup = join(folder, saved.backup ?? '')
  expect(readFileSync(backup, 'utf8')).toBe(TEXT)
  for (const file of [path, backup]) expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([])
})

test('the same text is written to no file, and makes no backup', async () => {
  const { folder, configuration, hash } = world()
  expect(await configuration.save(TEXT, hash())).toEqual({ problems: [], hash: hash() })
  expect(readdirSync(folder)).toEqual(['mcp.json'])
})

test('a text with errors, and a file that was changed meanwhile, are left alone', async () => {
  const { path, configuration, hash, text } = world()
  await expect(configuration.save('WRONG', hash())).rejects.toMatchObject({ status: 422 })
  const read = hash()
  writeFileSync(path, '{ "other": 1 }')
  await expect(configuration.save('{}', read)).rejects.toMatchObject({ status: 409 })
  expect(text()).toBe('{ "other": 1 }')
})

test('a backup is put back, what was there becomes a backup, and other names are refused', async () => {
  const { folder, configuration, hash, text } = world()
  const { backup = '' } = await configuration.save('{}', hash())
  writeFileSync(join(folder, 'secret'), 'x')
  for (const name of ['secret', '../mcp.json', 'mcp.json', `${backup}/../secret`, ''])
    await expect(configuration.rollBack(name)).rejects.toMatchObject({ status: 404 })
  await configuration.rollBack(backup)
  expect(text()).toBe(TEXT)
  const [newest] = configuration.read().backups
  expect(readFileSync(join(folder, newest?.name ?? ''), 'utf8')).toBe('{}')
})

test('twenty backups are kept, the oldest go', async () => {
  const { folder, configuration, hash } = world()
  for (let nth = 0; nth < 23; nth++) await configuration.save(`{ "n": ${nth} }`, hash())
  expect(configuration.read().backups).toHaveLength(20)
  expect(readdirSync(folder)).toHaveLength(21)
})

test('a link stays a link, and its file is written', async () => {
  const { folder, text } = world()
  const link = join(folder, 'link.json')
  symlinkSync(join(folder, 'mcp.json'), link)
  const linked = createConfigurationFile(
    link,
    async () => [],
    () => 0,
  )
  await linked.save('{}', linked.read().hash)
  expect(lstatSync(link).isSymbolicLink()).toBe(true)
  expect(text()).toBe('{}')
})

test('a tool is switched off and on in the lists of its server, and comments stay', async () => {
  const { configuration, text } = world()
  await configuration.enable('shop', 'rows', false)
  await configuration.enable('shop', 'rows', false)
  await configuration.enable('bank', 'pay', false)
  expect(text()).toContain('// The shop.')
  const lists = (server: string) => JSON.parse(text().replace(/\/\/.*/, '')).mcpServers[server].tools
  expect(lists('shop')).toEqual({ deny: ['old', 'rows'] })
  expect(lists('bank')).toEqual({ deny: ['pay'] })
  await configuration.enable('shop', 'old', true)
  expect(lists('shop')).toEqual({ deny: ['rows'] })
  await expect(configuration.enable('shop', 'other', true)).rejects.toMatchObject({ status: 409 })
  for (const server of ['none', '__proto__', 'constructor'])
    await expect(configuration.enable(server, 'x', false)).rejects.toMatchObject({ status: 404 })
})

test('a list of allowed tools gets the tool, in the spelling of VS Code as well', async () => {
  const { configuration, text } = world(
    '{ "servers": { "shop": { "command": "node", "tools": { "allow": ["a"] } } } }',
  )
  await configuration.enable('shop', 'rows', true)
  expect(JSON.parse(text()).servers.shop.tools.allow).toEqual(['a', 'rows'])
})

test('without a file there is nothing to read, and nothing can be saved', async () => {
  const none = createConfigurationFile(
    undefined,
    async () => [],
    () => 0,
  )
  expect(none.read()).toEqual({ text: '', hash: '', backups: [] })
  await expect(none.save('{}', '')).rejects.toMatchObject({ status: 409 })
  const unchecked = createConfigurationFile('x', undefined, () => 0)
  await expect(unchecked.check('{}')).rejects.toMatchObject({ status: 409 })
})
