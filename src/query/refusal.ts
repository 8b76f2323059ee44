/**
 * Parameters that do not fit the document. The message is for the model: what is wrong and what to write instead.
 * Thrown inside a step only; `defineStep` turns it into the `error` of the result.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal'
}

/** No record has a field that was named: another place of the document may have it. */
export class UnknownField extends Refusal {}

/** A condition without an operator. `plain`: what is wrong with it, without what to write. */
export class NoOperator extends Refusal {
  readonly plain: string

  constructor(plain: string, example: string) {
    super(`${plain} ${example}`)
    this.plain = plain
  }
}

/** The value of `read`, or undefined where it is refused; `refused` is told why. */
export function safely<T>(read: () => T, refused?: (why: string) => void): T | undefined {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    refused?.(error.message)
    return undefined
  }
}

/** A name or expression as it may appear in a message: short, on one line. */
export function shown(text: string, limit = 80): string {
  const line = text.replaceAll(/\s+/g, ' ')
  return line.length > limit ? `${line.slice(0, limit)}…` : line
}

/** `a`, `b`, `c`: names quoted and listed, with how many more there are. */
export function listed(names: readonly string[], limit = 8): string {
  const quoted = names.slice(0, limit).map((name) => `\`${shown(name)}\``)
  const rest = names.length - quoted.length
  return quoted.join(', ') + (rest > 0 ? ` and ${rest} more` : '')
}
