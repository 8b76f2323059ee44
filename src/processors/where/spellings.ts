/** The operators of a condition, in every spelling that models use. */

export type Operator =
  | '='
  | '<'
  | '<='
  | '>'
  | '>='
  | '~'
  | 'like'
  | 'has'
  | 'contains'
  | 'in'
  | 'has all'
  | 'starts with'
  | 'ends with'
  | 'between'
  | 'is null'
  | 'is empty'
  | 'is true'
  | 'exists'

export interface Spelling {
  operator: Operator
  negated: boolean
  /** Part of many texts and names: an operator only where nothing else is. */
  weak?: true
}

/** By operator; those after `!` are its negation. Blanks stand for any number of them. */
const signs: Readonly<Partial<Record<Operator, string>>> = {
  '=': '= == === ! != !== <>',
  '<': '<',
  '<=': '<= =<',
  '>': '>',
  '>=': '>= =>',
  '~': '~ =~ ~= ~* ! !~ !=~ !~*',
  contains: '*= ! !*=',
  'starts with': '^=',
  'ends with': '$=',
  has: '@>',
}

const words: Readonly<Partial<Record<Operator, string>>> = {
  '=': "eq, equal, equals, is, is equal to, equal to, equals to, is exactly, iequals ! ne, neq, is not, isn't, not equal to, not equals, not equal, is not equal to, does not equal, doesn't equal, not",
  '<': 'lt, less than, is less than, smaller than, lower than, fewer than, is below, is smaller than, is lower than',
  '<=': 'lte, le, at most, is at most, less than or equal to, is less than or equal to, no more than, not greater than, not more than, up to',
  '>': 'gt, greater than, is greater than, more than, is more than, larger than, is larger than, bigger than, higher than, is above, exceeds',
  '>=': 'gte, ge, at least, is at least, greater than or equal to, is greater than or equal to, no less than, not less than',
  '~': "matches, match, regex, regexp, matches regex, matches the regex, rlike, similar to, does match ! not matches, not match, does not match, doesn't match, not regex, not rlike",
  like: 'like, ilike, is like, glob, wildcard ! not like, not ilike, is not like',
  has: "has, have, includes, include, including, any, some, has element, has tag ! not has, not have, does not have, doesn't have, not includes, not include, does not include, doesn't include, excludes, has no",
  contains:
    "contains, contain, containing, icontains ! not contains, not contain, does not contain, doesn't contain, not icontains, !contains",
  in: "in, is in, is one of, one of, is any of, any of, in list, equals any of, has any, has any of, contains any, contains any of, includes any of, overlaps, intersects ! not in, is not in, isn't in, nin, not one of, is not one of, none of, is none of, not any of, has none of, contains none of, !in",
  'has all': 'has all, has all of, contains all, contains all of, includes all, includes all of, all of',
  'starts with':
    "starts with, startswith, starts_with, begins with, beginswith, start with, prefix, has prefix ! not starts with, not startswith, does not start with, doesn't start with",
  'ends with':
    "ends with, endswith, ends_with, end with, suffix, has suffix ! not ends with, not endswith, does not end with, doesn't end with",
  between: 'between, is between, in range ! not between, is not between',
  'is null':
    'is null, isnull, is none, is nil, is undefined, is missing, is absent, is not set, is unset, missing, absent, is not there, is not defined, is not present ! is not null, notnull, isnotnull, not null, present, is not none, is not nil, is not undefined, is not missing, is set, is present, is defined, is not absent',
  'is empty': 'is empty, isempty, is blank ! is not empty, isnotempty, is not blank, not empty, is non-empty',
  exists: "exists, does exist, is existing ! does not exist, doesn't exist, not exists, not exist",
}

/** Words for times, and such as belong to names as well. */
const weakWords: Readonly<Partial<Record<Operator, string>>> = {
  '<': 'below, before, is before, earlier than, older than, prior to',
  '<=': 'until, on or before',
  '>': 'over, above, after, is after, later than, newer than',
  '>=': 'since, is since, on or after',
  '=': 'on, is on',
}

/** Operators as values of `op` in objects: `greater_than`, `startsWith`. Compared without blanks, `_` and `-`. */
const bare = (word: string): string => word.toLowerCase().replaceAll(/[\s_-]|'/g, '')

export const signTable = new Map<string, Spelling>()
export const wordTable = new Map<string, Spelling>()
const bareTable = new Map<string, string>()

function add(
  lists: Readonly<Partial<Record<Operator, string>>>,
  separator: RegExp,
  weak: boolean,
  table: Map<string, Spelling>,
): void {
  for (const [operator, list] of Object.entries(lists) as [Operator, string][]) {
    for (const [at, half] of list.split(/ ! /).entries()) {
      for (const spelling of half.split(separator).map((each) => each.trim())) {
        if (spelling === '') continue
        table.set(spelling, { operator, negated: at === 1, ...(weak && { weak: true as const }) })
        if (!bareTable.has(bare(spelling))) bareTable.set(bare(spelling), spelling)
      }
    }
  }
}

add(signs, /\s+/, false, signTable)
add(words, /,/, false, wordTable)
add(weakWords, /,/, true, wordTable)

/** An operator under any of its names (`greater_than`, `$gte`, `isNotNull`), as it is written in a condition. */
export function operatorNamed(name: string): string | undefined {
  const plain = bare(name.replace(/^\$/, ''))
  return (
    bareTable.get(plain) ??
    bareTable.get(plain.replace(/^i(?=exact|contains|startswith|endswith|regex)/, '')) ??
    others.get(plain)
  )
}

/** Names of operators that only libraries have. */
const others: ReadonlyMap<string, string> = new Map([
  ['exact', '='],
  ['isnotin', 'not in'],
  ['notin', 'not in'],
  ['arraycontains', 'has'],
  ['arraycontainsany', 'in'],
  ['containsany', 'in'],
  ['substring', 'contains'],
  ['search', '~'],
  ['isnt', '!='],
])

/** `comments__gte`, `comments_gt`: a field with the operator after it. Undefined when there is none. */
export function operatorAtEnd(field: string): { field: string; operator: string } | undefined {
  const [, name, written] =
    /^(.+?)(?:__|_|\.\$|\$)(gte?|lte?|ne|neq|eq|n?in|not_in|i?contains|i?starts_?with|i?ends_?with|isnull|is_null|exists|i?regex|i?exact|not|like|ilike|has|any|between|range)$/i.exec(
      field,
    ) ?? []
  const operator =
    written === undefined ? undefined : written.toLowerCase() === 'range' ? 'between' : operatorNamed(written)
  return name === undefined || operator === undefined ? undefined : { field: name, operator }
}
