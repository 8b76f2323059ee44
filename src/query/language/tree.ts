/**
 * The tree that every expression is read to, whatever language it was written in. The parser and the dialects make it. The evaluator,
 * messages and steps read it. Plain data; nothing in it is a function.
 */

/** Something that has a value in a record. */
export type Expression = Literal | FieldName | Call | Arithmetic | Negative | Case | Condition

/** A value as it was written. */
export interface Literal {
  kind: 'literal'
  /** Without quotes. */
  text: string
  /** In quotes: then it is never a field, and its text is taken whole. */
  quoted: boolean
}

/** A field, as a model wrote its name: `user.login`, `labels[].name`, `@.price`, `Issue key`. Resolved by `fields.ts`. */
export interface FieldName {
  kind: 'field'
  name: string
}

/** `lower(title)`, `title.lower()`, `sum(price)`: a scalar function, an aggregate or a window function. */
export interface Call {
  kind: 'call'
  /** As written. `functionNamed`, `aggregateNamed` find it under any of its names. */
  name: string
  args: Expression[]
  /** `count(distinct user)`. */
  distinct?: true
  /** `over (partition by a, b order by c desc)`. */
  over?: { partition: Expression[]; order: Ordering[] }
}

export interface Ordering {
  by: Expression
  descending: boolean
}

/** `a / b`, `first || ' ' || last`. */
export interface Arithmetic {
  kind: 'arithmetic'
  operator: '+' | '-' | '*' | '/' | '%' | '||'
  left: Expression
  right: Expression
}

export interface Negative {
  kind: 'negative'
  operand: Expression
}

/** `case when a > 5 then 'big' else 'small' end`. */
export interface Case {
  kind: 'case'
  branches: { when: Condition; value: Expression }[]
  otherwise?: Expression
}

/** Something that a record fulfils or not. */
export type Condition = Joined | Not | Comparison | Within

export interface Joined {
  kind: 'and' | 'or'
  parts: Condition[]
}

export interface Not {
  kind: 'not'
  part: Condition
}

/** One side against values, by an operator of the table in `operators.ts`. */
export interface Comparison {
  kind: 'comparison'
  left: Expression
  /** The symbol of a row of the table: `=`, `has all`, `is null`. */
  operator: string
  /** No value may fulfil it; a field that is absent fulfils it too. */
  negated: boolean
  operands: Expression[]
  /** As written, shortened, for messages. */
  written: string
  /** Written `field:value`: where no value is equal, a part of one is meant. */
  colon?: true
}

/** Elements of a list against a condition of their own: `any(labels, name = bug)`. */
export interface Within {
  kind: 'within'
  field: string
  quantifier: 'any' | 'all' | 'none'
  /** Read once the elements, and so the names of their fields, are known. */
  condition: string
  written: string
}

/** An expression with the name that its result is to have: `sum(price) as revenue`. */
export interface Named {
  expression: Expression
  /** As written, the name aside. */
  source: string
  as?: string
}

/** True for what a record fulfils or not. */
export function isCondition(expression: Expression): expression is Condition {
  return ['and', 'or', 'not', 'comparison', 'within'].includes(expression.kind)
}

/** The parts that an expression is made of, one level down. */
export function partsOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case 'call':
      return expression.args
    case 'arithmetic':
      return [expression.left, expression.right]
    case 'negative':
      return [expression.operand]
    case 'case': {
      const parts = expression.branches.flatMap(({ when, value }): Expression[] => [when, value])
      return expression.otherwise ? [...parts, expression.otherwise] : parts
    }
    case 'and':
    case 'or':
      return expression.parts
    case 'not':
      return [expression.part]
    case 'comparison':
      return [expression.left, ...expression.operands]
    case 'literal':
    case 'field':
    case 'within':
      return []
  }
}

/** A copy in which every part that `change` gives another for is that one; what it gives is not looked into. */
export function mapped(
  expression: Expression,
  change: (one: Expression) => Expression | undefined,
): Expression {
  return change(expression) ?? mapParts(expression, (part) => mapped(part, change))
}

/** The expression as a condition: that it is true. */
export function asCondition(expression: Expression): Condition {
  return isCondition(expression) ? expression : comparing(expression, 'is true')
}

/** A comparison; one that is not written stands in no message. */
export function comparing(left: Expression, operator: string, more: Partial<Comparison> = {}): Comparison {
  return { kind: 'comparison', left, operator, negated: false, operands: [], written: '', ...more }
}

/** The names of all fields in an expression, each once, in the order in which they are written. */
export function fieldsIn(expression: Expression): string[] {
  const names = new Set<string>()
  const visit = (one: Expression): void => {
    if (one.kind === 'field') names.add(one.name)
    if (one.kind === 'within') names.add(one.field)
    partsOf(one).forEach(visit)
  }
  visit(expression)
  return [...names]
}

/** The texts of its literals. */
export function literalsIn(expression: Expression): string[] {
  return expression.kind === 'literal' ? [expression.text] : partsOf(expression).flatMap(literalsIn)
}

/** An expression as text that is read to the same expression again; the name of a computed field, and of its column. */
export function sourceOf(expression: Expression): string {
  switch (expression.kind) {
    case 'literal':
      return expression.quoted ? quoted(expression.text) : expression.text
    case 'field':
      return expression.name
    case 'call': {
      const args = expression.args.map(sourceOf).join(', ')
      return `${expression.name}(${expression.distinct ? 'distinct ' : ''}${args})${windowOf(expression)}`
    }
    case 'arithmetic':
      return `${operandOf(expression.left)} ${expression.operator} ${operandOf(expression.right)}`
    case 'negative':
      return `-${operandOf(expression.operand)}`
    case 'case': {
      const branches = expression.branches.map(
        ({ when, value }) => ` when ${sourceOf(when)} then ${sourceOf(value)}`,
      )
      const otherwise = expression.otherwise ? ` else ${sourceOf(expression.otherwise)}` : ''
      return `case${branches.join('')}${otherwise} end`
    }
    case 'and':
    case 'or':
      return expression.parts.map((part) => `(${sourceOf(part)})`).join(` ${expression.kind} `)
    case 'not':
      return `not (${sourceOf(expression.part)})`
    case 'within':
      return `${expression.quantifier}(${expression.field}, ${expression.condition})`
    case 'comparison': {
      const { left, operator, negated, operands } = expression
      const values = operands.map(sourceOf)
      const listed =
        operator === 'in' || operator === 'has all' ? `(${values.join(', ')})` : values.join(' and ')
      const text =
        operator === 'is true'
          ? sourceOf(left)
          : `${sourceOf(left)} ${operator}${values.length > 0 ? ` ${listed}` : ''}`
      return negated ? `not (${text})` : text
    }
  }
}

function windowOf({ over }: Call): string {
  if (!over) return ''
  const partition = over.partition.length > 0 ? `partition by ${over.partition.map(sourceOf).join(', ')}` : ''
  const order =
    over.order.length > 0
      ? `order by ${over.order.map(({ by, descending }) => sourceOf(by) + (descending ? ' desc' : '')).join(', ')}`
      : ''
  return ` over (${[partition, order].filter((part) => part !== '').join(' ')})`
}

function operandOf(expression: Expression): string {
  const text = sourceOf(expression)
  return expression.kind === 'arithmetic' || expression.kind === 'negative' ? `(${text})` : text
}

function quoted(text: string): string {
  const mark = ["'", '"', '`'].find((each) => !text.includes(each)) ?? "'"
  return `${mark}${text.replaceAll(mark, mark + mark)}${mark}`
}

/** The same expression, its parts one level down changed. A part of a condition stays one: a field in its place is one that is true. */
export function mapParts(one: Expression, change: (part: Expression) => Expression): Expression {
  const condition = (part: Condition): Condition => asCondition(change(part))
  switch (one.kind) {
    case 'call':
      return { ...one, args: one.args.map(change) }
    case 'arithmetic':
      return { ...one, left: change(one.left), right: change(one.right) }
    case 'negative':
      return { ...one, operand: change(one.operand) }
    case 'case':
      return {
        ...one,
        branches: one.branches.map(({ when, value }) => ({ when: condition(when), value: change(value) })),
        ...(one.otherwise && { otherwise: change(one.otherwise) }),
      }
    case 'and':
    case 'or':
      return { ...one, parts: one.parts.map(condition) }
    case 'not':
      return { ...one, part: condition(one.part) }
    case 'comparison':
      return { ...one, left: change(one.left), operands: one.operands.map(change) }
    default:
      return one
  }
}
