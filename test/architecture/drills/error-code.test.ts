/** Adding an error code is one entry in `ERROR_CODES` of `src/protocol/errors.ts`, besides the place that throws it. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type * as Generate from '../../../src/config/generate.ts'
import type * as Errors from '../../../src/protocol/errors.ts'
import type * as OnTheWire from '../../../src/server/errors.ts'
import { plantedCopy } from '../../support/planted.ts'
import { faultsOf } from '../errors-in-code.ts'

const copy = plantedCopy('error-code')
afterAll(() => copy.remove())

const ENTRY = `  MOON_HIDDEN: {
    meaning: 'The moon is not there.',
    next: 'Wait for the night.',
    from: ['data'],
    exits: ['rpc'],
    rpc: RPC.requestTimeout,
  },
`

const THROWING = `import { ProxyError } from '../protocol/errors.ts'

export function moon(): never {
  throw new ProxyError('MOON_HIDDEN', 'There is no moon.', 'Wait for the night.')
}
`

test('a new error code works, is documented and is checked with one entry', async () => {
  copy.insert('src/protocol/errors.ts', '  CANCELLED: {', ENTRY)
  copy.write('src/data/moon.ts', THROWING)
  const { ERROR_CODES, RPC_ERRORS } = await copy.load<typeof Errors>('src/protocol/errors.ts')
  const tables = { errors: ERROR_CODES, rpc: RPC_ERRORS }
  expect(faultsOf(join(copy.folder, 'src'), tables)).toEqual([])

  const { moon } = await copy.load<{ moon: () => never }>('src/data/moon.ts')
  const { toRpcError } = await copy.load<typeof OnTheWire>('src/server/errors.ts')
  expect(thrownBy(() => moon(), toRpcError)).toEqual({
    code: -32001,
    message: 'There is no moon.\nWait for the night.',
    data: { code: 'MOON_HIDDEN' },
  })

  const { errorsTable } = await copy.load<typeof Generate>('src/config/generate.ts')
  expect(errorsTable()).toContain(
    '| `MOON_HIDDEN` | The moon is not there. | Wait for the night. | `src/data` | JSON-RPC | -32001 |',
  )
  expect(readFileSync(join(copy.folder, 'docs/errors.md'), 'utf8')).not.toContain(errorsTable())

  writeFileSync(join(copy.folder, 'src/data/moon.ts'), 'export const moon = 1\n')
  expect(faultsOf(join(copy.folder, 'src'), tables)).toEqual([
    'MOON_HIDDEN is thrown in no folder, and the table says data',
  ])
})

function thrownBy(action: () => never, toRpcError: typeof OnTheWire.toRpcError): object {
  try {
    return action()
  } catch (error) {
    return toRpcError(error).toJSON()
  }
}
