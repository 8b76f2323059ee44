/** Documents of the shapes that servers send, small enough to know every answer by heart. */
import type { JsonValue } from '../../../src/protocol/json.ts'
import { geojson, nodes, openapi, packument, terraform } from './model-documents/infrastructure.ts'
import { ec2, elastic, graph, prometheus, sql, tree } from './model-documents/results.ts'
import { feed, graphql, har, jsonapi, mixed, orders, teams } from './model-documents/shapes.ts'
import { jira, pulls, slack, stripe } from './model-documents/trackers.ts'

/** By name, with what tells a row apart. */
export const documents = {
  pulls: { value: pulls, id: 'number' },
  jira: { value: jira, id: 'key' },
  slack: { value: slack, id: 'ts' },
  stripe: { value: stripe, id: 'id' },
  nodes: { value: nodes, id: 'metadata.name' },
  terraform: { value: terraform, id: 'name' },
  openapi: { value: openapi, id: '_key' },
  geojson: { value: geojson, id: 'id' },
  packument: { value: packument, id: '_key' },
  elastic: { value: elastic, id: '_id' },
  prometheus: { value: prometheus, id: 'metric.instance' },
  ec2: { value: ec2, id: 'ReservationId' },
  sql: { value: sql, id: 'id' },
  graph: { value: graph, id: 'name' },
  tree: { value: tree, id: 'name' },
  jsonapi: { value: jsonapi, id: 'id' },
  graphql: { value: graphql, id: 'node.number' },
  feed: { value: feed, id: '@id' },
  mixed: { value: mixed, id: 'Order ID' },
  teams: { value: teams, id: '_key' },
  har: { value: har, id: 'request.url' },
  orders: { value: orders, id: 'id' },
} as const satisfies Record<string, { value: JsonValue; id: string }>
