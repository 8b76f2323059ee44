import { integer, oneOf } from '../../config/option.ts'

/** `proxySettings`: what proxy_filter, proxy_search and proxy_explore may do. */
export const queryToolSettings = {
  freshCalls: oneOf(
    ['readOnly', 'all'],
    'Which tools proxy_filter, proxy_search and proxy_explore call themselves: tools that declare `readOnlyHint: true`, or all. With all, a client that approves these three approves every tool behind them.',
  ).default('readOnly'),
  maxAskedSize: integer(
    'The longest answer to a question with a `limit` above 50, if the answer then has all rows. Other answers have at most `maxResponseSize`. Default: four times `maxResponseSize`.',
    { unit: 'characters', min: 200, max: 100_000_000 },
  ).optional(),
  queryTimeoutMs: integer('How long one query over a kept result may take.', {
    unit: 'milliseconds',
    min: 100,
    max: 600_000,
  }).default(20_000),
}
