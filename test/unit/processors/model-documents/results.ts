/** Answers of search engines, clouds, databases and file systems. */
import type { JsonValue } from '../../../../src/protocol/json.ts'

export const elastic: JsonValue = {
  took: 5,
  timed_out: false,
  _shards: { total: 5, successful: 5 },
  hits: {
    total: { value: 4, relation: 'eq' },
    max_score: 9.1,
    hits: [
      hit('a1', 9.1, {
        '@timestamp': '2024-05-01T10:00:00.123Z',
        level: 'ERROR',
        message: 'timeout after 30s',
        service: { name: 'api', version: '1.2' },
        duration_ms: 30_000,
        'http.status': 504,
      }),
      hit('a2', 7.5, {
        '@timestamp': '2024-05-01T10:00:05Z',
        level: 'warn',
        message: 'slow query',
        service: { name: 'db', version: '9' },
        duration_ms: 1500,
        'http.status': 200,
      }),
      hit('a3', 3, {
        '@timestamp': '2024-05-02T00:00:00Z',
        level: 'INFO',
        message: 'started',
        service: { name: 'api', version: '1.3' },
        duration_ms: 12,
      }),
      hit('a4', 1.25, {
        '@timestamp': '2024-06-01T00:00:00Z',
        level: 'error',
        message: 'timeout',
        service: { name: 'web' },
        duration_ms: 90_000,
        'http.status': 503,
      }),
    ],
  },
}

function hit(_id: string, _score: number, _source: JsonValue): JsonValue {
  return { _index: 'logs-2024', _id, _score, _source }
}

export const prometheus: JsonValue = {
  status: 'success',
  data: {
    resultType: 'matrix',
    result: [
      {
        metric: { __name__: 'up', instance: 'a:9090', job: 'node' },
        values: [
          [1714556400, '1'],
          [1714556460, '0'],
          [1714556520, '0.5'],
        ],
      },
      {
        metric: { __name__: 'up', instance: 'b:9090', job: 'node' },
        values: [
          [1714556400, '1'],
          [1714556460, '1'],
          [1714556520, '1'],
        ],
      },
      {
        metric: { __name__: 'up', instance: 'c:9100', job: 'db' },
        values: [
          [1714556400, '0.25'],
          [1714556460, '0.75'],
          [1714556520, '12.5'],
        ],
      },
    ],
  },
}

export const ec2: JsonValue = {
  Reservations: [
    {
      ReservationId: 'r-1',
      OwnerId: '012345678901',
      Instances: [
        instance(
          'i-01',
          't3.micro',
          'running',
          [
            ['Name', 'web-1'],
            ['Env', 'prod'],
          ],
          2,
        ),
        instance(
          'i-02',
          't3.large',
          'stopped',
          [
            ['Name', 'web-2'],
            ['Env', 'dev'],
          ],
          2,
        ),
      ],
    },
    {
      ReservationId: 'r-2',
      OwnerId: '012345678901',
      Instances: [
        instance(
          'i-03',
          'm5.large',
          'running',
          [
            ['Name', 'db-1'],
            ['Env', 'prod'],
            ['Backup', 'web-1'],
          ],
          4,
        ),
      ],
    },
    {
      ReservationId: 'r-3',
      OwnerId: '099999999999',
      Instances: [instance('i-04', 'm5.large', 'running', [], 4)],
    },
    {
      ReservationId: 'r-4',
      OwnerId: '099999999999',
      Instances: [instance('i-05', 'c5.xlarge', 'terminated', [['Env', 'Name']], 8)],
    },
  ],
}

function instance(
  InstanceId: string,
  InstanceType: string,
  state: string,
  tags: readonly (readonly [string, string])[],
  cores: number,
): JsonValue {
  return {
    InstanceId,
    InstanceType,
    State: { Code: 16, Name: state },
    Placement: { AvailabilityZone: `eu-west-1${InstanceId === 'i-03' ? 'b' : 'a'}` },
    CpuOptions: { CoreCount: cores },
    LaunchTime: '2024-05-01T10:00:00+00:00',
    Tags: tags.map(([Key, Value]) => ({ Key, Value })),
    SecurityGroups: [{ GroupName: 'default', GroupId: 'sg-1' }],
  }
}

export const sql: JsonValue = {
  columns: ['id', 'customer_name', 'total', 'status', 'ordered_at', 'big_id', 'note'],
  rows: [
    [1, "O'Brien", '19.99', 'shipped', '2024-05-01 10:00:00', '9007199254740993', null],
    [2, 'Müller & Söhne', '5', 'new', '2024-05-02 11:00:00', '9007199254740992', ''],
    [3, 'Acme, Inc.', '100.5', 'Shipped', '2024-06-01 00:00:00', '12', 'call "Bob" and wait'],
    [4, 'Zoë', null, 'cancelled', '2023-01-01 00:00:00', '13', 'a = b'],
  ],
  rowCount: 4,
}

export const graph: JsonValue = {
  entities: [
    { type: 'entity', name: 'Ann', entityType: 'person', observations: ['likes tea', 'works at Acme'] },
    {
      type: 'entity',
      name: 'Acme',
      entityType: 'company',
      observations: ['founded 1999', 'makes anvils', 'big'],
    },
    { type: 'entity', name: 'Bo', entityType: 'person', observations: [] },
    { type: 'entity', name: 'anvil', entityType: 'product', observations: ['heavy'] },
  ],
  relations: [
    { type: 'relation', from: 'Ann', to: 'Acme', relationType: 'works_at' },
    { type: 'relation', from: 'Acme', to: 'anvil', relationType: 'makes' },
    { type: 'relation', from: 'Bo', to: 'Ann', relationType: 'knows' },
  ],
}

export const tree: JsonValue = {
  name: 'src',
  type: 'directory',
  children: [
    { name: 'main.ts', type: 'file', size: 120 },
    {
      name: 'lib',
      type: 'directory',
      children: [
        { name: 'a.ts', type: 'file', size: 3000 },
        {
          name: 'deep',
          type: 'directory',
          children: [
            { name: 'b.ts', type: 'file', size: 50_000 },
            { name: 'main.ts', type: 'file', size: 7 },
          ],
        },
      ],
    },
    { name: 'README.md', type: 'file', size: 900 },
    { name: 'empty', type: 'directory', children: [] },
  ],
}
