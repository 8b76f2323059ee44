/** What stands around an exchange beside modules: part of the proxy, there whenever the settings ask for it. In the order in which it stands. */

export interface Feature {
  /** Of the layer, as `status` and `doctor` show it. */
  readonly name: string
  /** What it does, in a sentence. */
  readonly what: string
  /** When it is there. */
  readonly when: string
}

/** From the client to the servers. */
export const FEATURES: readonly Feature[] = [
  {
    name: 'call-log',
    what: 'Logs every call: client, tool, time, sizes and end.',
    when: '`log.level` is `info` or `debug`',
  },
  { name: 'count', what: 'Counts calls for `/metrics`.', when: 'over HTTP, or with the bridge' },
  { name: 'account', what: 'Notes what answers cost and what was saved, for `stats`.', when: 'always' },
  {
    name: 'retrieve',
    what: 'Lists a tool that finds tools in place of all tools.',
    when: '`exposure` is `retrieve`',
  },
  {
    name: 'dispatch',
    what: 'Lists one tool for everything in place of all tools.',
    when: '`exposure` is `dispatch`',
  },
  {
    name: 'truncate',
    what: 'Cuts long texts and keeps nothing of them.',
    when: '`truncateOutputLength` is set',
  },
  {
    name: 'shape',
    what: 'Keeps large results, puts previews in their place, and has tools that search what is kept.',
    when: 'always',
  },
  {
    name: 'references',
    what: 'Puts kept results where arguments say `{"$from": …}`.',
    when: 'always',
  },
  {
    name: 'result-cache',
    what: 'Answers the same call of a tool that only reads with the same result.',
    when: '`toolCache.ttlMs` is set',
  },
  {
    name: 'router',
    what: 'Makes the servers one: names, quotas of servers, and whose a name is.',
    when: 'always',
  },
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
