/** How often something may be done, as it is written in the configuration. */
import { integer, number } from './option.ts'

/** `calls`: what `rps` counts, in a sentence. */
export function rate(calls: string) {
  return {
    rps: number(calls, { unit: 'calls', min: 0.001, max: 1_000_000 }),
    burst: integer(
      'Calls that may be made at once after a pause. Not set: those of a second, one at least.',
      {
        unit: 'calls',
        min: 1,
        max: 1_000_000,
      },
    ).optional(),
  }
}
