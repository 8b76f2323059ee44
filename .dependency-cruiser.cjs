/** The layers of ARCHITECTURE.md as a table: each folder may import itself and the folders listed. Nothing else. A test compares the two. */
const base = ['protocol', 'text', 'config', 'telemetry']
const layers = {
  protocol: [],
  text: [],
  telemetry: [],
  config: ['protocol'],
  documents: base,
  processors: [...base, 'documents'],
  store: base,
  discovery: base,
  upstream: base,
  arguments: [...base, 'store'],
  engine: [...base, 'documents', 'processors', 'arguments'],
  modules: [...base, 'documents', 'store', 'engine', 'arguments'],
  tools: [...base, 'documents', 'processors', 'store', 'engine'],
  spill: [...base, 'store'],
  utils: [...base, 'spill'],
  exposure: [...base, 'processors', 'store', 'engine', 'arguments', 'spill', 'discovery', 'tools'],
  pipeline: [...base, 'upstream', 'modules', 'tools'],
  downstream: base,
}

const layerRules = Object.entries(layers).map(([folder, below]) => ({
  name: `layer-${folder}`,
  comment: `src/${folder} may import only: ${[folder, ...below].join(', ')}`,
  severity: 'error',
  from: { path: `^src/${folder}/` },
  to: { path: '^src/', pathNot: `^src/(${[folder, ...below].join('|')})/` },
}))

/** What finds tools, what serves scripts, what remembers results, and what wires that. */
const onUse = '^src/((discovery|exposure|downstream/bridge|modules/result-cache)/|gateway/(exposure-[a-z]+|finder|bridge|metrics)\\.ts$)'

/** What checks, makes and is a module: of `src/modules` all but the layers that are always there. */
const modulesOnUse =
  '^src/(modules/(?!(account|buckets|call-log|count|module|own-names|questions|references|rounds|shape|shape-fallback|short-names|stack|taker|token-bucket|truncate)\\.ts$|result-cache/)|config/(modules/(?!holders\\.ts$)|check-(modules|used-module|external-module)\\.ts$)|gateway/module-[a-z]+\\.ts$)'
/** For programs and for what is generated: no client waits for them. */
const withModules = '^src/(index|config/(load|json-schema|option-table))\\.ts$'

module.exports = {
  forbidden: [
    ...layerRules,
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } } },
    {
      name: 'cli-through-gateway',
      comment: 'The command line drives the gateway; it does not reach behind it.',
      severity: 'error',
      from: { path: '^src/cli/' },
      to: { path: '^src/', pathNot: ['^src/(cli|config|telemetry|protocol|text)/', '^src/gateway\\.ts$'] },
    },
    {
      name: 'mcp-sdk-at-the-edges',
      comment: 'Values of the MCP SDK are used where the proxy speaks to others, nowhere else.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(upstream|downstream)/' },
      to: { path: '@modelcontextprotocol/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'protocol-is-pure',
      comment: 'What every layer speaks does no input or output.',
      severity: 'error',
      from: { path: '^src/protocol/' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'found-on-use',
      comment: 'Who lets tools pass through does not load what finds them or serves scripts: it is imported when it is asked for.',
      severity: 'error',
      from: { path: '^src/', pathNot: onUse },
      to: { path: onUse, pathNot: '^src/exposure/names\\.ts$', dynamic: false, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'modules-on-use',
      comment: 'A configuration without modules loads none, nor their options: they are imported when it lists some.',
      severity: 'error',
      from: { path: '^src/', pathNot: [modulesOnUse, withModules] },
      to: { path: modulesOnUse, dynamic: false, dependencyTypesNot: ['type-only'] },
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
