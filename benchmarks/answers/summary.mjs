/** From the rows of a run to the figures that are reported and recorded. */
import { TYPES } from './contract.mjs'
import { clusteredInterval, mean, median, quantile, sum } from './statistics.mjs'

/** Questions in the longer of the two conversations over which definitions are spread. */
export const LONG = 10

/**
 * @param {{ rows: object[], definitions: Record<string, number> }} run   definitions: tokens by system
 * @param {{ payloads: import('./contract.mjs').Payload[], questions: import('./contract.mjs').Question[], seed: number, perType: number }} context
 */
export function summarize({ rows, definitions }, { payloads, questions, seed, perType }) {
  const systems = [...new Set(rows.map(({ system }) => system))]
  const figures = (some, system) => figuresOf(some, definitions[system.replace(/ \(.*/, '')], seed)
  const of = (system, test = () => true) => rows.filter((row) => row.system === system && test(row))
  return {
    seed,
    perType,
    payloads: payloads.map(({ name, kind, text }) => ({ name, kind, characters: text.length })),
    questions: questions.length,
    definitions,
    systems: systems.map((system) => ({ system, ...figures(of(system), system) })),
    types: TYPES.filter((type) => rows.some((row) => row.type === type)).map((type) => ({
      type,
      questions: questions.filter((question) => question.type === type).length,
      systems: systems.map((system) => ({
        system,
        ...figures(
          of(system, (row) => row.type === type),
          system,
        ),
      })),
    })),
    forms: ['minified', 'pretty', 'other'].map((form) => ({
      form,
      systems: systems.map((system) => ({
        system,
        ...figures(
          of(system, (row) => formOf(row.payload) === form),
          system,
        ),
      })),
    })),
    losses: lossesOf(rows, payloads),
  }
}

function formOf(payload) {
  return /\b(minified|pretty)$/.exec(payload)?.[1] ?? 'other'
}

/** The figures of some questions of one system. Tokens are those of calls and replies; definitions are told apart. */
function figuresOf(rows, definitions, seed) {
  const right = rows.filter(({ outcome }) => outcome === 'right')
  const tokens = rows.map((row) => row.tokens)
  const latencies = rows.flatMap(({ ms }) => ms)
  const each = (extra) => round((sum(tokens) + extra * rows.length) / right.length)
  const recovered = (some) => (100 * some.filter(({ outcome }) => outcome === 'right').length) / some.length
  return {
    questions: rows.length,
    recovered: round(recovered(rows), 1),
    interval: clusteredInterval(rows, ({ source }) => source, recovered, { seed })?.map((end) =>
      round(end, 1),
    ),
    wrong: rows.filter(({ outcome }) => outcome === 'wrong').length,
    unanswered: rows.filter(({ outcome }) => outcome === 'unanswered').length,
    medianTokens: round(median(tokens)),
    meanTokens: round(mean(tokens)),
    medianOfCorrect: round(median(right.map((row) => row.tokens))),
    perCorrect: each(0),
    perCorrectAlone: each(definitions),
    perCorrectInLong: each(definitions / LONG),
    trips: round(mean(rows.map(({ trips }) => trips)), 2),
    largest: Math.max(0, ...rows.map(({ largest }) => largest)),
    overBudget: sum(rows.map(({ overBudget }) => overBudget)),
    p50: round(quantile(latencies, 0.5), 1),
    p95: round(quantile(latencies, 0.95), 1),
  }
}

/** Payloads where our answers took more tokens than reading the whole, by policy. */
function lossesOf(rows, payloads) {
  const tokensFor = (system, payload) =>
    mean(rows.filter((row) => row.system === system && row.payload === payload).map((row) => row.tokens))
  return payloads
    .map(({ name, text }) => ({
      payload: name,
      characters: text.length,
      raw: round(tokensFor('raw', name)),
      naive: round(tokensFor('proxy (naive)', name)),
      expert: round(tokensFor('proxy (expert)', name)),
    }))
    .filter(({ raw, naive, expert }) => Math.max(naive || 0, expert || 0) > raw)
}

function round(value, digits = 0) {
  return Number.isFinite(value) ? Number(value.toFixed(digits)) : null
}
