/** The layers of ARCHITECTURE.md as a table: each folder may import itself and the folders listed. Nothing else. A test compares the two. */
const base = ['protocol', 'text', 'config', 'data', 'observe', 'services']
const below = [...base, 'store', 'spill', 'discovery', 'upstream', 'server', 'documents', 'query', 'processors', 'engine']
const layers = {
  protocol: [],
  text: ['protocol'],
  observe: ['protocol', 'text'],
  services: ['protocol'],
  config: ['protocol', 'features', 'store'],
  data: ['protocol', 'config'],
  documents: ['protocol', 'text'],
  query: ['protocol', 'text', 'documents'],
  processors: ['protocol', 'text', 'documents', 'query'],
  store: base,
  spill: base,
  discovery: base,
  upstream: base,
  server: base,
  engine: [...base, 'store', 'documents', 'query', 'processors'],
  proxy: [...base, 'store', 'discovery', 'upstream', 'engine'],
  'module-runtime': [...base, 'documents', 'engine'],
  features: [...below, 'proxy', 'module-runtime'],
  gateway: [...below, 'proxy', 'module-runtime', 'features'],
}

const layerRules = Object.entries(layers).map(([folder, allowed]) => ({
  name: `layer-${folder}`,
  comment: `src/${folder} may import only: ${[folder, ...allowed].join(', ')}`,
  severity: 'error',
  from: { path: `^src/${folder}/` },
  to: { path: '^src/', pathNot: `^src/(${[folder, ...allowed].join('|')})/` },
}))

/** The folders inside of a layer, from the ground up: none imports one that stands after it. */
const floors = {
  documents: ['json', 'columns', 'change', 'output-schema', 'binary', 'shape', 'paging', 'overview', 'formats', 'opening', 'fast', 'reply'],
  query: ['language', 'jq', 'fields', 'conditions'],
  processors: ['search', 'steps', 'readings'],
}

const floorRules = Object.entries(floors).flatMap(([layer, folders]) =>
  folders.slice(0, -1).map((folder, at) => ({
    name: `floor-${layer}-${folder}`,
    comment: `src/${layer}/${folder} may not import what stands on it: ${folders.slice(at + 1).join(', ')}`,
    severity: 'error',
    from: { path: `^src/${layer}/${folder}/` },
    to: { path: `^src/${layer}/(${folders.slice(at + 1).join('|')})/` },
  })),
)

/** Imports that a start loads. A dynamic import is loaded when it is asked for. */
const value = { dynamic: false, dependencyTypesNot: ['type-only'] }
/** The features that every call passes. */
const always = 'call-log|savings|truncate|shape|references|query-tools'
/** The list of modules, and what reads it. A configuration that lists no module loads none, nor their options. */
const moduleList = '^src/(features/modules|config/check-modules|gateway/module-list)\\.ts$'

module.exports = {
  forbidden: [
    ...layerRules,
    ...floorRules,
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } } },
    {
      name: 'features-apart',
      comment: 'A feature does not know another: what they share is below them, and the gateway puts them together.',
      severity: 'error',
      from: { path: '^src/features/([^/]+)/' },
      to: { path: '^src/features/', pathNot: '^src/features/$1/' },
    },
    {
      name: 'features-by-index',
      comment: 'A feature is entered by the index of its folder; its options are part of the configuration.',
      severity: 'error',
      from: { path: '^src/(?!features/)' },
      to: { path: '^src/features/[^/]+/', pathNot: '/(index|options)\\.ts$' },
    },
    {
      name: 'features-on-use',
      comment: 'A feature that a configuration may leave out is loaded by import() where it is asked for.',
      severity: 'error',
      from: { path: '^src/' , pathNot: '^src/features/[^/]+/' },
      to: { path: '^src/features/[^/]+/index\\.ts$', pathNot: `^src/features/(${always})/`, ...value },
    },
    {
      name: 'modules-on-use',
      comment: 'The list of modules is loaded where a configuration has some.',
      severity: 'error',
      from: { path: '^src/', pathNot: [moduleList, '^src/(index|cli/status|config/(load-program|generate))\\.ts$'] },
      to: { path: moduleList, ...value },
    },
    {
      name: 'finding-on-use',
      comment: 'The search for tools is loaded by the features that search.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(discovery|features/(code|retrieve|dispatch|scripts))/|^src/proxy/exposure\\.ts$' },
      to: { path: '^src/discovery/', ...value },
    },
    {
      name: 'options-are-configuration',
      comment: 'The configuration knows the options of features and the list of stores, and nothing else of them.',
      severity: 'error',
      from: { path: '^src/config/' },
      to: { path: '^src/(features|store)/', pathNot: '^src/(features/(modules|[^/]+/options)|store/stores)\\.ts$' },
    },
    {
      name: 'cli-through-gateway',
      comment: 'The command line drives the gateway and does not reach behind it. To one that runs, it speaks as the proxy speaks to servers.',
      severity: 'error',
      from: { path: '^src/cli/' },
      to: { path: '^src/', pathNot: ['^src/(cli|config|data|observe|protocol|services|text)/', '^src/(gateway|features/modules)\\.ts$', '^src/upstream/(backoff|http/transport)\\.ts$'] },
    },
    {
      name: 'mcp-sdk-at-the-edges',
      comment: 'Values of the MCP SDK are used where the proxy speaks to others, nowhere else.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(upstream|server)/' },
      to: { path: '@modelcontextprotocol/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'protocol-is-pure',
      comment: 'The protocol that every layer speaks does no input or output.',
      severity: 'error',
      from: { path: '^src/protocol/' },
      to: { dependencyTypes: ['core'] },
    },
    { name: 'src-alone', severity: 'error', from: { path: '^src/' }, to: { path: '^(test|benchmarks|scripts)/' } },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default', 'types'] },
  },
}
