/** Each repair, and each way to read a name, is there for a question of the recorded corpus that nothing else answers so. */
import { expect, test } from 'vitest'
import { REPAIRS } from '../../src/query/conditions/repairs.ts'
import { LADDER } from '../../src/query/fields/fields.ts'
import { answer, documentsOfCorpus, readCorpus } from '../corpus/corpus.ts'

const corpus = new Map(readCorpus().map((row) => [row[0], row]))

/** The answer where every document is opened again, so that nothing is remembered. */
async function answered(id: string): Promise<string> {
  const row = corpus.get(id)
  if (!row) throw new Error(`the corpus has no question ${id}`)
  const [, kind, docs, params] = row
  const { matched, hash, refused } = answer({ kind, docs, params }, await documentsOfCorpus())
  return `${matched} ${hash} ${refused === '' ? '' : 'refused'}`
}

const lists = [
  ...REPAIRS.map((one) => ({ ...one, list: REPAIRS })),
  ...LADDER.map((one) => ({ ...one, list: LADDER })),
]

test.each(lists)('only $name answers $mends as it is answered', async ({ name, mends, list }) => {
  const entries = list as unknown as { name: string }[]
  const at = entries.findIndex((one) => one.name === name)
  const before = await answered(mends)
  const removed = entries.splice(at, 1)
  try {
    expect(await answered(mends)).not.toBe(before)
  } finally {
    entries.splice(at, 0, ...removed)
  }
})
