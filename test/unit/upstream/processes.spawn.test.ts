import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { spawnOf } from '../../../src/upstream/processes.ts'

test('Node starts commands, but for Windows', () => {
  expect([spawnOf('linux'), spawnOf('darwin')]).toEqual([spawn, spawn])
  expect(spawnOf('win32')).not.toBe(spawn)
})

test('what starts them on Windows gives the same process', async () => {
  const args = ['-e', 'process.stdin.pipe(process.stdout)', 'a "quoted" & %PATH% argument']
  const child = spawnOf('win32')(process.execPath, args, { stdio: 'pipe' })
  expect(child.spawnargs.slice(1)).toEqual(args)
  child.stdin.end('echo')
  const [[said], [code]] = await Promise.all([once(child.stdout, 'data'), once(child, 'close')])
  expect([String(said), code]).toEqual(['echo', 0])
})
