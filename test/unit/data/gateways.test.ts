import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { gatewayAt, gatewayPlace, runningGateways, takePlace } from '../../../src/data/gateways.ts'

function surroundings(env: Record<string, string> = {}) {
  const home = mkdtempSync(join(tmpdir(), 'gateways-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  const file = join(home, 'mcp.json')
  writeFileSync(file, '{}')
  return { file, at: { env, cwd: home, home, temporary: home, platform: 'linux' } }
}

test('a place is for one file and the settings laid over it', () => {
  const { at, file } = surroundings()
  const other = join(at.home, 'other.json')
  writeFileSync(other, '{}')
  const sockets = [
    gatewayPlace(at, file),
    gatewayPlace(at, other),
    gatewayPlace(at, file, { exposure: 'retrieve' }),
    gatewayPlace({ ...at, env: { MCPPROXY_EXPOSURE: 'retrieve' } }, file),
  ].map(({ socket }) => socket)
  expect(new Set(sockets).size).toBe(4)
  expect(gatewayPlace({ ...at, env: { OTHER: '1' } }, file, { exposure: undefined }).socket).toBe(sockets[0])
})

test('one process at a time has a place, and a note of a process that ended is no obstacle', () => {
  const { at, file } = surroundings()
  const place = gatewayPlace(at, file)
  const note = { ...place, config: file, version: '1', process: { pid: 2 ** 30, host: 'x', born: 1 } }
  writeFileSync(place.note, JSON.stringify({ ...note, process: { ...note.process, host: '' } }))
  writeFileSync(place.note, JSON.stringify(note))
  // It may run on another machine, which has the same disk.
  expect(takePlace(place, file)).toBeUndefined()
  rmSync(place.note)
  const leave = takePlace(place, file)
  expect(gatewayAt(place)).toMatchObject({ config: file, process: { pid: process.pid } })
  expect(runningGateways(at)).toHaveLength(1)
  expect(takePlace(place, file)).toBeUndefined()
  const dead = { ...gatewayAt(place), process: { ...gatewayAt(place)?.process, pid: 2 ** 30 } }
  writeFileSync(place.note, JSON.stringify(dead))
  expect(runningGateways(at)).toEqual([])
  expect(takePlace(place, file)).toBeTypeOf('function')
  leave?.()
  expect(runningGateways(at)).toEqual([])
  writeFileSync(place.note, 'no note')
  expect(takePlace(place, file)).toBeTypeOf('function')
})

test('a folder that others may enter is refused, and a long path has its socket elsewhere', () => {
  const { at, file } = surroundings()
  const long = join(at.home, 'x'.repeat(100))
  mkdirSync(long)
  const { socket } = gatewayPlace({ ...at, env: { MCPPROXY_DATA_DIR: long } }, file)
  expect(Buffer.byteLength(socket)).toBeLessThanOrEqual(103)
  gatewayPlace(at, file)
  chmodSync(join(at.home, '.mcpproxy', 'gateways'), 0o755)
  expect(() => gatewayPlace(at, file)).toThrow('is open to other users')
})
