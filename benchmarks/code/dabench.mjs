/**
 * InfiAgent-DABench: questions with closed answers about CSV files, answered by one program each. The programs are written by the rules of
 * `rules.mjs`; a question that they do not read gets none and is not counted. A run uses the labels only to compare at the end, as the
 * published evaluation does (words equal, numbers equal to 10^-6). The rules were written after a reading of one half of the questions, which a
 * seed chooses. They answered 35 of 40 questions of the other half before anybody looked at the mistakes there. After that, three of
 * these lost their program and two their mistake.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { seeded } from '../lib/measure.mjs'
import { programFor } from './rules.mjs'
import { handleIn, openWorld, SERVERS, tokensOf } from './world.mjs'

const QUESTIONS = 'da-dev-questions.jsonl'
const LABELS = 'da-dev-labels.jsonl'
const TABLES = 'da-dev-tables'
/** Chooses the half of the questions that was read when the rules were written. */
const HALVES_SEED = 1

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
  const random = seeded(HALVES_SEED)
  const halves = new Map(questions.map(({ id }) => [id, random() < 0.5 ? 'read' : 'unread']))
  const seen = { asked: 0, right: 0, tokens: 0, raw: 0 }
  const parts = { read: { asked: 0, right: 0 }, unread: { asked: 0, right: 0 } }
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
      const part = parts[halves.get(question.id)]
      seen.asked++
      part.asked++
      seen.tokens += preview.tokens + answer.tokens
      seen.raw += tokensOf(text)
      if (isRight(answer, labels.get(question.id) ?? [])) {
        seen.right++
        part.right++
      } else
        wrong.push({ id: question.id, answer: answer.text.slice(0, 200), label: labels.get(question.id) })
    }
  } finally {
    await world.close()
  }
  const { asked, right, tokens, raw } = seen
  const per = (sum) => Math.round(sum / Math.max(1, asked))
  return { questions: questions.length, asked, right, tokens: per(tokens), raw: per(raw), ...parts, wrong }
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
  return label.every(
    ([name, value]) =>
      String(answer[name]) === String(value) || Math.abs(Number(answer[name]) - Number(value)) <= 1e-6,
  )
}

/** The names in the first line. */
function columnsOf(text) {
  const [line = ''] = text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/, 1)
  const cells = line.match(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g) ?? []
  return cells
    .map((cell) => cell.replace(/,$/, '').replace(/^"|"$/g, '').replaceAll('""', '"').trim())
    .filter((name) => name !== '')
}
