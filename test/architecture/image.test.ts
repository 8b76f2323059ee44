import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { loadConfig } from '../../src/config/load-program.ts'
import { settingRows } from '../../src/config/options.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (name: string): string => readFileSync(join(root, name), 'utf8')

/** Instructions of the Dockerfile, the lines of each joined. */
const instructions = read('Dockerfile')
  .replaceAll(/\\\n\s*/g, ' ')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)] as const)
const last = instructions.slice(instructions.findLastIndex(([name]) => name === 'FROM'))
const all = (name: string): string[] => last.filter(([one]) => one === name).map(([, text]) => text)

test('the image is built in a stage of its own, and runs as a user without rights', () => {
  expect(instructions.filter(([name]) => name === 'FROM')).toHaveLength(2)
  expect(instructions[0]?.[1]).toMatch(/ AS build$/)
  expect(all('USER')).toEqual(['1000'])
  const [user, entry] = ['USER', 'ENTRYPOINT'].map((name) => last.findIndex(([one]) => one === name))
  expect(user).toBeLessThan(entry as number)
})

test('it copies files that exist, and sets variables that the proxy reads', () => {
  const copied = instructions.filter(([name, text]) => name === 'COPY' && !text.startsWith('--from'))
  const sources = copied.flatMap(([, text]) => text.split(' ').slice(0, -1))
  expect(sources.length).toBeGreaterThan(3)
  expect(sources.filter((name) => !existsSync(join(root, name)))).toEqual([])
  const known = settingRows().flatMap(({ env }) => env)
  const set = [
    ...all('ENV')
      .join(' ')
      .matchAll(/\b(MCPPROXY_\w+)=/g),
  ].map(([, name]) => name as string)
  expect(set.length).toBeGreaterThan(3)
  expect(set.filter((name) => !known.includes(name))).toEqual([])
})

test('the example of replicas names files that exist, and settings that count', () => {
  const folder = join(root, 'examples/replicas')
  const compose = parse(read('examples/replicas/compose.yaml'), { merge: true })
  const services = Object.values(compose.services) as { volumes?: string[] }[]
  const mounted = services.flatMap(({ volumes = [] }) => volumes).map((volume) => volume.split(':')[0] ?? '')
  const files = mounted.filter((source) => source.startsWith('./'))
  expect(files).toContain('./mcp.json')
  expect(files.filter((file) => !existsSync(join(folder, file)))).toEqual([])
  expect(mounted.filter((source) => !files.includes(source) && !(source in compose.volumes))).toEqual([])
  const env = { SESSIONS_KEY: 'a key that all replicas have', STORE_KEY: 'a key of the store' }
  const { config, warnings } = loadConfig({ path: join(folder, 'mcp.json'), env, cwd: folder, home: folder })
  expect(warnings).toEqual([])
  expect(config.settings.store).toMatchObject({ url: 'valkey://valkey:6379' })
  expect(Number.parseInt(compose['x-replica'].stop_grace_period, 10)).toBeGreaterThan(
    config.settings.drain.callSeconds + 8,
  )
})

test('it starts the command of the package, and asks its own health, at the port that the page publishes', () => {
  const { bin } = JSON.parse(read('package.json'))
  expect(JSON.parse(all('ENTRYPOINT')[0] ?? '[]')).toEqual([
    'node',
    `node_modules/mcp-rlm-proxy/${bin['mcp-rlm-proxy']}`,
  ])
  const [, port = ''] = /MCPPROXY_PORT=(\d+)/.exec(all('ENV').join(' ')) ?? []
  expect(all('EXPOSE')).toEqual([port])
  expect(all('HEALTHCHECK')[0]).toContain(`http://127.0.0.1:${port}/livez`)
  const page = read('docs/operations.md')
  expect(page).toContain(`:${port}:${port} `)
  expect(page).toContain(`:${all('VOLUME')[0]} `)
})
