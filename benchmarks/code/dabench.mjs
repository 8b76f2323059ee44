/**
 * InfiAgent-DABench: questions with closed answers about CSV files, answered by one program each. Programs are written by rule: from the names
 * of the answers (`mean_fare`) what is computed, from the question the columns. A question for which no rule is sure (it filters, derives,
 * tests, groups) gets no program and is not counted. A run uses the labels only to compare at the end, as the published evaluation does
 * (rounded, equal to 10^-6); the rules themselves were mended after a look at wrong answers.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { handleIn, openWorld, SERVERS, tokensOf } from './world.mjs'

const QUESTIONS = 'da-dev-questions.jsonl'
const LABELS = 'da-dev-labels.jsonl'
const TABLES = 'da-dev-tables'

/** @returns {Promise<object>} how many questions there are, were asked and answered, and the tokens of an answer beside those of the file */
export async function measureDaBench(directory) {
  const folder = resolve(directory)
  for (const name of [QUESTIONS, LABELS, TABLES])
    if (!existsSync(join(folder, name)))
      throw new Error(
        `${join(folder, name)} is missing. --data is the folder examples/DA-Agent/data of github.com/InfiAgent/InfiAgent (CC BY-NC 4.0): git clone it and name that folder.`,
      )
  const labels = new Map(linesOf(join(folder, LABELS)).map((one) => [one.id, one.common_answers]))
  const questions = linesOf(join(folder, QUESTIONS))
  const world = await openWorld({ mcpServers: { files: SERVERS.files(join(folder, TABLES)) } })
  const seen = { asked: 0, right: 0, tokens: 0, raw: 0 }
  const wrong = []
  try {
    await world.request('tools/list', {})
    for (const question of questions) {
      const path = join(folder, TABLES, question.file_name)
      if (!existsSync(path)) continue
      const text = readFileSync(path, 'utf8')
      const program = programFor(question, columnsOf(text))
      if (program === undefined) continue
      const asked = { tool: 'files_read_text_file', arguments: { path } }
      const preview = await world.call('proxy_explore', asked)
      const answer = await world.call('proxy_code', { cache_id: handleIn(preview.text), code: program })
      seen.asked++
      seen.tokens += preview.tokens + answer.tokens
      seen.raw += tokensOf(text)
      if (isRight(answer, labels.get(question.id) ?? [])) seen.right++
      else wrong.push({ id: question.id, answer: answer.text.slice(0, 200), label: labels.get(question.id) })
    }
  } finally {
    await world.close()
  }
  const { asked, right, tokens, raw } = seen
  const per = (sum) => Math.round(sum / Math.max(1, asked))
  return { questions: questions.length, asked, right, tokens: per(tokens), raw: per(raw), wrong }
}

function linesOf(file) {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line))
}

function isRight({ text, failed }, label) {
  if (failed) return false
  let answer
  try {
    answer = JSON.parse(text.split('\n\n')[0])
  } catch {
    return false
  }
  return label.every(([name, value]) => Math.abs(Number(answer[name]) - Number(value)) <= 1e-6)
}

// Programs by rule.

/** What is computed, by a word of the answer's name: JavaScript of `x`, numbers of a column, or of the names of two columns. */
const MEASURES = [
  [/^(?:mean|average|avg)$/, 'mean(x)', ['mean']],
  [/^median$/, 'quantile(x, 0.5)', ['quantile']],
  [/^(?:std|sd|stddev|deviation)$/, 'std(x)', ['mean', 'std']],
  [/^(?:min|minimum)$/, 'Math.min(...x)', []],
  [/^(?:max|maximum)$/, 'Math.max(...x)', []],
  [/^skew(?:ness)?$/, 'skew(x)', ['mean', 'skew']],
  [/^(?:correlation|corr)$/, 'corr(a, b)', ['mean', 'corr']],
  [/^(?:missing|null)$/, 'rows.filter((row) => row[name] === null || row[name] === "").length', []],
  [/^outliers?$/, 'outliers(x)', ['quantile', 'outliers']],
]

/** In the place of the rule of quartiles, where a question names Z-scores. */
const BY_Z_SCORE = [/^outliers?$/, 'far(x)', ['mean', 'far']]

const HELPERS = {
  mean: 'const mean = (x) => x.reduce((sum, one) => sum + one, 0) / x.length',
  quantile:
    'const quantile = (x, q) => { const s = [...x].sort((a, b) => a - b), at = (s.length - 1) * q, low = Math.floor(at); return s[low] + (at - low) * ((s[low + 1] ?? s[low]) - s[low]) }',
  std: 'const std = (x) => { const m = mean(x); return Math.sqrt(x.reduce((sum, one) => sum + (one - m) ** 2, 0) / (x.length - 1)) }',
  skew: 'const skew = (x) => { const n = x.length, m = mean(x), moment = (k) => mean(x.map((one) => (one - m) ** k)); return Math.sqrt(n * (n - 1)) / (n - 2) * moment(3) / moment(2) ** 1.5 }',
  corr: 'const corr = (a, b) => { const all = rows.map((row) => [number(row[a]), number(row[b])]).filter(([u, v]) => !Number.isNaN(u + v)), mu = mean(all.map(([u]) => u)), mv = mean(all.map(([, v]) => v)), s = (f) => all.reduce((sum, [u, v]) => sum + f(u - mu, v - mv), 0); return s((u, v) => u * v) / Math.sqrt(s((u) => u * u) * s((_, v) => v * v)) }',
  far: 'const far = (x) => { const m = mean(x), s = Math.sqrt(mean(x.map((one) => (one - m) ** 2))); return x.filter((one) => Math.abs(one - m) / s > 3).length }',
  outliers:
    'const outliers = (x) => { const [low, high] = [quantile(x, 0.25), quantile(x, 0.75)], reach = 1.5 * (high - low); return x.filter((one) => one < low - reach || one > high + reach).length }',
}

/** Words of what no rule is sure of: conditions, groups, derived columns, other definitions than the usual ones. */
const UNSURE =
  /\b(?:each|every|group|among|filter|only|those|who|after|before|remov\w*|prun\w*|normali[sz]\w*|standardi[sz]\w*|scal\w*|new|creat\w*|generat\w*|differ\w*|comput\w+ .* by|test|percentage|ratio|rate|duration|population|impute\w*|fill\w*|replac\w*|drop\w*|predict\w*|model|regress\w*|column names?|countr\w+|per|(?<!(?:paid|scored|incurred|received|recorded) )by|exclud\w*|transform\w*|log|convert\w*|unique|total|sum|highest|lowest|top|bins?|categor\w*|year|month|day)\b/i

/** @returns {string | undefined} */
function programFor({ question, constraints, format }, columns) {
  const names = [...format.matchAll(/@(\w+)\[/g)].map(([, name]) => name)
  const said = columns.reduce((text, name) => text.replaceAll(name, ' '), question)
  if (
    names.length === 0 ||
    UNSURE.test(said) ||
    /outliers? (?:are|should) |population|spearman/i.test(constraints)
  )
    return undefined
  const isFar = /z-?score/i.test(`${question} ${constraints}`)
  const wanted = names.map(measureOf).map((one) => (isFar && one?.[1] === 'outliers(x)' ? BY_Z_SCORE : one))
  if (wanted.some((one) => one === undefined)) return undefined
  const mentioned = columnsIn(question, columns)
  const needed = wanted.some(([, code]) => code.startsWith('corr')) ? 2 : 1
  if (mentioned.length !== needed || wanted.some(([, code]) => code.startsWith('corr') !== (needed === 2)))
    return undefined
  const places = decimalsIn(`${format} ${constraints} ${question}`)
  const helpers = Object.keys(HELPERS).filter((name) => wanted.some(([, , uses]) => uses.includes(name)))
  const [a, b] = mentioned.map((name) => JSON.stringify(name))
  const entries = names.map((name, at) => {
    const code = wanted[at][1].replace('corr(a, b)', `corr(${a}, ${b})`).replaceAll('row[name]', `row[${a}]`)
    return `  ${name}: round(${code}),`
  })
  return [
    `const rows = await d.rows({ fields: [${[a, b].filter(Boolean).join(', ')}] })`,
    'const number = (one) => (one === null || one === "" ? NaN : Number(String(one).replaceAll(",", "")))',
    ...(needed === 1
      ? [`const x = rows.map((row) => number(row[${a}])).filter((one) => !Number.isNaN(one))`]
      : []),
    ...helpers.map((name) => HELPERS[name]),
    `const round = (one) => Number(one.toFixed(${places}))`,
    'return {',
    ...entries,
    '}',
  ].join('\n')
}

/** Words of names whose answers are words. */
const JUDGED =
  /^(?:type|strength|decision|result|status|direction|significance|is|p|range|ids|list|rows|indices)$/

/** The one measure that the words of a name mean. */
function measureOf(name) {
  const words = name.toLowerCase().split('_')
  // Those of outliers are a list, those that are missing are counted.
  if (words.some((one) => JUDGED.test(one)) || /outliers?_values?/.test(name)) return undefined
  const meant = MEASURES.filter(([word]) => words.some((one) => word.test(one)))
  return meant.length === 1 ? meant[0] : undefined
}

const NUMBERS = { one: 1, two: 2, three: 3, four: 4, five: 5, six: 6 }

function decimalsIn(text) {
  const [, word] = /(\d|one|two|three|four|five|six) decimal/i.exec(text) ?? []
  return word === undefined ? 2 : (NUMBERS[word.toLowerCase()] ?? Number(word))
}

/** Columns that the question names: in quotes, or word for word; a name within a longer one that is named is none. */
function columnsIn(question, columns) {
  const plain = (text) =>
    ` ${text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, ' ')
      .trim()} `
  let left = plain(question)
  const named = []
  for (const column of columns.toSorted((one, other) => other.length - one.length)) {
    const words = plain(column)
    if (words.trim().length < 3 || !left.includes(words)) continue
    named.push([left.indexOf(words), column])
    left = left.replaceAll(words, ` ${'#'.repeat(words.length - 2)} `)
  }
  return named.toSorted(([one], [other]) => one - other).map(([, column]) => column)
}

/** The names in the first line. */
function columnsOf(text) {
  const [line = ''] = text.replace(/^\uFEFF/, '').split(/\r?\n/, 1)
  const cells = line.match(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g) ?? []
  return cells
    .map((cell) => cell.replace(/,$/, '').replace(/^"|"$/g, '').replaceAll('""', '"').trim())
    .filter((name) => name !== '')
}
