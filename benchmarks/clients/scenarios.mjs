/**
 * The steps of the scripted model in each scenario. A step: `tool`, `args` (`$HANDLE`: the last handle that the model saw) and `fresh`
 * (forgets the handle). `kind` is for the sums of tokens, and `answer` is a pattern of a right result.
 * A scenario has `steps`. With `proxy` false the client speaks to the server itself. With `approve` false nothing is approved beforehand.
 * With `settings` the client's file has the entry of `mcp-rlm-proxy init`. `fillers`: how many more tools the server has.
 */
const TOTAL = /\b1,?437\b/
const big = { tool: 'orders_list_orders', fresh: true, kind: 'large', answer: TOTAL }
const question = (tool, args, answer) => ({
  tool,
  args: { cache_id: '$HANDLE', ...args },
  kind: 'question',
  answer,
})
const count = question(
  'proxy_filter',
  { path: 'orders', where: ['state = late'], aggregate: 'count' },
  /\b479\b/,
)
const small = (tool, answer) => ({ tool: `orders_${tool}`, kind: 'small', answer })

const asked = [
  { tool: 'orders_count_orders', answer: /RAN count_orders/ },
  // Some clients get records alone: that it ran is what counts here.
  { ...big, answer: /ORD-10000/ },
  count,
  { tool: 'orders_note_order', answer: /RAN note_order/ },
  { tool: 'orders_cancel_order', answer: /RAN cancel_order/ },
]

export const SIZES = [8, 12, 20, 30, 50, 100, 200]

export const scenarios = {
  main: {
    steps: [
      big,
      count,
      question(
        'proxy_filter',
        { path: 'orders', sort: '-amount', fields: ['id', 'amount'], limit: 5 },
        /ORD-\d+.*919|919.*ORD-\d+/s,
      ),
      question('proxy_search', { pattern: 'customer1400@' }, /customer1400@example\.org/),
      small('get_order', /ORD-10042/),
      small('list_late_orders', /ORD-10033/),
      small('order_history', /line 000014/),
      small('describe_towns', /Porto/),
      small('count_orders', /RAN count_orders/),
    ],
  },
  ask: { approve: false, steps: asked },
  settings: { approve: false, settings: true, steps: asked },
  listed: { fillers: 150, steps: [big, count] },
  limits: {
    proxy: false,
    steps: SIZES.map((kilo) => ({ tool: `text_${kilo}k`, kind: 'size', characters: kilo * 1000 })),
  },
}
