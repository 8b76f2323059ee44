import { randomUUID } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  decodeVectors,
  encodeVectors,
  openExactIndex,
  VECTORS_FILE,
} from '../../../../src/discovery/vectors/exact.ts'
import { VectorMatrix } from '../../../../src/discovery/vectors/vector-index.ts'
import { silentLogger } from '../../../../src/observe/log.ts'
import { vectorsContract } from '../../../contract/vectors.ts'
import { runs } from '../../../support/runs.ts'
import { verifies } from '../../../support/verifies.ts'

let root: string
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'vectors-'))
})
afterAll(() => rm(root, { recursive: true, force: true }))

const folder = () => join(root, randomUUID())
const open = (directory: string | undefined, reset = false, warnings: string[] = []) =>
  openExactIndex({
    directory,
    reset,
    logger: { ...silentLogger, warn: (_, message) => warnings.push(message) },
  })
const one = { id: 7, vector: Float32Array.of(3, 4) }

vectorsContract('in memory', () => open(undefined))
vectorsContract('with a file', () => open(folder()))

describe('the file of vectors', () => {
  verifies(
    'S1.20 S1.22',
    'is there in the next run, under the same numbers, for the owner alone',
    async () => {
      const directory = folder()
      const first = await open(directory)
      await first.put([one, { id: 2 ** 52 - 1, vector: Float32Array.of(-1, 0) }])
      await first.close()
      expect((await stat(join(directory, VECTORS_FILE))).mode & 0o777).toBe(0o600)
      expect(await readdir(directory)).toEqual([VECTORS_FILE])

      const second = await open(directory)
      expect(await second.has([7, 2 ** 52 - 1])).toEqual(new Set([7, 2 ** 52 - 1]))
      expect(await second.search(Float32Array.of(3, 4), 1)).toEqual([
        { id: 7, similarity: expect.closeTo(1, 5) },
      ])
      await second.keep(new Set([7]))
      await second.close()
      expect(await (await open(directory)).has([7, 2 ** 52 - 1])).toEqual(new Set([7]))
    },
  )

  verifies('S1.22', 'is made again when it was deleted', async () => {
    const directory = folder()
    const first = await open(directory)
    await first.put([one])
    await first.close()
    await rm(join(directory, VECTORS_FILE))
    const warnings: string[] = []
    const second = await open(directory, false, warnings)
    expect(await second.has([7])).toEqual(new Set())
    await second.put([one])
    await second.close()
    expect(warnings).toEqual([])
    expect(await (await open(directory)).has([7])).toEqual(new Set([7]))
  })

  verifies('S1.22', 'is set aside when it is damaged, wherever that is', async () => {
    const directory = folder()
    const first = await open(directory)
    await first.put([one])
    await first.close()
    const file = join(directory, VECTORS_FILE)
    const good = await readFile(file)
    const damaged = [good.subarray(0, good.length - 1), Buffer.alloc(0), Buffer.from('{"not": "vectors"}')]
    for (let at = 0; at < good.length; at++) {
      const bytes = Buffer.from(good)
      bytes[at] = (bytes[at] ?? 0) ^ 0x40
      damaged.push(bytes)
    }
    for (const bytes of damaged) {
      await writeFile(file, bytes)
      const warnings: string[] = []
      const index = await open(directory, false, warnings)
      expect(await index.has([7])).toEqual(new Set())
      expect(warnings).toHaveLength(1)
      expect(await readFile(`${file}.broken`)).toEqual(Buffer.from(bytes))
      await index.put([one])
      await index.close()
    }
    expect(await (await open(directory)).has([7])).toEqual(new Set([7]))
  })

  verifies('S1.45', 'is removed by a reset', async () => {
    const directory = folder()
    const first = await open(directory)
    await first.put([one])
    await first.close()
    expect(await (await open(directory, true)).has([7])).toEqual(new Set())
    expect(await readdir(directory)).toEqual([])
  })

  test('that cannot be written costs one line in the log, not the search', async () => {
    const directory = folder()
    await writeFile(directory, 'a file where the folder should be')
    const warnings: string[] = []
    const index = await open(directory, false, warnings)
    warnings.length = 0
    await index.put([one])
    await index.close()
    await index.put([{ id: 8, vector: Float32Array.of(1, 0) }])
    await index.close()
    expect(await index.search(Float32Array.of(3, 4), 1)).toHaveLength(1)
    expect(warnings).toEqual(['vectors could not be saved; they are kept in memory'])
  })

  test('two processes on one folder: the later file stays, and both are whole', async () => {
    const directory = folder()
    const [a, b] = await Promise.all([open(directory), open(directory)])
    await Promise.all([1, 2, 3].map((id) => a.put([{ id, vector: Float32Array.of(id, 1) }])))
    await Promise.all([1, 2, 3].map((id) => b.put([{ id, vector: Float32Array.of(id, 1) }])))
    await Promise.all([a.close(), b.close()])
    expect(await readdir(directory)).toEqual([VECTORS_FILE])
    expect(await (await open(directory)).has([1, 2, 3])).toEqual(new Set([1, 2, 3]))
  })

  test('what is written is read', async () => {
    const float = fc.float({ noNaN: true, noDefaultInfinity: true })
    const vector = fc.float32Array({ minLength: 3, maxLength: 3, noNaN: true, noDefaultInfinity: true })
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.maxSafeNat(), { maxLength: 8 }),
        vector,
        float,
        async (ids, base, last) => {
          const matrix = new VectorMatrix()
          matrix.put(ids.map((id) => ({ id, vector: Float32Array.of(base[0] ?? 0, base[1] ?? 0, last) })))
          const read = await decodeVectors(await encodeVectors(matrix))
          expect(read.map(({ id }) => id)).toEqual(ids)
          expect(read.flatMap(({ vector }) => [...vector])).toEqual([...matrix.values])
        },
      ),
      { numRuns: runs(50) },
    )
  })
})
