declare module 'jmespath' {
  /** The tree of an expression. Throws where it is none. */
  export function compile(expression: string): unknown
  /** Throws where a function is given what it does not take. */
  export function search(input: unknown, expression: string): unknown
}
