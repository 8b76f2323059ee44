/** The features that stand around an exchange, in their order: the one list that the onion, `status` and the documentation are made of. */
import { callLog } from '../features/call-log/index.ts'
import { references } from '../features/references/index.ts'
import { savings } from '../features/savings/index.ts'
import { shape } from '../features/shape/index.ts'
import { truncation } from '../features/truncate/index.ts'
import type { Feature } from '../proxy/feature.ts'

/** A feature that is loaded where the settings ask for it: the gateway opens it and hands its layers to the onion. */
type OnDemand = Omit<Feature, 'layer'>

const metrics: OnDemand = {
  name: 'count',
  what: 'Counts calls for `/metrics`.',
  when: 'over HTTP, or with the bridge',
}
const retrieve: OnDemand = {
  name: 'retrieve',
  what: 'Lists a tool that finds tools in place of all tools.',
  when: '`exposure` is `retrieve`',
}
const dispatch: OnDemand = {
  name: 'dispatch',
  what: 'Lists one tool for everything in place of all tools.',
  when: '`exposure` is `dispatch`',
}
const resultCache: OnDemand = {
  name: 'result-cache',
  what: 'Answers the same call of a tool that only reads with the same result.',
  when: '`toolCache.ttlMs` is set',
}
const router: OnDemand = {
  name: 'router',
  what: 'Makes the servers one: names, quotas of servers, and whose a name is.',
  when: 'always',
}

/** From the client to the servers. */
export const FEATURES: readonly OnDemand[] = [
  callLog,
  metrics,
  savings,
  retrieve,
  dispatch,
  truncation,
  shape,
  references,
  resultCache,
  router,
]

/** Modules stand between these two, or right before `router`. */
const OUTER_MODULES_AFTER = 'dispatch'

/** Markdown: the features, and where modules stand among them. */
export function featuresTable(): string {
  const rows = FEATURES.flatMap(({ name, what, when }) => [
    ...(name === 'router' ? [MODULES_INSIDE] : []),
    `| \`${name}\` | ${what} | ${when} |`,
    ...(name === OUTER_MODULES_AFTER ? [LAYERS, MODULES_OUTSIDE] : []),
  ])
  return ['| layer | what it does | when it is there |', '| --- | --- | --- |', ...rows].join('\n')
}

const LAYERS = '| *layers* | Those that an embedding program hands in as `middlewares`. | as it says |'
const MODULES_OUTSIDE = '| *modules* | Those that are listed before `shape`. | as `modules` says |'
const MODULES_INSIDE =
  '| *modules* | Those that are listed after `shape`, and all without it. | as `modules` says |'
