/** Conditions on the elements of a list that are written as its value: `labels has name = bug`, `labels contains {"name": "bug"}`. */
import { isObject } from '../../protocol/json.ts'
import type { Comparison } from './condition.ts'

/** The condition, where the value of the comparison is one. */
export function conditionIn({ operator, operands: [operand] }: Comparison): string | undefined {
  if (!operand || operand.quoted || !['has', 'contains', '='].includes(operator)) return undefined
  if (/^\{.+\}$/s.test(operand.text)) return equations(operand.text)
  return /^\w+\s*(?:=|:)\s*\S/.test(operand.text) && operator !== '=' ? operand.text : undefined
}

/** `{"name": "bug"}` as `name = "bug"`. */
function equations(json: string): string | undefined {
  try {
    const value: unknown = JSON.parse(json)
    if (!isObject(value)) return undefined
    return Object.entries(value)
      .map(([key, held]) => `${key} = ${JSON.stringify(held)}`)
      .join(' and ')
  } catch {
    return undefined
  }
}
