/** Programs of jq: what the manual says they give, and that none harms anything. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { fromValue } from '../../../src/documents/opening/derive.ts'
import { filterParams } from '../../../src/processors/parameters.ts'
import { runPipeline } from '../../../src/processors/pipeline.ts'
import { filterSteps } from '../../../src/processors/pipelines.ts'
import { withStatement } from '../../../src/processors/readings/statement.ts'
import type { JsonValue } from '../../../src/protocol/json.ts'
import { readJq } from '../../../src/query/jq/interpreter.ts'
import { Refusal } from '../../../src/query/refusal.ts'
import { deepFreeze } from '../../support/deep-freeze.ts'
import { runs } from '../../support/runs.ts'

const shop = deepFreeze({
  total: 4,
  items: [
    {
      id: 1,
      name: 'Alpha',
      state: 'open',
      price: 12.5,
      tags: ['x', 'y'],
      owner: { login: 'ann' },
      note: null,
    },
    { id: 2, name: 'beta', state: 'closed', price: 7, tags: [], owner: { login: 'bob' }, note: 'late' },
    { id: 3, name: 'Gamma', state: 'open', price: 99, tags: ['y'], owner: { login: 'ann' }, note: 'gift' },
    { id: 4, name: 'delta', state: 'merged', price: 7, tags: ['z', 'x'], owner: { login: 'cy' }, note: null },
  ],
})

const run = (program: string, input: JsonValue = shop): JsonValue[] | undefined => readJq(program)?.run(input)

describe('values, places and constructions', () => {
  test.each<[string, JsonValue[]]>([
    ['.items[0].name, .items[-1].name', ['Alpha', 'delta']],
    ['.items[1:3] | map(.id)', [[2, 3]]],
    ['.items | length', [4]],
    ['.missing.deeper', [null]],
    ['[.items[] | .owner.login]', [['ann', 'bob', 'ann', 'cy']]],
    ['.items[0] | {id, who: .owner.login, (.name): 1}', [{ id: 1, who: 'ann', Alpha: 1 }]],
    [
      '{a: (1, 2), b: (3, 4)} | [.a, .b]',
      [
        [1, 3],
        [1, 4],
        [2, 3],
        [2, 4],
      ],
    ],
    ['[(1, 2) + (10, 20)]', [[11, 12, 21, 22]]],
    ['"\\(.total): \\(.items[0] | "<\\(.name)>")"', ['4: <Alpha>']],
    ['[.[]?] | length', [2]],
    ['[..] | length', [44]],
    ['[.. | .login? // empty] | unique', [['ann', 'bob', 'cy']]],
    ['"hello" | .[1:3], .[-2:]', ['el', 'lo']],
    ['1 as $x | 2 as $y | [$x, $y]', [[1, 2]]],
    ['. as {items: [{id: $i}, $b]} | [$i, $b.name]', [[1, 'beta']]],
    ['[[1, 2]] | .[] as [$a] ?// $a | $a', [1]],
    ['def twice(f): f | f; 3 | twice(. * 2)', [12]],
    ['def add($a; $b): $a + $b; add(1; 2)', [3]],
    ['def fac: if . <= 1 then 1 else . * (. - 1 | fac) end; 10 | fac', [3628800]],
    ['-(1), -.total', [-1, -4]],
  ])('%s', (program, values) => {
    expect(run(program)).toEqual(values)
  })
})

describe('lists and groups', () => {
  test.each<[string, JsonValue[]]>([
    ['[.items[].price] | add / length', [31.375]],
    ['.items | map(.tags | length) | add', [5]],
    ['.items | map(.name | length) | max', [5]],
    ['.items | group_by(.state) | map({(.[0].state): length}) | add', [{ closed: 1, merged: 1, open: 2 }]],
    ['.items | sort_by(.price, -.id) | map(.id)', [[4, 2, 1, 3]]],
    ['.items | min_by(.price).id, max_by(.price).id', [2, 3]],
    [
      '[.items[].tags[]] | group_by(.) | map([.[0], length])',
      [
        [
          ['x', 2],
          ['y', 2],
          ['z', 1],
        ],
      ],
    ],
    ['.items | unique_by(.owner.login) | map(.id)', [[1, 2, 4]]],
    ['[.items[] | select(.tags | index("x"))] | length', [2]],
    ['[.items[] | select(any(.tags[]; . == "y")) | .id]', [[1, 3]]],
    ['[.items[] | select(.tags | inside(["x", "y"])) | .id]', [[1, 2, 3]]],
    ['[.items[] | select(.id | IN(2, 4)) | .name]', [['beta', 'delta']]],
    ['.items | INDEX(.id) | map_values(.name)', [{ 1: 'Alpha', 2: 'beta', 3: 'Gamma', 4: 'delta' }]],
    ['reduce .items[] as $i ({}; .[$i.state] += 1)', [{ open: 2, closed: 1, merged: 1 }]],
    ['[foreach .items[] as $i (0; . + $i.id; [$i.id, .])] | last', [[4, 10]]],
    ['[limit(2; .items[]) | .id], first(.items[]).id', [[1, 2], 1]],
    ['[3, "a", null, {"b": 1}, [1], true] | sort', [[null, true, 3, 'a', [1], { b: 1 }]]],
    [
      '[range(2; 8; 3)], [range(2)]',
      [
        [2, 5],
        [0, 1],
      ],
    ],
    [
      '[[1, [2]], 3] | flatten, flatten(1)',
      [
        [1, 2, 3],
        [1, [2], 3],
      ],
    ],
    [
      '[[1, 2], [3]] | transpose',
      [
        [
          [1, 3],
          [2, null],
        ],
      ],
    ],
    ['1 | [while(. < 50; . * 3)], until(. > 50; . * 3)', [[1, 3, 9, 27], 81]],
    ['[1 | limit(4; repeat(. * 2))]', [[1, 2, 4, 8]]],
    ['{"a": 1} | to_entries, has("a"), has("b")', [[{ key: 'a', value: 1 }], true, false]],
    ['.items[0] | with_entries(select(.value | type == "number"))', [{ id: 1, price: 12.5 }]],
  ])('%s', (program, values) => {
    expect(run(program)).toEqual(values)
  })
})

describe('texts, numbers and times', () => {
  test.each<[string, JsonValue[]]>([
    ['[.items[].name | select(test("^[A-Z]"))]', [['Alpha', 'Gamma']]],
    ['[.items[].name | test("^a"; "i")]', [[true, false, false, false]]],
    [
      '"a1b22" | [scan("[0-9]+")], [match("[0-9]+"; "g").offset]',
      [
        ['1', '22'],
        [1, 3],
      ],
    ],
    ['"2024-05" | capture("(?<y>\\\\d+)-(?<m>\\\\d+)")', [{ y: '2024', m: '05' }]],
    ['"xyz" | sub("(?<l>y)"; "[\\(.l)]"), gsub("[xz]"; "")', ['x[y]z', 'y']],
    ['"a, b" | split(", "), ascii_upcase, ltrimstr("a")', [['a', 'b'], 'A, B', ', b']],
    ['"a, a" | trimstr("a"), rtrimstr("a")', [', ', 'a, ']],
    ['[1, "a\\"b", null] | @csv, @json', ['1,"a""b",', '[1,"a\\"b",null]']],
    ['@uri "q=\\("a b")", ("<&>" | @html), ("hi" | @base64 | @base64d)', ['q=a%20b', '&lt;&amp;&gt;', 'hi']],
    [
      '[1.5, -1.5] | map(floor), map(round)',
      [
        [1, -2],
        [2, -2],
      ],
    ],
    ['10 % 3, -7 % 3, "ab" * 2, [1, 2, 1] - [1]', [1, -1, 'abab', [2]]],
    ['{"a": {"x": 1}} * {"a": {"y": 2}}', [{ a: { x: 1, y: 2 } }]],
    ['"12" | tonumber, ([1] | tostring)', [12, '[1]']],
    ['1700000000 | todate, strftime("%d %b %Y")', ['2023-11-14T22:13:20Z', '14 Nov 2023']],
    ['"2023-11-14T22:13:20Z" | fromdate', [1700000000]],
    ['"05/03/2015 23:51" | strptime("%d/%m/%Y %H:%M") | mktime', [1425599460]],
    ['"5 Mar 2015" | strptime("%d %b %Y") | mktime | todate', ['2015-03-05T00:00:00Z']],
    ['("05/03/2015" | fromdate)? // "no date"', ['no date']],
    ['(nan | isnan), (1 | isnan)', [true, false]],
    ['[1, "a"] | format("csv")', ['1,"a"']],
    ['[JOIN({"1": "one"}; [{"k": 1}, {"k": 2}][]; .k | tostring)] | map(.[1])', [['one', null]]],
  ])('%s', (program, values) => {
    expect(run(program)).toEqual(values)
  })
})

describe('changes are made to copies', () => {
  test.each<[string, JsonValue[]]>([
    ['.items[].price |= . * 2 | [.items[].price]', [[25, 14, 198, 14]]],
    ['del(.items[0, 2]) | .items | map(.id)', [[2, 4]]],
    ['(.items[] | select(.state == "open") | .price) = 0 | [.items[].price]', [[0, 7, 0, 7]]],
    ['.items |= map(select(.id > 2)) | .items | length', [2]],
    ['{} | .a.b[1] = 5', [{ a: { b: [null, 5] } }]],
    ['[paths(type == "number")] | length', [9]],
    ['path(.a[0].b), ([[1, [2]] | getpath([1, 0])])', [['a', 0, 'b'], [2]]],
    ['walk(if type == "number" then 0 else . end) | [.total, .items[1].price]', [[0, 0]]],
    // A copy that was put somewhere else is not changed with the next one.
    ['reduce (1, 2) as $i ({}; .a[$i | tostring] = $i | .b[$i | tostring] = .a) | .b["1"]', [{ 1: 1 }]],
    ['reduce (1, 2) as $i ({"a": {}, "all": []}; .a.n = $i | .all += [.a]) | .all', [[{ n: 1 }, { n: 2 }]]],
  ])('%s', (program, values) => {
    expect(run(program)).toEqual(values)
  })
})

describe('errors', () => {
  test.each<[string, JsonValue[]]>([
    ['[.items[] | (.name | tonumber)? // "none"] | unique', [['none']]],
    ['try error("x") catch ., (try error({"a": 1}) catch .a)', ['x', 1]],
    ['[.items[] | try (.id, error("x")) catch "caught"] | length', [8]],
    // An error behind a `try` is not caught by it.
    ['try ((try .items[0].id catch "inner") | error("outer")) catch .', ['outer']],
    ['label $out | .items[] | if .id == 3 then ., break $out else empty end | .name', ['Gamma']],
    ['first((.items[] | select(.id == 2)), error("never")).id', [2]],
  ])('%s', (program, values) => {
    expect(run(program)).toEqual(values)
  })

  test.each([
    ['.items[] | .name.first', 'jq: Cannot index string with "first".'],
    ['.total[]', 'jq: Cannot iterate over number (4).'],
    ['.items | nothing_like_it', 'jq: there is no filter `nothing_like_it/0`.'],
    ['$unknown', 'jq: the program names no `$unknown`.'],
    ['"a" | test("(")', 'is not a valid regex'],
    ['[range(1e9)]', 'does too much'],
    ['"a" * 1e9', 'does too much'],
    ['def f: f; f', 'goes too deep'],
    ['[repeat(1)]', 'does too much'],
  ])('%s', (program, message) => {
    expect(() => run(program)).toThrow(Refusal)
    expect(() => run(program)).toThrow(message)
  })

  test.each(['.items[', '.a | ', '{a: }', '"\\q"', 'if . then 1', '$.items[*]', '.a b', '-'.repeat(3999)])(
    'no program: %s',
    (text) => {
      expect(readJq(text)).toBeUndefined()
    },
  )
})

test('names that all objects inherit are data', () => {
  const input = JSON.parse('{"__proto__": {"x": 1}, "constructor": 2}') as JsonValue
  expect(run('.__proto__.x, .constructor, .toString', input)).toEqual([1, 2, null])
  const [made] = run('.["__proto__"] = {"polluted": true} | to_entries | from_entries', { a: 1 }) ?? []
  expect(Object.keys(made as object)).toEqual(['a', '__proto__'])
  expect(({} as Record<string, unknown>).polluted).toBeUndefined()
})

test('a bad pattern of a model costs no time', () => {
  const names = '%B'.repeat(900)
  expect(run(`try strptime("${names}!") catch "unfit"`, 'a'.repeat(5000))).toEqual(['unfit'])
  expect(run('test("(a+)+$")', `${'a'.repeat(5000)}!`)).toEqual([false])
})

test('any text is run or refused, and changes nothing', () => {
  const piece = fc.constantFrom(
    ...[
      '.',
      '..',
      '.items',
      '[]',
      '[0]',
      '|',
      ',',
      '(',
      ')',
      '[',
      ']',
      '{',
      '}',
      'map(',
      'select(',
      '.id',
      '"a"',
      '1',
      ' as $x |',
      '$x',
    ],
    ...[
      '?',
      '//',
      '+',
      '-',
      '==',
      ' and ',
      ' if ',
      ' then ',
      ' else ',
      ' end ',
      'reduce ',
      ' try ',
      'error',
      'def f: ',
      ';',
      'f',
      '|=',
      '=',
      ':',
    ],
    ...[
      'length',
      'add',
      'keys',
      'group_by(.state)',
      'to_entries',
      'del(',
      'path(',
      'limit(2; ',
      'range(3)',
      'test("a")',
      '\\(',
      '@csv',
      'empty',
    ],
  )
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 9 }), (pieces) => {
      try {
        const values = run(pieces.join(''))
        expect(() => JSON.stringify(values ?? null)).not.toThrow()
      } catch (error) {
        expect(error).toBeInstanceOf(Refusal)
      }
    }),
    { numRuns: runs(2000) },
  )
})

describe('places that not all values have', () => {
  test.each<[string, JsonValue[]]>([
    ['[1, {"a": 2}, "x", {"a": 4}] | [.[].a?]', [[2, 4]]],
    ['[[1], 2, [3]] | [.[][]?]', [[1, 3]]],
    ['[[1, {"b": 2}]] | [.[][]["b"]?]', [[2]]],
    ['[1, "ab", [1, 2]] | [.[][0:1]?]', [['a', [1]]]],
    ['[{"a": 1, "x": 2}, {"a": 3, "x": 4}] | [.[]["x", "a"]]', [[2, 4, 1, 3]]],
    ['[[1, 2], [3, 4]] | [.[][(0, 1):]]', [[[1, 2], [3, 4], [2], [4]]]],
    ['try del(paths) catch "none"', ['none']],
    ['try ({} | @sh) catch "none"', ['none']],
    ['[.items[] | .owner, .name | .login?]', [['ann', 'bob', 'ann', 'cy']]],
    ['[1, {"a": 2}] | [(.[].a)?]', [[]]],
  ])('%s', (program, values) => {
    expect(run(program)).toEqual(values)
  })

  test('an error before the last place is one', () => {
    expect(() => run('.total.a.b?')).toThrow(Refusal)
  })
})

describe('definitions', () => {
  test.each<[string, JsonValue[]]>([
    ['def f($x): $x * 2 + x; f(3, 4)', [9, 10, 11, 12]],
    ['[def f: 1; f, def g: 2; g]', [[1, 2]]],
    ['1 + def g: 2; g', [3]],
    ['1,\n$__loc__.line', [1, 2]],
    ['{$__loc__} | .__loc__.file', ['<top-level>']],
    ['[limit(-1; 1, 2)]', [[1, 2]]],
    ['[1, [2]] | [tostream]', [[[[0], 1], [[1, 0], 2], [[1, 0]], [[1]]]]],
    ['[1e1000, -1e1000, 1e308 * 10] | map(. == infinite or . == -infinite)', [[true, true, true]]],
  ])('%s', (program, values) => {
    expect(run(program)).toEqual(values)
  })
})

describe('what a reduce changes is seen nowhere else', () => {
  test.each<[string, JsonValue[]]>([
    ['reduce range(3) as $i ({a: 0}; .a += (1, 2))', [{ a: 6 }]],
    ['[1] as $a | reduce range(3) as $i ($a; . + $a) | ., $a', [[1, 1, 1, 1], [1]]],
    ['[1] as $a | reduce range(2) as $i (null; . + $a | . + [$i]) | ., $a', [[1, 0, 1, 1], [1]]],
    ['reduce range(2) as $i ([]; . + ([$i], [9]))', [[9, 9]]],
    ['[reduce range(2) as $i ({}; . + {a: $i} | .b += 1 | . + {c: [$i]})]', [[{ a: 1, b: 2, c: [1] }]]],
    ['reduce range(3) as $i ({a: 0, c: {x: 0}}; .a += (1, 2) | .c.x += 1)', [{ a: 6, c: { x: 3 } }]],
    [
      '{z: 1} as $x | reduce (1, 2) as $i ({}; .a = ($x | .b = $i | [., .]) | .a[0].b = 5)',
      [
        {
          a: [
            { z: 1, b: 5 },
            { z: 1, b: 2 },
          ],
        },
      ],
    ],
    [
      '{z: 1} as $x | reduce (1, 2) as $i ({}; .a = ($x | [foreach (1, 2) as $y (.; .k = $y; .)]))',
      [
        {
          a: [
            { z: 1, k: 1 },
            { z: 1, k: 2 },
          ],
        },
      ],
    ],
  ])('%s', (program, values) => {
    expect(run(program)).toEqual(values)
  })
})

describe('no program takes long, or much room', () => {
  test.each([
    '[range(1e7)]',
    '"x" * 1e8',
    'null | .[1e7] = 1',
    'reduce range(40) as $i ([1]; . + .)',
    'reduce range(100) as $i ("\\""; tojson)',
    'reduce range(30) as $i ([0]; [., .])',
    'reduce range(30) as $i ([0]; [., .]) | tojson',
    'reduce range(30) as $i ([0]; [., .]) | error',
    'reduce range(30) as $i ([0]; [., .]) | . == (reduce range(30) as $i ([0]; [., .]))',
    '[range(3e4)] | [.[] as $x | index($x)]',
    'reduce range(20000) as $i (null; [.])',
  ])('%s', (program) => {
    expect(() => run(program)).toThrow(Refusal)
  })

  test('a text with many matches', () => {
    expect(run('"é𝒳" * 1e5 | [match("é"; "g").offset] | .[-1]')).toEqual([199_998])
    expect(run('reduce range(1e5) as $i ([]; . + [$i]) | length')).toEqual([100_000])
    expect(run('reduce range(1e5) as $i ({}; . + {"\\($i)": 1}) | length')).toEqual([100_000])
    expect(run('"é𝒳" * 1e5 | indices("é") | .[-1]')).toEqual([199_998])
    expect(run('[range(1e4)] | until(length < 10; .[1:]) | length')).toEqual([9])
  })

  test.each(['-'.repeat(4_000), '['.repeat(4_000), '. as '.padEnd(4_000, '['), 'if . then '.repeat(390)])(
    'a program nested deeply',
    (program) => {
      expect(run(`${program}1`)).toBeUndefined()
    },
  )
})

describe('where a program may stand', () => {
  function ask(
    params: Record<string, unknown>,
    value: JsonValue = shop,
  ): { rows: JsonValue[]; notes: readonly string[] } {
    const document = fromValue(value)
    const { params: read, before, notes } = withStatement(params, [{ handle: '', document }])
    const asked = filterParams.parse(read)
    const { document: found, error } = runPipeline(
      document,
      [...(before ? [before] : []), ...filterSteps],
      asked,
    )
    if (error !== undefined) throw new Error(error)
    return { rows: [...found.rows().items], notes }
  }

  test.each<[string, string, JsonValue[]]>([
    ['where', '.items | length', [4]],
    ['path', '.items | map(.price) | add', [{ 'sum(price)': 125.5 }]],
    [
      'where',
      '.items[] | {id, twice: (.price * 2)}',
      [
        { id: 1, twice: 25 },
        { id: 2, twice: 14 },
        { id: 3, twice: 198 },
        { id: 4, twice: 14 },
      ],
    ],
    ['path', '.items[] | select(.name | test("^[A-Z]")) | .id', [1, 3]],
    [
      'where',
      '.items | to_entries[] | select(.value.price > 50) | {at: .key, id: .value.id}',
      [{ at: 2, id: 3 }],
    ],
    ['where', '[.[] | select(.tags | index("z"))] | map(.name)', ['delta']],
    ['where', "jq -r '.items[0].name'", ['Alpha']],
  ])('in %s: %s', (place, program, rows) => {
    expect(ask({ [place]: program }).rows).toEqual(rows)
  })

  test.each<[string, number[]]>([
    ['any(.tags[]; . == "x")', [1, 4]],
    ['.tags | index("x")', [1, 4]],
    ['select(.owner | .login == "ann" and true)', [1, 3]],
    ['.name | length > 4', [1, 3, 4]],
  ])('a condition about each record: %s', (condition, ids) => {
    expect(ask({ where: condition }).rows.map((row) => (row as { id: number }).id)).toEqual(ids)
  })

  test.each<[string, number[]]>([
    ['{"state": "open"}', [1, 3]],
    ['{"price": {"$gt": 10}}', [1, 3]],
    ['{"bool": {"must": [{"term": {"state": "open"}}]}}', [1, 3]],
    ['["price", ">", 10]', [1, 3]],
    ['[["state", "=", "open"], ["price", ">", 20]]', [3]],
    ['["state = open"]', [1, 3]],
    ['.[]', [1, 2, 3, 4]],
  ])('a condition in another way: %s', (condition, ids) => {
    expect(ask({ where: condition }).rows.map((row) => (row as { id: number }).id)).toEqual(ids)
  })

  test.each(['{id, name}', '{brace}', '[.price > 10]', '.missing[0]', '.missing["page"]', '[0]'])(
    'no program, and no condition: %s',
    (text) => {
      expect(() => ask({ where: text })).toThrow()
    },
  )

  test.each(['{}', '{"state": "open"}', '{id, name}', '{brace}'])('no path: %s', (text) => {
    expect(() => ask({ path: text })).toThrow()
  })

  test('other parameters hold as well', () => {
    const { rows, notes } = ask({
      where: '.items | map({id, n: ((.tags | length) * 2)})',
      sort: ['-n'],
      fields: ['id'],
    })
    expect(rows).toEqual([{ id: 1 }, { id: 4 }, { id: 3 }, { id: 2 }])
    expect(notes).toEqual(['Run by jq on the whole result.'])
  })

  test.each<[string, string]>([
    ['what the path reaches', 'group_by(.state) | map({state: .[0].state, n: (length * 1)})'],
    ['the whole result', '.items | group_by(.state) | map({state: .[0].state, n: (length * 1)})'],
  ])('beside a path: a program about %s', (name, where) => {
    const whole = ask({ where: where.replace(/^(?!\.items)/, '.items | ') })
    expect(ask({ path: 'items', where })).toEqual({ rows: whole.rows, notes: [`Run by jq on ${name}.`] })
  })

  test('a name that nothing has is told', () => {
    const { rows, notes } = ask({
      where: '.items | group_by(.status) | map({status: .[0].status, n: (length * 1)})',
    })
    expect(rows).toEqual([{ status: null, n: 4 }])
    expect(notes).toContain(
      'Nothing has `status`: read as null. There are: `total`, `items`, `id`, `name`, `state`, `price`, `tags`, `owner`, `note`, `login`.',
    )
    const { notes: none } = ask({ where: '.items | map({id, twice: (.price * 2)}) | max_by(.twice).id' })
    expect(none).toEqual(['Run by jq on the whole result.'])
  })

  test('numbers in texts are told where jq compares them as texts', () => {
    const priced = { items: [{ p: '9' }, { p: '100' }, { p: '20' }] }
    expect(ask({ where: 'reduce .items[] as $i (0; if $i.p > 50 then . + 1 else . end)' }, priced)).toEqual({
      rows: [3],
      notes: [
        'Run by jq on the whole result.',
        'To jq a number in a text equals no number and is more than any: write `tonumber` behind its field.',
      ],
    })
    const { rows, notes } = ask({ where: '[.items | sort_by(.p + "")[] | .p]' }, priced)
    expect(rows).toEqual(['100', '20', '9'])
    expect(notes).toContain('Numbers in texts were ordered as texts: write `tonumber` behind their field.')
    const plain = ask({ where: '[.items[] | select((.p | tonumber) > 50)] | length' }, priced)
    expect(plain).toEqual({ rows: [1], notes: ['Run by jq on the whole result.'] })
  })

  test('a program that fails and can be read in no other way says why', () => {
    expect(() => ask({ where: '.items[] | .name | keys | length' })).toThrow(
      'jq: string ("Alpha") has no keys.',
    )
    expect(() => ask({ path: '.items | to_nothing(.id)' })).toThrow('jq: there is no filter `to_nothing/1`.')
  })
})
