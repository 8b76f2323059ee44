/**
 * Every question of the recorded corpus, asked again. Each answer that differs from the recorded one has to be judged in
 * `test/corpus/judged`: better, or equal in another form. The list of all differences is written to `.tmp/corpus.txt`.
 *
 * `CORPUS=written,tests` asks some files alone, `CORPUS_ID=1a2b3c4d` some questions, `CORPUS_NOTES=1` shows other remarks as well.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type Answered, answer, documentsOfCorpus, type Row, readCorpus } from '../corpus/corpus.ts'

/** Several questions that differ for one reason. */
interface Judged {
  readonly verdict: 'better' | 'equal'
  readonly reason: string
  readonly ids: readonly string[]
}

/** A file for each part of the engine, so that work on several of them meets nowhere. */
const folder = new URL('../corpus/judged/', import.meta.url)
const judged = readdirSync(folder).flatMap(
  (name) => JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as readonly Judged[],
)
const known = new Set(judged.flatMap(({ ids }) => ids))
const withNotes = process.env.CORPUS_NOTES !== undefined
const onlyIds = process.env.CORPUS_ID?.split(',')

/** How two answers differ, the worst first; undefined where they do not. */
function differenceOf(before: Answered, now: Answered): string | undefined {
  if (before.refused === '' && now.refused !== '') return 'LOST: answered before, refused now'
  if (before.refused === '' && before.rows > 0 && now.rows === 0)
    return 'LOST: found something, finds nothing'
  if (before.refused !== '' && now.refused === '') return 'NEW: refused before, answered now'
  if (before.refused === '' && before.rows === 0 && now.rows > 0) return 'NEW: found nothing, finds something'
  if (before.rows !== now.rows || before.matched !== now.matched) return 'COUNT: other rows'
  if (before.hash !== now.hash) return 'ROWS: as many rows, others'
  return withNotes && before.notes !== now.notes ? 'notes' : undefined
}

/** Beginnings of the kinds of differences, the worst first. */
const ORDER = ['LOS', 'COU', 'ROW', 'NEW', 'not']

const asAnswered = ([, , , , matched, rows, hash, refused, notes, sample]: Row): Answered => {
  return { matched, rows, hash, refused, notes, sample }
}

const told = ({ matched, rows, refused, notes, sample }: Answered): string =>
  refused === ''
    ? `${matched} matched, ${rows} rows ${sample}${notes && ` (${notes})`}`
    : `refused: ${refused}`

test('every recorded question is answered as it was, or better', { timeout: 600_000 }, async () => {
  const open = await documentsOfCorpus()
  const differences: { id: string; kind: string; text: string }[] = []
  const corpus = readCorpus(process.env.CORPUS?.split(','))
  for (const row of corpus) {
    const [id, kind, docs, params] = row
    if (onlyIds !== undefined && !onlyIds.includes(id)) continue
    const before = asAnswered(row)
    const now = answer({ kind, docs, params }, open)
    const difference = differenceOf(before, now)
    if (difference === undefined) continue
    const head = `${id} ${kind} ${docs.join('+')} ${JSON.stringify(params)}`
    differences.push({
      id,
      kind: difference,
      text: `${difference}\n  ${head}\n  then: ${told(before)}\n  now:  ${told(now)}`,
    })
  }
  differences.sort(
    (one, other) => ORDER.indexOf(one.kind.slice(0, 3)) - ORDER.indexOf(other.kind.slice(0, 3)),
  )
  const unjudged = differences.filter(({ id }) => !known.has(id))
  const count = (list: typeof differences): string =>
    [...new Set(list.map(({ kind }) => kind))]
      .map((kind) => `${list.filter((each) => each.kind === kind).length} ${kind}`)
      .join('; ')
  mkdirSync('.tmp', { recursive: true })
  const summary = `${corpus.length} questions, ${differences.length} differences (${count(differences)}), not judged: ${unjudged.length} (${count(unjudged)})`
  writeFileSync('.tmp/corpus.txt', `${[summary, ...unjudged.map(({ text }) => text)].join('\n')}\n`)
  expect(unjudged.map(({ text }) => text).slice(0, 40), `${summary}; all in .tmp/corpus.txt`).toEqual([])
})
