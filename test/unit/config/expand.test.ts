import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { expand } from '../../../src/config/expand.ts'
import { verifies } from '../../support/verifies.ts'

const around = { env: { HOME: '/me', EMPTY: '' }, cwd: '/home/me/shop', home: '/me' }
const text = (value: string): string => expand(value, around).text

describe('expand', () => {
  verifies('S1.30', 'fills in variables and defaults', () => {
    expect(text('a ${HOME} b ${HOME}/c')).toBe('a /me b /me/c')
    expect(text('${env:HOME}')).toBe('/me')
    expect(text('${NO:-fall back}|${EMPTY:-x}|${EMPTY}|${NO:-}')).toBe('fall back|x||')
  })

  verifies('S1.30', 'tells which variables are not set and leaves them', () => {
    expect(expand('${NO} ${NEITHER} ${HOME}', around)).toEqual({
      text: '${NO} ${NEITHER} /me',
      missing: ['NO', 'NEITHER'],
      inputs: [],
    })
  })

  test('knows the variables of editors', () => {
    expect(text('${workspaceFolder}${/}x')).toBe('/home/me/shop/x')
    expect(text('${workspaceFolderBasename} ${userHome}')).toBe('shop /me')
    expect(expand('${input:token}', around)).toMatchObject({
      text: '${input:token}',
      inputs: ['token'],
      missing: [],
    })
  })

  test('keeps text that is not a variable', () => {
    for (const plain of ['$HOME', '${a.b}', '${x%y}', '${}', '${', '$', '${HOME', '$(HOME)', '${1}']) {
      expect(expand(plain, around)).toEqual({ text: plain, missing: [], inputs: [] })
    }
    expect(text('$${HOME}')).toBe('${HOME}')
  })

  test('looks up own variables only', () => {
    expect(expand('${constructor} ${__proto__}', around).missing).toEqual(['constructor', '__proto__'])
  })

  test('a value is never expanded again', () => {
    fc.assert(
      fc.property(fc.string(), (value) => {
        expect(expand('<${V}>', { ...around, env: { V: value } }).text).toBe(`<${value}>`)
      }),
    )
  })

  test('texts without a dollar sign stay as they are', () => {
    fc.assert(
      fc.property(
        fc.string().filter((value) => !value.includes('$')),
        (value) => {
          expect(text(value)).toBe(value)
        },
      ),
    )
  })
})
