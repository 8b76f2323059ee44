/** Documents of clusters, package registries and maps. */
import type { JsonValue } from '../../../../src/protocol/json.ts'

export const nodes: JsonValue = {
  apiVersion: 'v1',
  kind: 'NodeList',
  metadata: { resourceVersion: '12345' },
  items: [
    node('node-a', 'amd64', '4', '16Gi', 'True', ['NoSchedule'], 'v1.29.10'),
    node('node-b', 'arm64', '8', '32000Mi', 'False', [], 'v1.29.4'),
    node('node-c', 'amd64', '16', '512Mi', 'True', [], 'v1.30.1'),
  ],
}

function node(
  name: string,
  arch: string,
  cpu: string,
  memory: string,
  ready: string,
  taints: string[],
  kubelet: string,
): JsonValue {
  return {
    metadata: {
      name,
      labels: { 'kubernetes.io/arch': arch, 'kubernetes.io/os': 'linux', zone: `eu-${name.at(-1) ?? ''}` },
      creationTimestamp: '2024-05-01T00:00:00Z',
    },
    spec: {
      podCIDR: '10.0.0.0/24',
      ...(taints.length > 0 ? { taints: taints.map((effect) => ({ key: 'dedicated', effect })) } : {}),
    },
    status: {
      capacity: { cpu, memory, pods: '110' },
      conditions: [
        { type: 'MemoryPressure', status: 'False', lastHeartbeatTime: '2024-05-03T00:00:00Z' },
        { type: 'Ready', status: ready, lastHeartbeatTime: '2024-05-02T00:00:00Z' },
      ],
      nodeInfo: { kubeletVersion: kubelet, osImage: 'Ubuntu 22.04' },
      addresses: [
        { type: 'InternalIP', address: '10.0.0.1' },
        { type: 'Hostname', address: name },
      ],
    },
  }
}

export const terraform: JsonValue = {
  version: 4,
  terraform_version: '1.7.5',
  outputs: { url: { value: 'https://x.io', type: 'string' } },
  resources: [
    resource('aws_instance', 'web', [
      { id: 'i-1', instance_type: 't3.micro', tags: { Name: 'web-1', Env: 'prod' } },
      { id: 'i-2', instance_type: 't3.large', tags: { Name: 'web-2', Env: 'dev' } },
    ]),
    resource('aws_instance', 'db', [
      { id: 'i-3', instance_type: 'm5.large', tags: { Name: 'db-1', Env: 'prod' } },
    ]),
    resource('aws_s3_bucket', 'logs', [{ id: 'acme-logs', versioning: [{ enabled: true }], tags: null }]),
    {
      mode: 'data',
      type: 'aws_ami',
      name: 'ubuntu',
      provider: 'aws',
      instances: [{ schema_version: 0, attributes: { id: 'ami-1', tags: {} } }],
    },
  ],
}

function resource(type: string, name: string, attributes: JsonValue[]): JsonValue {
  return {
    mode: 'managed',
    type,
    name,
    provider: 'provider["registry.terraform.io/hashicorp/aws"]',
    instances: attributes.map((one, at) => ({ index_key: at, schema_version: 1, attributes: one })),
  }
}

export const openapi: JsonValue = {
  openapi: '3.0.1',
  info: { title: 'Pets', version: '1.2.0' },
  paths: {
    '/pets': {
      get: {
        operationId: 'listPets',
        tags: ['pets'],
        parameters: [{ name: 'limit', in: 'query', required: false, schema: { type: 'integer' } }],
      },
      post: { operationId: 'createPet', tags: ['pets', 'admin'], deprecated: true },
    },
    '/pets/{petId}': {
      get: {
        operationId: 'showPet',
        tags: ['pets'],
        parameters: [{ name: 'petId', in: 'path', required: true }],
      },
    },
    '/stores': { get: { operationId: 'listStores', tags: ['stores'] } },
    '/stores/{id}/orders': { delete: { operationId: 'dropOrders', tags: ['stores', 'admin'] } },
  },
  components: {
    schemas: {
      Pet: {
        type: 'object',
        required: ['id'],
        properties: { id: { type: 'integer' }, name: { type: 'string' } },
      },
      Error: { type: 'object', properties: { code: { type: 'integer' } } },
    },
  },
}

export const geojson: JsonValue = {
  type: 'FeatureCollection',
  features: [
    feature(1, 'Berlin', 3_700_000, [13.4, 52.5], 'DE', 34.5),
    feature(2, 'Paris', 2_100_000, [2.35, 48.85], 'FR', 35),
    feature(3, 'São Paulo', 12_300_000, [-46.6, -23.5], 'BR', 760),
    feature(4, 'Köln', null, [6.96, 50.94], 'DE', 37),
  ],
}

function feature(
  id: number,
  name: string,
  population: number | null,
  coordinates: number[],
  country: string,
  elevation: number,
): JsonValue {
  return {
    type: 'Feature',
    id,
    geometry: { type: 'Point', coordinates },
    properties: { name, population, country, 'elev-m': elevation },
  }
}

export const packument: JsonValue = {
  name: 'tiny',
  'dist-tags': { latest: '2.0.0', next: '3.0.0-beta.1' },
  versions: {
    '1.0.0': release('1.0.0', '>=10', 12_000, { lodash: '^4.0.0' }),
    '1.10.0': release('1.10.0', '>=12', 15_000, { lodash: '^4.17.0', debug: '4.3.1' }, 'use 2.x'),
    '2.0.0': release('2.0.0', '>=18', 9_000, {}),
    '3.0.0-beta.1': release('3.0.0-beta.1', '>=20', 9_500, { debug: '^4.3.4' }),
  },
  time: {
    created: '2019-01-01T00:00:00Z',
    '1.0.0': '2019-01-02T00:00:00Z',
    '1.10.0': '2021-06-01T00:00:00Z',
    '2.0.0': '2023-02-01T00:00:00Z',
    '3.0.0-beta.1': '2024-05-05T00:00:00Z',
  },
}

function release(
  version: string,
  node: string,
  unpackedSize: number,
  dependencies: Record<string, string>,
  deprecated?: string,
): JsonValue {
  return {
    name: 'tiny',
    version,
    engines: { node },
    dependencies,
    dist: { tarball: `https://r.io/tiny-${version}.tgz`, unpackedSize, fileCount: 7 },
    ...(deprecated === undefined ? {} : { deprecated }),
  }
}
