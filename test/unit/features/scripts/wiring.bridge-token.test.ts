import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { bridgeToken } from '../../../../src/features/scripts/index.ts'
import { temporaryFolder } from '../../../support/upstream.ts'
import { verifies } from '../../../support/verifies.ts'

verifies('S4.54', 'a token is made once, long, and readable by its owner alone', () => {
  const folder = join(temporaryFolder(), 'data')
  const { token, path } = bridgeToken(folder)
  expect(token).toMatch(/^mrp_[\w-]{43}$/)
  expect(readFileSync(path, 'utf8')).toBe(`${token}\n`)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(readdirSync(folder)).toEqual(['bridge-token'])
  expect(bridgeToken(folder)).toEqual({ token, path })
  rmSync(path)
  expect(bridgeToken(folder).token).not.toBe(token)
})

test('a file that cannot be trusted ends the start with what to do', () => {
  const folder = temporaryFolder()
  const { path, token } = bridgeToken(folder)
  const refused = (reason: string): void => {
    const wanted = expect.objectContaining({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining(reason),
    })
    expect(() => bridgeToken(folder)).toThrow(wanted)
  }
  chmodSync(path, 0o644)
  refused('others can read it')
  rmSync(path)
  for (const content of ['', 'short', `${token} ${token}`, `${token}\nmore`]) {
    writeFileSync(path, content, { mode: 0o600 })
    refused('it holds no token')
    rmSync(path)
  }
  const elsewhere = join(folder, 'elsewhere')
  writeFileSync(elsewhere, token, { mode: 0o600 })
  symlinkSync(elsewhere, path)
  refused('it is no ordinary file')
  rmSync(path)
  mkdirSync(path)
  refused('it is no ordinary file')
})
