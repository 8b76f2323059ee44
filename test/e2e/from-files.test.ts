import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { madePdf, madePng } from '../support/made-files.mjs'
import { filesystem } from './support/real-servers.ts'
import {
  handleOf,
  type ProxyOptions,
  type RunningProxy,
  startProxy,
  temporaryDirectory,
} from './support/world.ts'

const SERVER = fileURLToPath(new URL('../support/servers/files.mjs', import.meta.url))

interface World extends RunningProxy {
  /** Where files may be read, and a directory beside it. */
  allowed: string
  beside: string
}

/** `roots`: the client names the directory, else the operator does. */
async function startWorld(
  files: Readonly<Record<string, Buffer | string>>,
  by: 'client' | 'operator' | 'nobody',
  settings: Record<string, unknown> = {},
): Promise<World> {
  const directory = temporaryDirectory()
  const allowed = join(directory, 'allowed')
  const beside = join(directory, 'beside')
  for (const one of [allowed, beside]) mkdirSync(one)
  for (const [name, content] of Object.entries(files)) writeFileSync(join(allowed, name), content)
  writeFileSync(join(beside, 'secret.txt'), 'a secret')
  const options: ProxyOptions = {
    servers: { f: { command: process.execPath, args: [SERVER, allowed] } },
    settings: { ...settings, ...(by === 'operator' && { spill: { allowDirs: [allowed] } }) },
    directory,
    ...(by === 'client' && { client: { capabilities: { roots: {} } } }),
  }
  const proxy = await startProxy(options)
  if (by === 'client')
    proxy.client.setRequestHandler('roots/list', () => ({ roots: [{ uri: pathToFileURL(allowed).href }] }))
  return { ...proxy, allowed, beside }
}

const digestOf = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex')

test.each(['client', 'operator'] as const)(
  'a file that the %s allows is sent as a text, as base64 and as a data URI',
  async (by) => {
    const png = madePng(10, 10, 5000)
    const { text, allowed } = await startWorld({ 'note.txt': 'é, a note', 'a.png': png }, by)
    const said = async (args: Record<string, unknown>): Promise<unknown> =>
      JSON.parse(await text('f_echo', args))
    const $file = join(allowed, 'a.png')
    expect(await said({ content: { $file: join(allowed, 'note.txt') } })).toEqual({ content: 'é, a note' })
    const base64 = png.toString('base64')
    expect(await said({ content: { $file, as: 'base64' } })).toMatchObject({
      content: { length: base64.length, sha256: digestOf(base64) },
    })
    const uri = `data:image/png;base64,${base64}`
    expect(await said({ content: { $file, as: 'data-uri' } })).toMatchObject({
      content: { sha256: digestOf(uri) },
    })
    expect(await text('f_echo', { content: { $file } })).toMatch(
      /f_echo was not called.*no UTF-8 text: write "as"/,
    )
  },
)

test('a file is copied, and a kept one written, by the file server that people use, and no model reads either', async () => {
  const directory = temporaryDirectory()
  const [inside, folder] = [join(directory, 'inside'), join(directory, 'folder')]
  for (const one of [inside, folder]) mkdirSync(one)
  const note = 'é, a note\n'.repeat(2000)
  writeFileSync(join(inside, 'note.txt'), note)
  writeFileSync(join(folder, 'report.pdf'), madePdf(['The secret is 629.'], 60_000))
  const { call, text } = await startProxy({
    servers: { files: filesystem(folder) },
    settings: { spill: { allowDirs: [inside] } },
    directory,
  })
  const write = (name: string, content: object): Promise<string> =>
    text('files_write_file', { path: join(folder, name), content })
  expect(await write('copy.txt', { $file: join(inside, 'note.txt') })).toContain('Successfully wrote')
  expect(readFileSync(join(folder, 'copy.txt'), 'utf8')).toBe(note)
  const $from = handleOf(await call('files_read_media_file', { path: join(folder, 'report.pdf') }))
  expect(await text('proxy_search', { cache_id: $from, pattern: 'secret' })).toContain('629')
  expect(await write('report.b64', { $from, as: 'base64' })).toContain('Successfully wrote')
  const written = Buffer.from(readFileSync(join(folder, 'report.b64'), 'utf8'), 'base64')
  expect(written.equals(readFileSync(join(folder, 'report.pdf')))).toBe(true)
})

test('nothing else is read: links, traversal, other directories, devices, and files that are too long', async () => {
  const { text, allowed, beside, directory } = await startWorld({ 'note.txt': 'a note' }, 'operator')
  const secret = join(beside, 'secret.txt')
  symlinkSync(secret, join(allowed, 'link'))
  symlinkSync(beside, join(allowed, 'folder'))
  linkSync(secret, join(allowed, 'hard'))
  execFileSync('mkfifo', [join(allowed, 'pipe')])
  writeFileSync(join(allowed, 'large.txt'), Buffer.alloc(9 * 1024 * 1024, 'x'))
  const paths = [
    secret,
    join(allowed, 'link'),
    join(allowed, 'folder', 'secret.txt'),
    join(allowed, 'hard'),
    join(allowed, 'pipe'),
    `${allowed}/../beside/secret.txt`,
    'note.txt',
    '/dev/zero',
    '/etc/hostname',
    allowed,
    join(allowed, 'missing'),
    join(directory, 'data'),
    `${allowed}/note.txt\0`,
  ]
  const refusals = await Promise.all(paths.map((path) => text('f_echo', { content: { $file: path } })))
  expect(new Set(refusals).size).toBe(1)
  expect(refusals[0]).toMatch(/^f_echo was not called\. No such file, or none that may be read here/)
  expect(await text('f_echo', { content: { $file: join(allowed, 'large.txt') } })).toMatch(
    /9437184 bytes; 8388608 are the most/,
  )
})

test('where no directory is allowed it is an object like any other', async () => {
  const { text, allowed } = await startWorld({ 'note.txt': 'a note' }, 'nobody')
  const content = { $file: join(allowed, 'note.txt') }
  expect(JSON.parse(await text('f_echo', { content }))).toEqual({ content })
  const more = { $$file: 'x' }
  expect(JSON.parse(await text('f_echo', { more }))).toEqual({ more })
})

test('what a file holds is not read for references', async () => {
  const { text, allowed } = await startWorld({ 'a.txt': '{"$file": "/etc/hostname"}' }, 'operator')
  expect(JSON.parse(await text('f_echo', { content: { $file: join(allowed, 'a.txt') } }))).toEqual({
    content: '{"$file": "/etc/hostname"}',
  })
  expect(JSON.parse(await text('f_echo', { other: { $$file: 'x' } }))).toEqual({ other: { $file: 'x' } })
})

test('a file that is kept is sent on without passing through the model', async () => {
  const pdf = madePdf(['Hello'], 60_000)
  const { call, text } = await startWorld({ 'a.pdf': pdf }, 'nobody')
  const $from = handleOf(await call('f_read', { name: 'a.pdf' }))
  const base64 = {
    content: { length: pdf.toString('base64').length, sha256: digestOf(pdf.toString('base64')) },
  }
  for (const content of [{ $from, as: 'base64' }, { $from: `rlm://${$from}/0` }])
    expect(JSON.parse(await text('f_echo', { content }))).toMatchObject(base64)
  expect(await text('f_echo', { content: { $from, as: 'data-uri' } })).toContain(
    'data:application/pdf;base64,',
  )
  expect(JSON.parse(await text('f_echo', { content: { $from: `rlm://${$from}` } }))).toEqual({
    content: '# Page 1\n\nHello',
  })
  expect(await text('f_echo', { content: { $from: `rlm://${$from}/3` } })).toMatch(/Which file of cache_id/)
  expect(await text('f_echo', { content: { $from: `rlm://${'a'.repeat(25)}/0` } })).toMatch(
    /No kept result has cache_id/,
  )
})
