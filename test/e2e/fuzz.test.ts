/** Random questions of every shape to the three tools. */
import fc from 'fast-check'
import { expect } from 'vitest'
import { patience, runs } from '../support/runs.ts'
import { verifies } from '../support/verifies.ts'
import {
  type Arguments,
  BUDGET,
  code,
  control,
  foreign,
  keptWorld,
  lookaround,
  SENTENCES,
  shortly,
  stopwatch,
  type Tool,
} from './support/kept.ts'
import { textOf } from './support/world.ts'

const one = fc.constantFrom
/** Mostly the first kind. */
const mostly = <T>(right: fc.Arbitrary<T>, wrong: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ weight: 12, arbitrary: right }, { weight: 1, arbitrary: wrong })

const known = one('name', 'owner.login', 'state', 'id', 'tags', 'price', 'note', 'nmae')
const field = mostly(known, one('message', 'level', ...foreign))
const path = mostly(
  one('$', '$..*', '[*]', '$[0:9]', '$[?@.id > 5]', '$..login', '[-1]', 'owner'),
  one('items[].x', '..', code),
)
const pattern = one(...lookaround, '(a+)+$', '.*', 'ERROR', '\\d+', '[', 'name 17', 'jbo 12', '^', '\\b')
const condition = fc
  .tuple(
    field,
    one('=', '!=', '>', '~', 'has', 'in', 'exists', '<=>'),
    fc.oneof(pattern, one('open', '5', '')),
  )
  .map((words) => words.join(' '))
const call = fc.tuple(one('count', 'sum', 'avg', 'min', 'max', 'distinct', 'median', 'mode'), field)
const size = mostly<unknown>(one(1, 2, 7, 50, '20', 1000, 1_000_000), one(0, -1, 0.5, 'NaN'))
const several = (item: fc.Arbitrary<string>): fc.Arbitrary<unknown> =>
  fc.oneof(item, fc.array(item, { maxLength: 4 }), fc.array(item, { maxLength: 4 }).map(String))

/** Values that fit a parameter, more or less. */
const fitting: Record<string, fc.Arbitrary<unknown>> = {
  path: fc.oneof(path, field),
  fields: several(fc.oneof(field, path)),
  exclude: several(field),
  where: several(condition),
  sort: several(field.map((name) => `-${name}`)),
  group_by: several(field),
  aggregate: several(call.map(([name, of]) => (name === 'count' ? name : `${name}(${of})`))),
  pattern,
  offset: size,
  limit: size,
  max_results: size,
  context_lines: size,
  top_k: size,
  max_depth: size,
  threshold: mostly<unknown>(one(0, 0.3, 0.7, 1, '0.5'), one(2)),
  case_insensitive: fc.boolean(),
  multiline: one(true, false, 'yes'),
  'filter.mode': one('include', 'exclude'),
  'search.mode': one('regex', 'bm25', 'fuzzy', 'context'),
  context_type: one('paragraph', 'section', 'sentence', 'lines'),
}

/** Values that fit no parameter. */
const junk = fc.oneof(
  one('NaN', 'Infinity', '-0', '1e999', '', ' ', '\u0000', '💥', null, ...foreign),
  fc.string({ unit: 'binary' }),
  fc.double(),
  fc.anything({ maxDepth: 3 }),
)

/** The parameters of each tool; a name that stands here often is given often. */
const parameters: Record<Tool, readonly string[]> = {
  filter: 'path fields exclude mode where sort group_by aggregate offset limit'.split(' '),
  search:
    'pattern pattern pattern mode max_results context_lines case_insensitive multiline threshold top_k context_type path fields offset'.split(
      ' ',
    ),
  explore: 'path max_depth offset'.split(' '),
}

/** Now and then a value that fits nothing, or an unknown parameter. */
const parameter = (tool: Tool): fc.Arbitrary<[string, unknown]> =>
  fc.oneof(
    {
      weight: 12,
      arbitrary: one(...parameters[tool]).chain((name) =>
        fc.tuple(fc.constant(name), fitting[name] ?? fitting[`${tool}.${name}`] ?? junk),
      ),
    },
    { weight: 2, arbitrary: fc.tuple(one(...parameters[tool]), junk) },
    { weight: 1, arbitrary: fc.tuple(fc.string(), junk) },
  )

const question = one<Tool>('filter', 'filter', 'search', 'search', 'explore').chain((tool) =>
  fc.record({
    tool: fc.constant(tool),
    onLog: one(true, false, false, false),
    args: fc.array(parameter(tool), { minLength: 1, maxLength: 4 }).map(Object.fromEntries),
  }),
)

verifies(
  'S3.11 S2.1',
  'random questions: bounded answers, no protocol error, the session and the results whole',
  async () => {
    const here = await keptWorld()
    const before = await control(here)
    const watch = stopwatch()
    let answered = 0
    const ask = fc.asyncProperty(question, async ({ tool, onLog, args }) => {
      const wire = JSON.parse(JSON.stringify(args)) as Arguments
      const source = {
        ...(tool === 'search' && { pattern: 'name 17' }),
        ...wire,
        cache_id: onLog ? here.log : here.json,
      }
      const answer = await watch.time(shortly(tool, wire), () => here.call(`proxy_${tool}`, source))
      expect(textOf(answer).length).toBeLessThanOrEqual(answer.isError ? SENTENCES : BUDGET)
      expect(textOf(answer)).not.toMatch(
        /TypeError|RangeError|is not a function|undefined \(reading|broke off/,
      )
      if (!answer.isError) answered++
    })
    await fc.assert(ask, { numRuns: runs(300), endOnFailure: true })
    expect(answered).toBeGreaterThan(100)
    expect(await control(here)).toEqual(before)
    watch.tell(`random questions, ${answered} of them answered`)
  },
  { timeout: patience(600_000) },
)
