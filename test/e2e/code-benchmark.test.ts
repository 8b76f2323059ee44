/** The benchmark of questions about CSV files, over a directory in the published format that is made up here. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory } from './support/world.ts'

interface DaBench {
  measureDaBench(directory: string): Promise<Record<string, unknown>>
}

const { measureDaBench } = (await import(
  new URL('../../benchmarks/code/dabench.mjs', import.meta.url).href
)) as DaBench

const asks = (id: number, question: string, names: string[], constraints = ''): object => ({
  id,
  question,
  constraints,
  format: names.map((name) => `@${name}[x] rounded to three decimal places`).join('\n'),
  file_name: 'trees.csv',
  level: 'easy',
})

const QUESTIONS = [
  asks(1, 'Calculate the mean and the median of the "Height" column.', ['mean_height', 'median_height']),
  asks(2, 'What is the standard deviation of the trunk width?', ['std_trunk_width']),
  asks(3, 'What is the correlation coefficient between Height and Trunk Width?', ['correlation_coefficient']),
  asks(4, 'How many outliers are there in the Height column?', ['outlier_count'], 'Use the IQR method.'),
  asks(5, 'How many missing values are there in the Trunk Width column?', ['missing_values']),
  asks(6, 'What is the skewness of the Height column?', ['skewness']),
  asks(7, 'What is the mean Height?', ['mean_height']),
  // No rule is sure of these.
  asks(8, 'What is the mean Height for each Kind?', ['mean_height']),
  asks(9, 'Is the Height normally distributed?', ['is_normal']),
  asks(10, 'How strong is the correlation between Height and Trunk Width?', ['correlation_strength']),
  asks(11, 'What is the mean Depth?', ['mean_depth']),
]

const LABELS: Record<number, [string, string][]> = {
  1: [
    ['mean_height', '6.0'],
    ['median_height', '4.0'],
  ],
  2: [['std_trunk_width', '1.291']],
  3: [['correlation_coefficient', '1.0']],
  4: [['outlier_count', '1']],
  5: [['missing_values', '1']],
  6: [['skewness', '2.024']],
  // Wrong, so that not all is right.
  7: [['mean_height', '7']],
}

test('programs by rule answer what they are sure of, and what is wrong is told', async () => {
  const folder = temporaryDirectory()
  const lines = (rows: object[]): string => rows.map((row) => JSON.stringify(row)).join('\n')
  writeFileSync(join(folder, 'da-dev-questions.jsonl'), lines(QUESTIONS))
  writeFileSync(
    join(folder, 'da-dev-labels.jsonl'),
    lines(Object.entries(LABELS).map(([id, answers]) => ({ id: Number(id), common_answers: answers }))),
  )
  mkdirSync(join(folder, 'da-dev-tables'))
  const rows = ['Kind,Height,Trunk Width', 'oak,2,1', 'oak,3,2', 'ash,4,3', 'ash,5,4', 'ash,16,']
  writeFileSync(join(folder, 'da-dev-tables', 'trees.csv'), `${rows.join('\n')}\n`)
  const found = await measureDaBench(folder)
  expect(found.wrong).toEqual([expect.objectContaining({ id: 7, label: LABELS[7] })])
  expect(found).toMatchObject({ questions: 11, asked: 7, right: 6 })
})

test('a folder without the data is told how to get it', async () => {
  await expect(measureDaBench(temporaryDirectory())).rejects.toThrow(/github\.com\/InfiAgent\/InfiAgent/)
})
