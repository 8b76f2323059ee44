/** The filters of jq itself: some are written here, others in jq. */
import { isObject, type JsonObject, type JsonValue, own, setOwn } from '../../protocol/json.ts'
import { re2 } from '../../text/patterns/re2.ts'
import { strftime } from '../language/functions.ts'
import type { Work } from '../work.ts'
import { collected, type Emit, pathsOf, type Run, type Scope, someOf } from './filters.ts'
import {
  at,
  binary,
  checked,
  compare,
  deleted,
  indicesOf,
  isTrue,
  JqError,
  lengthOf,
  made,
  namesOf,
  type Path,
  placesIn,
  plain,
  real,
  setAt,
  shortly,
  sizeOf,
  spend,
  split,
  step,
  textOf,
  typeOf,
  valuesOf,
} from './values.ts'

/** A call of a filter: its input and where that stands, the filters it is given, and where its values go. */
interface Call {
  readonly input: JsonValue
  readonly path: Path | undefined
  readonly scope: Scope
  readonly args: readonly Run[]
  readonly emit: Emit
}

/** A filter that is written here. */
export type Native = (call: Call) => void

/** The filters that jq writes in jq. */
export const PRELUDE = `
def map(f): [.[] | f];
def select(f): if f then . else empty end;
def values: select(. != null);
def nulls: select(. == null);
def booleans: select(type == "boolean");
def numbers: select(type == "number");
def strings: select(type == "string");
def arrays: select(type == "array");
def objects: select(type == "object");
def iterables: select(type | . == "array" or . == "object");
def scalars: select(type | . != "array" and . != "object");
def finites: select(isinfinite or isnan | not);
def normals: select(isnormal);
def recurse: recurse(.[]?);
def recurse(f; cond): recurse(f | select(cond));
def recurse_down: recurse;
def map_values(f): .[] |= f;
def del(f): delpaths([path(f)]);
def to_entries: [keys_unsorted[] as $k | {key: $k, value: .[$k]}];
def from_entries: reduce .[] as $e ({}; . + {($e | if type == "object" then (if has("key") then .key elif has("k") then .k elif has("name") then .name elif has("Name") then .Name elif has("Key") then .Key elif has("K") then .K else null end) else .[0] end | if type == "string" then . elif type == "null" then "null" else tojson end): ($e | if has("value") then .value elif has("v") then .v elif has("Value") then .Value elif has("V") then .V else null end)});
def with_entries(f): to_entries | map(f) | from_entries;
def paths: path(..) | select(length > 0);
def paths(f): path(.. | select(f)) | select(length > 0);
def leaf_paths: paths(scalars);
def pick(f): . as $in | reduce path(f) as $p (null; setpath($p; $in | getpath($p)));
def any: any(.[]; .);
def all: all(.[]; .);
def any(f): any(.[]; f);
def all(f): all(.[]; f);
def any(g; f): isempty(first(g | f | select(.))) | not;
def all(g; f): isempty(first(g | f | select(. | not)));
def tostream: path(def r: (.[]?|r), .; r) as $p | getpath($p) | reduce path(.[]?) as $q ([$p, .]; [$p + $q]);
def truncate_stream(f): . as $n | f | select(.[0] | length > $n) | .[0] |= .[$n:];
def isempty(g): first((g | false), true);
def in($o): . as $k | $o | has($k);
def inside($b): . as $a | $b | contains($a);
def first: .[0];
def last: .[-1];
def nth($n): .[$n];
def nth($n; f): last(limit($n + 1; f));
def repeat(f): recurse(f);
def combinations: if length == 0 then [] else .[0][] as $x | (.[1:] | combinations) as $w | [$x] + $w end;
def combinations(n): . as $dot | [range(n)] | map($dot) | combinations;
def walk(f): def w: if type == "object" then map_values(w) elif type == "array" then map(w) else . end | f; w;
def ascii_downcase: explode | map(if 65 <= . and . <= 90 then . + 32 end) | implode;
def ascii_upcase: explode | map(if 97 <= . and . <= 122 then . - 32 end) | implode;
def todate: strftime("%Y-%m-%dT%H:%M:%SZ");
def todateiso8601: todate;
def date: todate;
def fromdateiso8601: fromdate;
def dateadd(u; n): . + n;
def datesub(u; n): . - n;
def match($re): match($re; null);
def test($re): test($re; null);
def capture($re): capture($re; null);
def capture($re; $flags): match($re; $flags) | [.captures | .[] | select(.name != null) | {key: .name, value: .string}] | from_entries;
def scan($re): scan($re; null);
def scan($re; $flags): match($re; "g" + $flags) | if (.captures | length) > 0 then [.captures | .[] | .string] else .string end;
def splits($re): splits($re; null);
def splits($re; $flags): split($re; $flags) | .[];
def sub($re; f): sub($re; f; "");
def gsub($re; f): sub($re; f; "g");
def gsub($re; f; $flags): sub($re; f; $flags + "g");
def add(f): reduce f as $x (null; . + $x);
def min_by(f): [.[] | {v: ., k: [f]}] | if length == 0 then null else sort_by(.k) | .[0].v end;
def max_by(f): [.[] | {v: ., k: [f]}] | if length == 0 then null else reduce .[1:][] as $e (.[0]; if $e.k >= .k then $e else . end) | .v end;
def unique_by(f): [group_by(f)[] | .[0]];
def INDEX(s; f): reduce s as $r ({}; .[$r | f | tostring] |= $r);
def INDEX(f): INDEX(.[]; f);
def JOIN($idx; f): [.[] | [., $idx[f]]];
def JOIN($idx; s; f): s | [., $idx[f]];
def JOIN($idx; s; f; g): s | [., $idx[f]] | g;
def isfinite: type == "number" and (isinfinite | not);
def IN(s): any(s == .; .);
def IN(src; s): any(src == s; .);
def ascii: [.] | implode;
def toarray: if type == "array" then . else [.] end;
def have_literal_numbers: true;
def tojson: @json;
def halt: empty;
def debug: .;
def debug(f): .;
def stderr: .;
def abs: if type == "number" and . < 0 then -. else . end;
`

/** Filters of one value without arguments. */
const OF_VALUE: Readonly<Record<string, (value: JsonValue, scope: Scope) => JsonValue>> = {
  not: (value) => !isTrue(value),
  type: typeOf,
  length(value) {
    if (value === null) return 0
    if (typeof value === 'string') return lengthOf(value)
    if (typeof value === 'number') return Math.abs(value)
    if (typeof value === 'boolean') throw new JqError(`${shortly(value)} has no length`)
    return sizeOf(value)
  },
  utf8bytelength(value) {
    if (typeof value !== 'string') throw new JqError(`${shortly(value)} only strings have UTF-8 byte length`)
    return Buffer.byteLength(value)
  },
  keys: (value) => (Array.isArray(value) ? [...value.keys()] : namesOf(object(value))),
  keys_unsorted: (value) => (Array.isArray(value) ? [...value.keys()] : Object.keys(object(value))),
  add(value, { work }) {
    const members = valuesOf(value).map(([, member]) => member)
    if (members.length > 1 && members.every((one) => typeof one === 'string')) {
      return checked(members.join(''))
    }
    if (members.length > 1 && members.every(Array.isArray)) return flat(members, 1, work)
    if (members.length > 1 && members.every(isObject)) {
      spend(work, members.length)
      const sum: JsonObject = {}
      for (const member of members)
        for (const [key, one] of Object.entries(member)) {
          spend(work)
          setOwn(sum, key, one)
        }
      return sum
    }
    return members.reduce((sum, member) => binary('+', sum, member, work), null)
  },
  sort: (value) => [...array(value, 'cannot be sorted, as it is not an array')].sort(compare),
  unique: (value) => uniqueIn([...array(value, 'cannot be sorted, as it is not an array')].sort(compare)),
  reverse: (value) =>
    value === null
      ? []
      : typeof value === 'string'
        ? [...value].reverse().join('')
        : [...array(value, 'cannot be reversed, as it is not an array')].reverse(),
  min: (value) => extreme(array(value, 'is no array'), -1),
  max: (value) => extreme(array(value, 'is no array'), 1),
  flatten: (value, { work }) => flat(array(value, 'is no array'), Number.POSITIVE_INFINITY, work),
  transpose(value, { work }) {
    const rows = array(value, 'is no array').map((one) => array(one, 'is no array'))
    const width = Math.max(0, ...rows.map((one) => one.length))
    spend(work, width * rows.length)
    return Array.from({ length: width }, (_, nth) => rows.map((one) => one[nth] ?? null))
  },
  tostring: plain,
  tonumber(value) {
    if (typeof value === 'number') return value
    const read = typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN
    if (Number.isNaN(read)) throw new JqError(`${shortly(value)} cannot be parsed as a number`)
    return read
  },
  toboolean(value) {
    if (typeof value === 'boolean') return value
    if (value !== 'true' && value !== 'false')
      throw new JqError(`${shortly(value)} cannot be parsed as a boolean`)
    return value === 'true'
  },
  fromjson(value, { work }) {
    if (typeof value !== 'string') throw new JqError(`${shortly(value)} cannot be parsed as JSON`)
    spend(work, value.length >> 4)
    try {
      return JSON.parse(value) as JsonValue
    } catch {
      throw new JqError(`${shortly(value)} is not valid JSON`)
    }
  },
  explode: (value) => [...text(value, 'cannot be exploded')].map((sign) => sign.codePointAt(0) ?? 0),
  implode: (value) =>
    array(value, 'cannot be imploded')
      .map((code) => {
        if (typeof code !== 'number' || code < 0 || code > 0x10ffff)
          throw new JqError('Invalid codepoint literal')
        return String.fromCodePoint(Math.floor(code))
      })
      .join(''),
  trim: (value) => text(value, 'cannot be trimmed').trim(),
  ltrim: (value) => text(value, 'cannot be trimmed').trimStart(),
  rtrim: (value) => text(value, 'cannot be trimmed').trimEnd(),
  infinite: () => Number.MAX_VALUE,
  nan: () => null,
  isinfinite: (value) => Math.abs(number(value)) >= Number.MAX_VALUE,
  isnan: (value) => value === null || Number.isNaN(number(value)),
  isnormal: (value) => number(value) !== 0 && Math.abs(number(value)) < Number.MAX_VALUE,
  now: () => Date.now() / 1000,
  fromdate: (value) => secondsOf(value),
  mktime(value) {
    const [year = 1970, month = 0, day = 1, hour = 0, minute = 0, second = 0] = array(
      value,
      'is no broken down time',
    ).map(number)
    return Math.floor(Date.UTC(year, month, day, hour, minute, second) / 1000)
  },
  gmtime: (value) => brokenDown(number(value)),
  localtime: (value) => brokenDown(number(value)),
  error(value) {
    throw new JqError(value)
  },
  env: () => ({}),
  input_filename: () => null,
  input_line_number: () => 0,
  halt_error(value) {
    throw new JqError(value)
  },
  builtins: () => [...Object.keys(BUILTINS)].sort(),
}

const MATH =
  'floor sqrt ceil trunc exp log log2 log10 sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh cbrt expm1 log1p'.split(
    ' ',
  )
const MORE_MATH: Readonly<Record<string, (value: number) => number>> = {
  fabs: Math.abs,
  round: (value) => Math.sign(value) * Math.round(Math.abs(value)),
  exp2: (value) => 2 ** value,
  exp10: (value) => 10 ** value,
}
const MATH_OF_TWO: Readonly<Record<string, (one: number, other: number) => number>> = {
  pow: (one, other) => one ** other,
  atan2: Math.atan2,
  fmin: Math.min,
  fmax: Math.max,
  fmod: (one, other) => one % other,
}

/** Filters of a value and the values of their arguments. */
const OF_VALUES: Readonly<
  Record<string, (value: JsonValue, given: readonly JsonValue[], scope: Scope) => JsonValue>
> = {
  'has/1'(value, [key = null]) {
    if (typeof key === 'string' && isObject(value)) return Object.hasOwn(value, key)
    if (typeof key === 'number' && Array.isArray(value)) return key >= 0 && key < value.length
    throw new JqError(`Cannot check whether ${typeOf(value)} has a ${typeOf(key)} key`)
  },
  'contains/1': (value, [part = null], { work }) => contains(value, part, work),
  'startswith/1': (value, [part = null]) => {
    if (typeof value !== 'string' || typeof part !== 'string')
      throw new JqError('startswith() requires string inputs')
    return value.startsWith(part)
  },
  'endswith/1': (value, [part = null]) => {
    if (typeof value !== 'string' || typeof part !== 'string')
      throw new JqError('endswith() requires string inputs')
    return value.endsWith(part)
  },
  'ltrimstr/1': (value, [part = null]) => withoutStart(value, part),
  'rtrimstr/1': (value, [part = null]) => withoutEnd(value, part),
  'trimstr/1': (value, [part = null]) => withoutEnd(withoutStart(value, part), part),
  'split/1': (value, [separator = null]) => {
    if (typeof value !== 'string' || typeof separator !== 'string')
      throw new JqError('split input and separator must be strings')
    return split(value, separator)
  },
  'join/1': (value, [separator = null]) => {
    const parts = array(value, 'cannot be joined')
    const sign = parts.length > 1 ? text(separator, 'joins no texts') : ''
    const joined = parts
      .map((part) => {
        if (typeof part === 'object' && part !== null)
          throw new JqError(`${shortly(part)} cannot be joined to a string`)
        return part === null ? '' : plain(part)
      })
      .join(sign)
    return checked(joined)
  },
  'flatten/1': (value, [depth = null], { work }) => {
    if (number(depth) < 0) throw new JqError('flatten depth must not be negative')
    return flat(array(value, 'is no array'), number(depth), work)
  },
  'indices/1': (value, [sought = null]) => (value === null ? null : indicesOf(value, sought)),
  'index/1': (value, [sought = null]) => (value === null ? null : (indicesOf(value, sought)[0] ?? null)),
  'rindex/1': (value, [sought = null]) => (value === null ? null : (indicesOf(value, sought).at(-1) ?? null)),
  'setpath/2': (value, [path = null, set = null], { work }) =>
    setAt(value, array(path, 'is no path'), 0, set, new WeakSet(), work),
  'delpaths/1': (value, [paths = null]) =>
    deleted(
      value,
      array(paths, 'is no list of paths').map((path) => array(path, 'is no path')),
    ),
  'test/2': (value, [re = null, flags = null], { work }) =>
    matchesOf(value, re, flags, work, true).length > 0,
  'split/2': (value, [re = null, flags = null], { work }) => {
    const parts: JsonValue[] = []
    let from = 0
    const source = text(value, 'cannot be matched, as it is not a string')
    for (const { start, end } of matchesOf(value, re, `g${flags ?? ''}`, work)) {
      parts.push(source.slice(from, start))
      from = end
    }
    return [...parts, source.slice(from)]
  },
  'strftime/1': (value, [format = null]) => written(value, format),
  'strflocaltime/1': (value, [format = null]) => written(value, format),
  'strptime/1': (value, [format = null]) => readTime(value, text(format, 'is no format')),
  'format/1': (value, [name = null]) => checked(textOf(value, text(name, 'is no format'))),
  'bsearch/1': (value, [sought = null]) => {
    const sorted = array(value, 'cannot be searched from')
    let [low, high] = [0, sorted.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (compare(sorted[middle] ?? null, sought) < 0) low = middle + 1
      else high = middle
    }
    return compare(sorted[low] ?? null, sought) === 0 && low < sorted.length ? low : -1 - low
  },
  'error/1': (_, [message = null]) => {
    throw new JqError(message)
  },
}

/** Filters that choose what they run and how often. */
const OF_FILTERS: Readonly<Record<string, Native>> = {
  'empty/0': () => {},
  'inputs/0': () => {},
  'path/1': ({ input, path, scope, args: [of], emit }) => {
    if (of) for (const keys of pathsOf(of, input, scope)) emit(keys, made(path))
  },
  'getpath/1': ({ input, path, scope, args: [of], emit }) => {
    for (const keys of of ? collected(of, input, scope) : []) {
      const names = array(keys, 'is no path')
      const value = names.reduce<JsonValue>((one, key) => (one === null ? null : at(one, key)), input)
      emit(
        value,
        names.reduce<Path | undefined>((place, key) => step(place, key), path),
      )
    }
  },
  'recurse/1': (call) =>
    descend(call, call.args[0], ({ emit }, value, place) => {
      emit(value, place)
      return true
    }),
  'while/2': (call) =>
    descend(call, call.args[1], ({ emit, scope, args: [condition] }, value, place) => {
      const goesOn = condition !== undefined && collected(condition, value, scope).some(isTrue)
      if (goesOn) emit(value, place)
      return goesOn
    }),
  'until/2': (call) =>
    descend(call, call.args[1], ({ emit, scope, args: [condition] }, value, place) => {
      const isDone = condition === undefined || collected(condition, value, scope).some(isTrue)
      if (isDone) emit(value, place)
      return !isDone
    }),
  'first/1': ({ input, path, scope, args: [of], emit }) =>
    someOf(1, (some) => of?.(input, path, scope, some), emit),
  'limit/2': ({ input, path, scope, args: [most, of], emit }) => {
    for (const count of most ? collected(most, input, scope) : [])
      someOf(
        number(count) < 0 ? Number.POSITIVE_INFINITY : number(count),
        (some) => of?.(input, path, scope, some),
        emit,
      )
  },
  'skip/2': ({ input, path, scope, args: [most, of], emit }) => {
    for (const count of most ? collected(most, input, scope) : []) {
      let left = number(count)
      of?.(input, path, scope, (value, place) => (left-- > 0 ? spend(scope.work) : emit(value, place)))
    }
  },
  'last/1': ({ input, path, scope, args: [of], emit }) => {
    let last: [JsonValue, Path | undefined] | undefined
    of?.(input, path, scope, (value, place) => {
      spend(scope.work)
      last = [value, place]
    })
    if (last) emit(...last)
  },
  'range/1': (call) => ranges(call, [undefined, call.args[0], undefined]),
  'range/2': (call) => ranges(call, [call.args[0], call.args[1], undefined]),
  'range/3': (call) => ranges(call, [call.args[0], call.args[1], call.args[2]]),
  'sort_by/1': (call) =>
    call.emit(
      keyed(call).map(({ value }) => value),
      made(call.path),
    ),
  'group_by/1': (call) => {
    const groups: JsonValue[][] = []
    let last: JsonValue[] | undefined
    for (const { key, value } of keyed(call)) {
      if (last !== undefined && compare(last, key) === 0) groups.at(-1)?.push(value)
      else groups.push([value])
      last = key
    }
    call.emit(groups, made(call.path))
  },
  'match/2': ({ input, scope, args, emit, path }) => {
    const [res, flags] = args.map((arg) => collected(arg, input, scope))
    const places = placesIn(text(input, 'cannot be matched, as it is not a string'))
    for (const flag of flags ?? [])
      for (const re of res ?? [])
        for (const found of matchesOf(input, re, flag, scope.work))
          emit(described(text(input, ''), found, places), made(path))
  },
  'sub/3': ({ input, scope, args: [re, replacement, flags], emit, path }) => {
    const source = text(input, 'cannot be matched, as it is not a string')
    for (const flag of flags ? collected(flags, input, scope) : [])
      for (const pattern of re ? collected(re, input, scope) : []) {
        const found = matchesOf(input, pattern, flag, scope.work)
        // Each replacement may be several texts: all combinations are given.
        const texts = found.map((one) => {
          const captured: JsonObject = {}
          for (const { name, value } of one.groups) if (name !== undefined) setOwn(captured, name, value)
          return replacement ? collected(replacement, captured, scope) : []
        })
        const from = (nth: number, before: string, at: number): void => {
          const one = found[nth]
          if (one === undefined) return emit(before + source.slice(at), made(path))
          for (const put of texts[nth] ?? []) {
            const next = before + source.slice(at, one.start) + text(put, 'cannot be added to a string')
            from(nth + 1, checked(next), one.end)
          }
        }
        from(0, '', 0)
      }
  },
}

/** All filters that are written here, by name and number of arguments. */
export const BUILTINS: Readonly<Record<string, Native>> = {
  ...Object.fromEntries(
    Object.entries(OF_VALUE).map(([name, give]) => [
      `${name}/0`,
      ((call) => call.emit(give(call.input, call.scope), made(call.path))) satisfies Native,
    ]),
  ),
  ...Object.fromEntries(
    [...MATH.map((name) => [name, Math[name as 'floor']] as const), ...Object.entries(MORE_MATH)].map(
      ([name, give]) => [
        `${name}/0`,
        ((call) => call.emit(real(give(number(call.input))), made(call.path))) satisfies Native,
      ],
    ),
  ),
  ...Object.fromEntries(
    [
      ...Object.entries(OF_VALUES),
      ...Object.entries(MATH_OF_TWO).map(
        ([name, give]) =>
          [
            `${name}/2`,
            (_: JsonValue, [one = null, other = null]: readonly JsonValue[]) =>
              real(give(number(one), number(other))),
          ] as const,
      ),
    ].map(([name, give]) => [
      name,
      ((call) =>
        products(call, (given) =>
          call.emit(give(call.input, given, call.scope), made(call.path)),
        )) satisfies Native,
    ]),
  ),
  ...OF_FILTERS,
}

function withoutStart(value: JsonValue, part: JsonValue): JsonValue {
  const begins = typeof value === 'string' && typeof part === 'string' && value.startsWith(part)
  return begins ? value.slice(part.length) : value
}

function withoutEnd(value: JsonValue, part: JsonValue): JsonValue {
  const ends = typeof value === 'string' && typeof part === 'string' && part !== '' && value.endsWith(part)
  return ends ? value.slice(0, -part.length) : value
}

/** Goes from a value to the values that `next` gives of it, and on from there, where `visit` says so. As deep as it may be. */
function descend(
  call: Call,
  next: Run | undefined,
  visit: (call: Call, value: JsonValue, place: Path | undefined) => boolean,
): void {
  const { input, path, scope } = call
  const ahead: [JsonValue, Path | undefined][] = [[input, path]]
  for (let one = ahead.pop(); one; one = ahead.pop()) {
    spend(scope.work)
    if (!visit(call, ...one)) continue
    const found: typeof ahead = []
    next?.(...one, scope, (value, place) => {
      spend(scope.work)
      found.push([value, place])
    })
    for (let last = found.pop(); last; last = found.pop()) ahead.push(last)
  }
}

/** Each combination of the values of the arguments. */
function products({ input, scope, args }: Call, use: (given: JsonValue[]) => void): void {
  const lists = args.map((arg) => collected(arg, input, scope))
  const from = (nth: number, given: JsonValue[]): void => {
    const list = lists[nth]
    if (list === undefined) return use(given)
    for (const value of list) from(nth + 1, [...given, value])
  }
  from(0, [])
}

function ranges({ input, scope, emit, path }: Call, bounds: readonly (Run | undefined)[]): void {
  const [starts = [], ends = [], steps = []] = bounds.map((bound, nth) =>
    bound ? collected(bound, input, scope).map(number) : [nth === 0 ? 0 : 1],
  )
  for (const start of starts)
    for (const end of ends)
      for (const by of steps) {
        if (by === 0 && start < end) throw new JqError('a range that never ends')
        for (let value = start; by > 0 ? value < end : by < 0 && value > end; value += by) {
          spend(scope.work)
          emit(value, made(path))
        }
      }
}

/** The elements in the order of what a filter gives of each. */
function keyed({ input, scope, args: [of] }: Call): { key: JsonValue[]; value: JsonValue }[] {
  const elements = array(input, 'cannot be sorted, as it is not an array')
  return elements
    .map((value) => ({ key: of ? collected(of, value, scope) : [], value }))
    .sort((one, other) => compare(one.key, other.key))
}

function number(value: JsonValue): number {
  if (typeof value !== 'number') throw new JqError(`${shortly(value)} number required`)
  return value
}

function text(value: JsonValue, fault: string): string {
  if (typeof value !== 'string') throw new JqError(`${shortly(value)} ${fault}`)
  return value
}

function array(value: JsonValue, fault: string): JsonValue[] {
  if (!Array.isArray(value)) throw new JqError(`${shortly(value)} ${fault}`)
  return value
}

function object(value: JsonValue): JsonObject {
  if (!isObject(value)) throw new JqError(`${shortly(value)} has no keys`)
  return value
}

function uniqueIn(sorted: readonly JsonValue[]): JsonValue[] {
  return sorted.filter((value, nth) => nth === 0 || compare(sorted[nth - 1] ?? null, value) !== 0)
}

function extreme(values: readonly JsonValue[], sign: number): JsonValue {
  return (
    values.reduce<JsonValue | undefined>(
      (best, value) =>
        best === undefined || compare(value, best) * sign > 0 || (sign > 0 && compare(value, best) === 0)
          ? value
          : best,
      undefined,
    ) ?? null
  )
}

function flat(values: readonly JsonValue[], depth: number, work: Work): JsonValue[] {
  spend(work, 8 + values.length)
  return values.flatMap((one) => {
    if (!Array.isArray(one)) return [one]
    if (depth < 1) return [one]
    return flat(one, depth - 1, work)
  })
}

function contains(value: JsonValue, part: JsonValue, work: Work): boolean {
  spend(work)
  if (typeof value === 'string' && typeof part === 'string') return value.includes(part)
  if (Array.isArray(value) && Array.isArray(part))
    return part.every((one) =>
      value.some((other) => typeOf(one) === typeOf(other) && contains(other, one, work)),
    )
  if (isObject(value) && isObject(part))
    return Object.entries(part).every(([key, one]) => {
      const member = own(value, key)
      return member !== undefined && typeOf(member) === typeOf(one) && contains(member, one, work)
    })
  if (typeOf(value) === typeOf(part)) return compare(value, part) === 0
  throw new JqError(`${shortly(value)} and ${shortly(part)} cannot have their containment checked`)
}

// Regular expressions.

interface Match {
  readonly start: number
  readonly end: number
  readonly groups: readonly { name: string | undefined; start: number; value: string | null }[]
}

/** All matches with the flag `g`, else the first. re2 matches in linear time, whatever the pattern. */
function matchesOf(
  value: JsonValue,
  given: JsonValue,
  flags: JsonValue,
  work: Work,
  isTest = false,
): Match[] {
  const source = text(value, 'cannot be matched, as it is not a string')
  const [re, more] = Array.isArray(given) ? [given[0] ?? null, given[1] ?? null] : [given, null]
  const wanted = `${typeof flags === 'string' ? flags : ''}${typeof more === 'string' ? more : ''}`
  const { compiled, names } = compiledPattern(text(re, 'cannot be matched, as it is not a string'), wanted)
  spend(work, 1 + (source.length >> 4))
  const matcher = compiled.matcher(source)
  const found: Match[] = []
  while (matcher.find()) {
    spend(work)
    const groups = Array.from({ length: isTest ? 0 : matcher.groupCount() }, (_, nth) => ({
      name: names[nth + 1],
      start: matcher.start(nth + 1),
      value: matcher.group(nth + 1) ?? null,
    }))
    if (matcher.end() > matcher.start() || !wanted.includes('n'))
      found.push({ start: matcher.start(), end: matcher.end(), groups })
    if (isTest || !wanted.includes('g')) break
  }
  return found
}

type Compiled = ReturnType<ReturnType<typeof re2>['compile']>
const patterns = new Map<string, { compiled: Compiled; names: readonly (string | undefined)[] }>()
const MOST_PATTERNS = 50

function compiledPattern(
  source: string,
  flags: string,
): { compiled: Compiled; names: readonly (string | undefined)[] } {
  const id = `${flags}/${source}`
  const known = patterns.get(id)
  if (known) return known
  const engine = re2()
  const bits = (flags.includes('i') ? engine.CASE_INSENSITIVE : 0) | (/[sp]/.test(flags) ? engine.DOTALL : 0)
  const plainer = flags.includes('x')
    ? source.replaceAll(/\\#|#[^\n]*|(?<!\\)\s+/g, (all) => (all === '\\#' ? '#' : ''))
    : source
  let compiled: Compiled
  try {
    compiled = engine.compile(plainer, bits)
  } catch (error) {
    throw new JqError(
      `${source} (at offset 0) is not a valid regex: ${error instanceof Error ? error.message : error}`,
    )
  }
  const names: (string | undefined)[] = []
  for (const [name, nth] of Object.entries(compiled.namedGroups())) names[nth] = name
  if (patterns.size >= MOST_PATTERNS) patterns.clear()
  const made = { compiled, names }
  patterns.set(id, made)
  return made
}

/** A match as jq tells it: places are in code points. */
function described(
  source: string,
  { start, end, groups }: Match,
  places: (place: number) => number,
): JsonObject {
  return {
    offset: places(start),
    length: lengthOf(source.slice(start, end)),
    string: source.slice(start, end),
    captures: groups.map(({ name, start: from, value }) => ({
      offset: value === null ? -1 : places(from),
      length: value === null ? 0 : lengthOf(value),
      string: value,
      name: name ?? null,
    })),
  }
}

// Times, all in UTC.

const ISO = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[-+]\d\d:?\d\d))?$/

function secondsOf(value: JsonValue): number {
  const source = text(value, 'cannot be parsed as a date')
  const time = ISO.test(source) ? Date.parse(source) : Number.NaN
  if (Number.isNaN(time)) throw unfit(source, '%Y-%m-%dT%H:%M:%SZ')
  return Math.floor(time / 1000)
}

function unfit(source: string, format: string): JqError {
  return new JqError(`date "${source.slice(0, 40)}" does not match format "${format.slice(0, 40)}"`)
}

const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')

/** The parts of a format as patterns, each with its place in a broken down time; names of days and zones have none. */
const TIME_PARTS: Readonly<Record<string, readonly [pattern: string, at?: number]>> = {
  Y: [String.raw`(\d{4})`, 0],
  m: [String.raw`(\d{1,2})`, 1],
  b: ['([A-Za-z]{3,9})', 1],
  B: ['([A-Za-z]{3,9})', 1],
  d: [String.raw` ?(\d{1,2})`, 2],
  e: [String.raw` ?(\d{1,2})`, 2],
  H: [String.raw`(\d{1,2})`, 3],
  M: [String.raw`(\d{1,2})`, 4],
  S: [String.raw`(\d{1,2})`, 5],
  a: ['[A-Za-z]{3,9}'],
  A: ['[A-Za-z]{3,9}'],
  Z: ['[A-Za-z]{1,5}'],
  z: [String.raw`[-+]\d{2}:?\d{2}`],
}

/** A text as its format says, as a broken down time. As in jq, a zone moves nothing. */
function readTime(value: JsonValue, given: string): JsonValue[] {
  const source = text(value, 'cannot be parsed as a date')
  const format = given.replaceAll('%T', '%H:%M:%S').replaceAll('%F', '%Y-%m-%d')
  const places: number[] = []
  const pattern = format.replaceAll(/%(.)|[.*+?^${}()|[\]\\]/g, (sign, letter?: string) => {
    if (letter === undefined) return `\\${sign}`
    const [part, at] = Object.hasOwn(TIME_PARTS, letter) ? (TIME_PARTS[letter] ?? []) : []
    if (part === undefined) throw new JqError(`strptime does not know %${letter}`)
    if (at !== undefined) places.push(at)
    return part
  })
  const found = re2().compile(`^${pattern}$`).matcher(source)
  if (!found.find()) throw unfit(source, given)
  const time = [1900, 0, 1, 0, 0, 0]
  for (const [nth, at] of places.entries()) {
    const part = found.group(nth + 1) ?? ''
    const month = MONTHS.indexOf(part.slice(0, 3).toLowerCase())
    time[at] = at !== 1 ? Number(part) : month >= 0 ? month : Number(part) - 1
  }
  if (!time.every(Number.isFinite)) throw unfit(source, given)
  const [year = 1900, month = 0, day = 1, hour = 0, minute = 0, second = 0] = time
  return brokenDown(Date.UTC(year, month, day, hour, minute, second) / 1000)
}

/** Seconds since 1970 as year, month from 0, day, hour, minute, second, day of the week and of the year. */
function brokenDown(seconds: number): JsonValue[] {
  const date = new Date(seconds * 1000)
  if (Number.isNaN(date.getTime())) throw new JqError('this is no time')
  const year = date.getUTCFullYear()
  const days = Math.floor((date.getTime() - Date.UTC(year, 0, 1)) / 86_400_000)
  return [
    year,
    date.getUTCMonth(),
    date.getUTCDate(),
    date.getUTCHours(),
    date.getUTCMinutes(),
    date.getUTCSeconds() + (seconds % 1),
    date.getUTCDay(),
    days,
  ]
}

/** `value`: seconds since 1970, or a broken down time. */
function written(value: JsonValue, format: JsonValue): string {
  const [year = 1970, month = 0, day = 1, hour = 0, minute = 0, second = 0] = (
    Array.isArray(value) ? value : brokenDown(number(value))
  ).map(number)
  return strftime(text(format, 'is no format'), Date.UTC(year, month, day, hour, minute, second))
}
