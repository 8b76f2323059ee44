/** The functions of `aggregate`: from the values of a field in each group to one value. */
import type { JsonValue } from '../../protocol/json.ts'
import type { Call } from './call.ts'
import { distinctIn, extremesIn } from './compared.ts'
import type { Gathered } from './group.ts'
import type { Numbers } from './numbers.ts'
import { deviationsIn, percentilesIn } from './spread.ts'
import { countsOf, meansIn, sumsIn } from './sums.ts'

/**
 * The value of a function for each group. Null where there is nothing to compute from. `percent` gives the sum that is to be
 * divided. `numbers`: those of the values; for min and max undefined where they are compared as text. `decimals`: digits behind the point of each.
 */
export function computeGroups(
  { name, rank }: Pick<Call, 'name' | 'rank'>,
  gathered: Gathered,
  numbers: Numbers | undefined,
  decimals: Uint16Array | undefined,
): readonly JsonValue[] {
  if (name === 'count') return Array.from(countsOf(gathered))
  if (name === 'distinct') return distinctIn(gathered)
  if (name === 'min' || name === 'max') return extremesIn(gathered, name === 'min' ? -1 : 1, numbers)
  if (!numbers || !decimals) return []
  if (name === 'sum' || name === 'percent') return sumsIn(gathered, numbers, decimals)
  if (name === 'avg') return meansIn(gathered, numbers, decimals)
  if (name === 'stddev') return deviationsIn(gathered, numbers, decimals)
  return percentilesIn(gathered, numbers, name === 'median' ? 50 : (rank ?? 50))
}
