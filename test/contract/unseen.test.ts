/**
 * Questions as somebody writes them who has only seen the preview: one call, no path, over shapes of data that no benchmark has. The right
 * answer comes from plain code, or the data was made of it.
 */
import { expect, test } from 'vitest'
import type { Document } from '../../src/documents/document.ts'
import { fromRecognised } from '../../src/documents/opening/derive.ts'
import { filterParams, searchParams } from '../../src/processors/parameters.ts'
import { runPipeline } from '../../src/processors/pipeline.ts'
import { filterSteps, searchSteps } from '../../src/processors/pipelines.ts'
import { withStatement } from '../../src/processors/readings/statement.ts'

const tree = JSON.stringify({
  name: 'root',
  kind: 'folder',
  children: Array.from({ length: 6 }, (_, i) => ({
    name: `area-${i}`,
    kind: 'folder',
    owner: ['ann', 'bo', 'cy'][i % 3],
    children: Array.from({ length: 5 }, (_, j) => ({
      name: `file-${i}-${j}.md`,
      kind: 'file',
      size: (i + 1) * 100 + j * 7,
      owner: ['ann', 'bo', 'cy'][(i + j) % 3],
      children:
        j === 4 ? [{ name: `deep-${i}.txt`, kind: 'file', size: 9000 + i, owner: 'dee', children: [] }] : [],
    })),
  })),
})
const map = JSON.stringify({
  updated: '2024-06-01',
  region: 'eu-west',
  services: Object.fromEntries(
    Array.from({ length: 24 }, (_, i) => [
      `svc-${String.fromCharCode(97 + i)}`,
      {
        port: 8000 + i,
        status: i % 5 === 0 ? 'down' : 'up',
        cpu: (i * 37) % 100,
        tags: i % 2 ? ['web', 'edge'] : ['batch'],
        limits: { memory: `${(i % 4) + 1}Gi` },
      },
    ]),
  ),
})
const lists = JSON.stringify({
  meta: { project: 'atlas', version: 7, generated: '2024-05-05' },
  members: Array.from({ length: 12 }, (_, i) => ({
    id: `u${i}`,
    name: `Person ${i}`,
    role: ['dev', 'ops', 'pm'][i % 3],
  })),
  tickets: Array.from({ length: 40 }, (_, i) => ({
    key: `AT-${i + 1}`,
    summary: i === 17 ? 'Login fails behind the corporate firewall' : `Task number ${i + 1}`,
    assignee: `u${i % 12}`,
    points: (i * 3) % 8,
    done: i % 4 === 0,
  })),
  sprints: [
    { sprint: 'S1', goal: 'ship the importer', velocity: 21 },
    { sprint: 'S2', goal: 'stabilise search', velocity: 34 },
    { sprint: 'S3', goal: 'cut costs', velocity: 28 },
  ],
})
const trial = JSON.stringify({
  studies: Array.from({ length: 10 }, (_, i) => ({
    protocol: {
      ident: { nct: `NCT000${i}`, title: `Study of agent ${'ABCDEFGHIJ'[i]}` },
      status: { overall: i % 3 ? 'RECRUITING' : 'COMPLETED', start: `202${i % 5}-0${(i % 9) + 1}-15` },
    },
    sites: Array.from({ length: 3 + (i % 3) }, (_, j) => ({
      city: ['Lyon', 'Oslo', 'Bonn', 'Turin'][(i + j) % 4],
      country: ['FR', 'NO', 'DE', 'IT'][(i + j) % 4],
      enrolled: i * 10 + j,
    })),
  })),
})
const md = `# Handbook\n\nWelcome to the handbook.\n\n## Travel\n\nBook flights through the portal. Receipts are due within 14 days.\n\n### Per diem\n\n| Country | Daily rate | Currency |\n|---|---|---|\n| Norway | 95 | EUR |\n| Italy | 62 | EUR |\n| Japan | 11000 | JPY |\n| Canada | 88 | CAD |\n\n### Rail\n\nFirst class needs approval by a director.\n\n## Leave\n\nTwenty-five days a year. Unused days expire on 31 March.\n\n## Equipment\n\n- Laptops are replaced every 36 months.\n- Monitors: up to two.\n- Lost badges cost 20 EUR.\n\n## Security\n\nReport phishing to security@atlas.test. Passwords must have 16 characters.\n`
const log = `${Array.from(
  { length: 120 },
  (_, i) =>
    `2024-05-${String(1 + (i >> 5)).padStart(2, '0')}T${String(i % 24).padStart(2, '0')}:15:00Z ${i % 10 === 0 ? 'ERROR' : i % 4 === 0 ? 'WARN' : 'INFO'} [${['auth', 'billing', 'search'][i % 3]}] request id=r${1000 + i} took ${(i * 13) % 900}ms${i === 50 ? ' timeout while contacting ledger' : ''}`,
).join('\n')}\n`
const csv = `${[
  '"Order #";Customer name;"Total (EUR)";Ship-to Country;2024 Rank;Placed on',
  ...Array.from(
    { length: 50 },
    (_, i) =>
      `A-${100 + i};"${['Ng, Li', 'Oden', 'Paz', 'Quinn'][i % 4]}";${(i * 17.5).toFixed(2).replace('.', ',')};${['FR', 'DE', 'ES'][i % 3]};${50 - i};${String((i % 28) + 1).padStart(2, '0')}.0${(i % 6) + 1}.2024`,
  ),
].join('\n')}\n`
const yaml = Array.from(
  { length: 8 },
  (_, i) =>
    `apiVersion: apps/v1\nkind: ${i % 2 ? 'Service' : 'Deployment'}\nmetadata:\n  name: app-${i}\n  namespace: ${i < 4 ? 'prod' : 'dev'}\nspec:\n  replicas: ${i + 1}\n  template:\n    spec:\n      containers:\n        - name: main-${i}\n          image: repo/app:${i}.0\n`,
).join('---\n')
const graph = JSON.stringify({
  data: {
    repository: {
      name: 'atlas',
      stargazerCount: 512,
      issues: {
        totalCount: 30,
        nodes: Array.from({ length: 30 }, (_, i) => ({
          number: i + 1,
          title: `Bug ${i + 1}`,
          author: { login: ['kim', 'lee', 'moe'][i % 3] },
          labels: { nodes: i % 2 ? [{ name: 'bug' }, { name: 'p1' }] : [{ name: 'docs' }] },
          comments: { totalCount: (i * 7) % 11 },
          createdAt: `2024-0${(i % 6) + 1}-10T08:00:00Z`,
        })),
      },
    },
  },
})

const plan = JSON.stringify({
  format_version: '1.2',
  resource_changes: Array.from({ length: 20 }, (_, i) => ({
    address: `net.disk.d${i}`,
    type: ['disk', 'role'][i % 2],
    change: {
      actions: [['create'], ['delete', 'create'], ['delete'], ['no-op']][i % 4],
      before: { size: 'small' },
      after: { size: i % 5 ? 'small' : 'large' },
    },
  })),
})
const series = JSON.stringify({
  status: 'success',
  data: {
    result: Array.from({ length: 4 }, (_, i) => ({
      metric: { job: ['api', 'web'][i % 2], instance: `host-${i}` },
      values: Array.from({ length: 30 }, (_, j) => [1_772_524_800 + j * 60, String(i * 100 + j)]),
    })),
  },
})
const rows = [
  ' id |       created_at       | active | total',
  '----+------------------------+--------+------',
  ...Array.from(
    { length: 40 },
    (_, i) =>
      ` ${String(i).padStart(2)} | 2026-0${1 + (i % 2)}-03 1${i % 10}:00:00+00 | ${i % 4 ? 'f' : 't'}      | ${String(i * 3).padStart(5)}`,
  ),
  '(40 rows)',
].join('\n')
const processes = [
  'USER       PID %CPU %MEM COMMAND',
  ...Array.from(
    { length: 40 },
    (_, i) =>
      `${['root', 'www'][i % 2]?.padEnd(8)} ${String(100 + i).padStart(5)} ${((i * 7) % 40).toFixed(1).padStart(4)}  1.0 worker-${i}`,
  ),
].join('\n')
const forecast = JSON.stringify({
  hourly: {
    time: Array.from({ length: 24 }, (_, i) => `2026-03-03T${String(i).padStart(2, '0')}:00`),
    temperature: Array.from({ length: 24 }, (_, i) => i),
  },
  daily: { time: ['2026-03-03', '2026-03-04', '2026-03-05'], sunshine: [3.5, 7.25, 0] },
})
const pages = JSON.stringify({
  results: Array.from({ length: 12 }, (_, i) => ({
    id: `page-${i}`,
    properties: {
      Name: { id: 'title', type: 'title', title: [{ plain_text: `Task ${i}` }] },
      'Due date': {
        id: 'b',
        type: 'date',
        date: { start: `2026-04-${String(28 - i * 2).padStart(2, '0')}`, end: null },
      },
    },
  })),
})
const pods = JSON.stringify({
  kind: 'List',
  items: Array.from({ length: 10 }, (_, i) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `pod-${i}`, uid: `u-${i}` },
    status: { reason: i === 4 ? 'Evicted' : '' },
  })),
})

const calendar = JSON.stringify({
  items: Array.from({ length: 20 }, (_, i) => ({
    id: `event-${i}`,
    start:
      i % 4 === 0
        ? { date: `2026-03-${String(20 - i).padStart(2, '0')}` }
        : {
            dateTime: `2026-03-${String(20 - i).padStart(2, '0')}T09:00:00+01:00`,
            timeZone: 'Europe/Berlin',
          },
    created: `2026-02-${String(i + 1).padStart(2, '0')}T08:00:00Z`,
    updated: `2026-02-${String(i + 4).padStart(2, '0')}T08:00:00Z`,
    user: { login: ['ann', 'bo'][i % 2] },
  })),
})
const soap = `<?xml version="1.0"?><s:Envelope xmlns:s="urn:s"><s:Body><n:Invoices xmlns:n="urn:n">${Array.from(
  { length: 20 },
  (_, i) =>
    `<n:Invoice id="INV-${i}"><n:Total currency="${i % 2 ? 'EUR' : 'USD'}">${(i * 10.25).toFixed(2)}</n:Total></n:Invoice>`,
).join('')}</n:Invoices></s:Body></s:Envelope>`
const packages = [
  'Package    Version Editable project location',
  '---------- ------- -------------------------',
  ...Array.from(
    { length: 30 },
    (_, i) => `pkg-${String(i).padEnd(6)} 1.${String(i).padEnd(5)}${i % 10 === 0 ? ` /src/pkg-${i}` : ''}`,
  ),
].join('\n')
const workflow = Array.from(
  { length: 30 },
  (_, i) =>
    `build\t${i < 10 ? 'Set up job' : 'Run tests'}\t2026-03-03T08:${10 + i}:11.1234567Z ${i === 17 ? '##[error]Process completed with exit code 1.' : `ok ${i}`}`,
).join('\n')
const goods = `Item,Qty.,Notes\n${Array.from({ length: 20 }, (_, i) => `a-${i},${i},${i % 5 ? 'fine' : ''}`).join('\n')}\n`

const machines = JSON.stringify({
  Reservations: Array.from({ length: 8 }, (_, i) => ({
    ReservationId: `r-${i}`,
    Instances: Array.from({ length: 3 }, (_, j) => ({
      InstanceId: `i-${i}${j}`,
      InstanceType: ['t3.micro', 'm5.large', 'c5.xlarge'][j],
      State: { Code: 16, Name: j === 2 ? 'stopped' : 'running' },
      Tags: [
        { Key: 'Name', Value: `web-${i}${j}` },
        { Key: 'env', Value: i % 2 ? 'prod' : 'dev' },
      ],
    })),
  })),
})
const runs = JSON.stringify({
  total_count: 12,
  workflow_runs: Array.from({ length: 12 }, (_, i) => ({
    id: 100 + i,
    jobs: [
      {
        name: 'build',
        steps: [
          { name: 'checkout', conclusion: 'success' },
          { name: 'compile', conclusion: i % 4 ? 'success' : 'failure' },
        ],
      },
      { name: 'test', steps: [{ name: 'unit', conclusion: i % 4 ? 'success' : 'failure' }] },
    ],
  })),
})
const invoices = JSON.stringify({
  data: Array.from({ length: 20 }, (_, i) => ({
    id: `in_${i}`,
    lines: {
      data: [
        { description: 'Seats', amount: (i + 1) * 600 },
        { description: 'Support', amount: (i + 1) * 400 },
      ],
    },
  })),
})
const described = Array.from(
  { length: 12 },
  (_, i) => `Name:         web-${i}
Namespace:    shop
Labels:       app=web
              tier=front
Status:       Running
Containers:
  web:
    Image:          shop/web:1.4.${i}
    State:          Running
      Started:      Mon, 06 May 2024 10:00:05 +0200
    Restart Count:  0
  sidecar:
    Image:          shop/proxy:0.9
    State:          Waiting
      Reason:       CrashLoopBackOff
    Restart Count:  ${i * 2}
    Mounts:
      /var/run/secrets from kube-api (ro)
Events:
  Type     Reason     Age   From     Message
  ----     ------     ----  ----     -------
  Normal   Pulled     11m   kubelet  Image already present
  Warning  ${i % 3 === 0 ? 'BackOff' : 'Evicted'}    2m    kubelet  Container ${i} failed
`,
).join('\n\n')

const groupsOfPeople = JSON.stringify({
  groups: Array.from({ length: 12 }, (_, i) => ({
    id: i,
    members: Array.from({ length: 5 }, (_, j) => ({
      name: `n${i}-${j}`,
      role: j === 0 ? 'lead' : 'dev',
      email: j === 1 || (j === 2 && i < 3) ? null : `n${i}@x`,
      skills: j % 2 ? ['go', 'sql'] : ['ts'],
      hours: 10 * j,
    })),
  })),
})
const reported = JSON.stringify(
  Array.from({ length: 60 }, (_, i) => ({
    id: i,
    tags: [
      { key: 'browser', value: i % 2 ? 'Chrome' : 'Firefox' },
      { key: 'env', value: ['prod', 'dev', 'test'][i % 3] },
    ],
    actions: [{ causes: [{ user: i % 4 ? 'ann' : 'bob' }] }, { failures: i % 5 }],
  })),
)
const tagged = JSON.stringify({ image: { tag: '1.20', exp: '1e5', on: 'true' } })

const bank = JSON.stringify([
  { page: 1, pages: 1, total: 60 },
  Array.from({ length: 60 }, (_, i) => ({
    country: { id: i % 2 ? 'BR' : 'IN', value: i % 2 ? 'Brazil' : 'India' },
    date: String(1990 + (i >> 1)),
    value: i === 7 ? null : i,
  })),
])
const boards = JSON.stringify({
  boards: Array.from({ length: 25 }, (_, i) => ({ id: `b${i}`, name: `Board ${i}`, size: i })),
  people: Array.from({ length: 10 }, (_, i) => ({ id: `p${i}`, name: `Person ${i}`, age: 20 + i })),
})
const prices = JSON.stringify({
  series: Object.fromEntries(
    Array.from({ length: 30 }, (_, i) => [
      `2026-01-${String(i + 1).padStart(2, '0')}`,
      {
        '1. open': String(100 + (i % 3)),
        '4. close': String(101 + (i % 2)),
        fee: { amount: '2.50', currency: 'EUR' },
      },
    ]),
  ),
})

const tag = (key: string, value: string | number): object => ({
  key,
  value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value },
})
const traces = JSON.stringify({
  resourceSpans: ['cart', 'pay', 'auth'].map((service, at) => ({
    resource: { attributes: [tag('service.name', service), tag('host.name', `h${at}`)] },
    scopeSpans: [
      {
        scope: { name: 'http' },
        spans: Array.from({ length: 20 }, (_, nth) => ({
          spanId: `${at}-${nth}`,
          name: ['GET /cart', 'POST /pay', 'db.query'][nth % 3],
          attributes: [tag('http.status_code', nth % 5 ? 200 : 500), tag('http.method', 'GET')],
          status: { code: nth % 4 ? 0 : 2 },
        })),
      },
    ],
  })),
})

const texts = {
  traces,
  tree,
  map,
  lists,
  trial,
  md,
  log,
  csv,
  yaml,
  graph,
  plan,
  series,
  rows,
  processes,
  forecast,
  pages,
  pods,
  calendar,
  soap,
  packages,
  workflow,
  machines,
  runs,
  invoices,
  described,
  goods,
  groupsOfPeople,
  reported,
  tagged,
  bank,
  boards,
  prices,
}

type Question = [
  document: keyof typeof texts,
  kind: 'filter' | 'search',
  params: Record<string, unknown>,
  /** Patterns that the reply holds. */
  wanted: string[],
  /** How many rows, where that is a part of the answer. */
  rows?: number,
]

const closedAbove = Array.from({ length: 30 }, (_, i) => 101 + (i % 2) > 100 + (i % 3)).filter(Boolean).length

const questions: Question[] = [
  ['tree', 'filter', { where: 'name = file-3-2.md' }, ['"size":414']],
  ['tree', 'filter', { where: 'kind = file and size > 8000' }, ['deep-0', 'deep-5'], 6],
  ['tree', 'filter', { where: 'owner = dee', aggregate: 'count' }, ['6']],
  [
    'tree',
    'filter',
    { where: 'kind = file', aggregate: 'sum(size)' },
    [
      String(
        Array.from(
          { length: 6 },
          (_, i) => [0, 1, 2, 3, 4].reduce((s, j) => s + (i + 1) * 100 + j * 7, 0) + 9000 + i,
        ).reduce((a, b) => a + b),
      ),
    ],
  ],
  ['tree', 'filter', { where: 'kind = file', group_by: 'owner', aggregate: 'count' }, ['"dee","count":6']],
  ['tree', 'filter', { where: 'name = area-4', fields: 'owner' }, ['bo']],
  ['tree', 'filter', { sort: '-size', limit: 1 }, ['9005']],
  ['tree', 'search', { pattern: 'deep-2' }, ['deep-2.txt', 'area-2|children\\[2\\]']],
  ['tree', 'filter', { where: 'name ~ ^deep', fields: 'name, owner' }, ['deep-0.txt', 'dee'], 6],
  ['map', 'filter', { where: 'status = down' }, ['svc-a', 'svc-f', 'svc-u'], 5],
  ['map', 'filter', { where: 'name = svc-c' }, ['8002']],
  ['map', 'filter', { where: 'svc-c', fields: 'port' }, ['8002']],
  ['map', 'search', { pattern: 'svc-d' }, ['8003']],
  ['map', 'filter', { sort: '-cpu', limit: 1, fields: 'cpu' }, ['svc-t|99|96']],
  ['map', 'filter', { group_by: 'status' }, ['"down","count":5']],
  ['map', 'filter', { where: 'tags has edge', aggregate: 'count' }, ['12']],
  ['map', 'filter', { where: 'limits.memory > 3Gi', aggregate: 'count' }, ['6']],
  ['map', 'filter', { where: 'memory = 4Gi', aggregate: 'count' }, ['6']],
  ['map', 'filter', { fields: 'region' }, ['eu-west']],
  ['map', 'filter', { where: 'service = svc-b' }, ['8001']],
  ['lists', 'filter', { where: 'sprint = S2' }, ['34']],
  ['lists', 'filter', { where: 'role = ops' }, ['Person 1', 'Person 4'], 4],
  ['lists', 'filter', { where: 'id = u5' }, ['Person 5']],
  ['lists', 'filter', { where: 'name = "Person 7"' }, ['u7']],
  ['lists', 'filter', { fields: 'version' }, ['7']],
  ['lists', 'filter', { aggregate: 'sum(velocity)' }, ['83']],
  ['lists', 'filter', { group_by: 'role' }, ['"dev","count":4']],
  ['lists', 'filter', { where: 'velocity > 25', fields: 'goal' }, ['stabilise search', 'cut costs'], 2],
  [
    'lists',
    'filter',
    { where: 'done = true', aggregate: 'sum(points)' },
    [String(Array.from({ length: 40 }, (_, i) => (i % 4 === 0 ? (i * 3) % 8 : 0)).reduce((a, b) => a + b))],
  ],
  ['lists', 'search', { pattern: 'firewall' }, ['AT-18']],
  ['lists', 'filter', { join_on: 'assignee = id', where: 'key = AT-18', fields: 'name' }, ['Person 5']],
  ['lists', 'filter', { sort: '-velocity', limit: 1 }, ['S2']],
  ['lists', 'filter', { where: 'project = atlas' }, ['atlas']],
  ['trial', 'filter', { where: 'nct = NCT0004' }, ['Study of agent E']],
  [
    'trial',
    'filter',
    { where: 'city = Oslo', aggregate: 'count' },
    [
      String(
        Array.from({ length: 10 }, (_, i) =>
          Array.from({ length: 3 + (i % 3) }, (_, j) => (i + j) % 4 === 1),
        ).filter((s) => s.some(Boolean)).length,
      ) +
        '|' +
        Array.from({ length: 10 }, (_, i) =>
          Array.from({ length: 3 + (i % 3) }, (_, j) => Number((i + j) % 4 === 1)),
        )
          .flat()
          .reduce((a, b) => a + b),
    ],
  ],
  ['trial', 'filter', { where: 'overall = COMPLETED', fields: 'nct' }, ['NCT0000', 'NCT0009'], 4],
  ['trial', 'filter', { group_by: 'country', aggregate: 'sum(enrolled)' }, ['FR', 'NO']],
  ['trial', 'filter', { where: 'start < 2021-01-01', aggregate: 'count' }, ['2']],
  ['trial', 'filter', { where: 'title contains agent H' }, ['NCT0007']],
  ['md', 'search', { pattern: 'phishing' }, ['security@atlas.test']],
  ['md', 'filter', { where: 'Country = Japan' }, ['11000']],
  ['md', 'filter', { where: 'Daily rate > 80 and Currency != JPY' }, ['Norway', 'Canada'], 2],
  ['md', 'search', { pattern: 'unused vacation days expire', mode: 'bm25' }, ['31 March']],
  ['md', 'search', { pattern: 'how often are laptops replaced' }, ['36 months']],
  ['md', 'search', { pattern: 'Rail', mode: 'context', context_type: 'section' }, ['director']],
  ['log', 'filter', { where: 'level = ERROR', aggregate: 'count' }, ['12']],
  ['log', 'filter', { group_by: 'level' }, ['ERROR"?,"count":12']],
  ['log', 'search', { pattern: 'ledger' }, ['r1050']],
  ['log', 'filter', { where: 'message contains ledger' }, ['r1050']],
  ['log', 'filter', { where: 'level = ERROR and message contains billing', aggregate: 'count' }, ['4']],
  ['log', 'filter', { where: 'time >= 2024-05-03', aggregate: 'count' }, ['56']],
  ['csv', 'filter', { where: 'Order # = A-117' }, ['297']],
  [
    'csv',
    'filter',
    { aggregate: 'sum(Total (EUR))' },
    [String(Array.from({ length: 50 }, (_, i) => i * 17.5).reduce((a, b) => a + b)).replace('.', '\\.')],
  ],
  ['csv', 'filter', { group_by: 'country' }, ['FR"?,"count":17']],
  ['csv', 'filter', { where: '2024 Rank <= 3', fields: 'Order #' }, ['A-149', 'A-147'], 3],
  ['csv', 'filter', { where: 'customer = "Ng, Li"', aggregate: 'count' }, ['13']],
  ['csv', 'filter', { sort: '-total', limit: 1, fields: 'order' }, ['A-149']],
  ['yaml', 'filter', { where: 'kind = Deployment and replicas > 4' }, ['app-4', 'app-6'], 2],
  ['yaml', 'filter', { where: 'name = app-3', fields: 'image' }, ['repo/app:3.0']],
  ['yaml', 'filter', { where: 'namespace = dev', aggregate: 'sum(replicas)' }, ['26']],
  ['graph', 'filter', { where: 'author = kim', aggregate: 'count' }, ['10']],
  ['graph', 'filter', { where: 'labels has p1', aggregate: 'count' }, ['15']],
  ['graph', 'filter', { where: 'label = bug', aggregate: 'count' }, ['15']],
  ['graph', 'filter', { sort: '-comments', limit: 1, fields: 'number, comments' }, ['10']],
  ['graph', 'filter', { group_by: 'created:month' }, ['2024-01']],
  ['graph', 'filter', { fields: 'stargazerCount' }, ['512']],
  ['graph', 'filter', { where: 'number = 12', fields: 'title, author' }, ['Bug 12', 'lee|moe|kim']],
  ['plan', 'filter', { where: 'actions = ["create"]', aggregate: 'count' }, ['"count":5', 'the whole list']],
  ['plan', 'filter', { where: 'actions != ["delete", "create"]', aggregate: 'count' }, ['"count":15']],
  ['plan', 'filter', { where: 'actions = [create, delete]', aggregate: 'count' }, ['"count":5']],
  ['plan', 'filter', { where: 'before.size != after.size', aggregate: 'count' }, ['"count":4']],
  ['series', 'filter', { aggregate: 'max(values)' }, ['"329"', 'a time and a value']],
  ['series', 'filter', { group_by: 'instance', aggregate: 'avg(value)' }, ['14.5', '314.5'], 4],
  ['rows', 'filter', { where: "created_at >= '2026-02-01'", aggregate: 'count' }, ['"count":20']],
  ['rows', 'filter', { group_by: 'created_at:month' }, ['2026-01', '2026-02'], 2],
  ['rows', 'filter', { where: 'active', aggregate: 'count' }, ['"count":10']],
  ['rows', 'filter', { where: 'not active', aggregate: 'count' }, ['"count":30']],
  ['processes', 'filter', { sort: '-cpu', limit: 1 }, ['39.0']],
  ['forecast', 'filter', { path: 'daily', sort: '-sunshine', limit: 1 }, ['2026-03-04']],
  ['pages', 'filter', { sort: 'Due date', limit: 1 }, ['Task 11', '2026-04-06']],
  ['pods', 'search', { pattern: 'Evicted' }, ['pod-4']],
  [
    'pods',
    'filter',
    { where: '.items[] | select(.status.reason == "Evicted") | .metadata.name' },
    ['pod-4'],
    1,
  ],
  [
    'pods',
    'filter',
    { path: '.items[] | {name: .metadata.name, why: .status.reason}' },
    ['"why":"Evicted"'],
    10,
  ],
  ['pods', 'filter', { where: '.results[] | select(.kind == "Pod") | .metadata.name' }, ['pod-9'], 10],
  [
    'map',
    'filter',
    { where: '.services | to_entries[] | select(.value.status == "down") | .key' },
    ['svc-u'],
    5,
  ],
  ['calendar', 'filter', { where: 'start >= 2026-03-11', aggregate: 'count' }, ['"count":10']],
  ['calendar', 'filter', { sort: 'start', limit: 1 }, ['event-19']],
  ['calendar', 'filter', { where: 'author = ann', aggregate: 'count' }, ['"count":10']],
  ['calendar', 'filter', { aggregate: 'avg(date_diff(day, created, updated))' }, ['"?:3\\}']],
  ['soap', 'filter', { aggregate: 'sum(Total)' }, ['1947.5']],
  ['soap', 'filter', { sort: '-Total', limit: 1 }, ['INV-19']],
  [
    'packages',
    'filter',
    { where: 'Editable project location is not empty', aggregate: 'count' },
    ['"count":3'],
  ],
  [
    'workflow',
    'filter',
    { where: 'level = error', fields: 'step, message' },
    ['Run tests', 'exit code 1'],
    1,
  ],
  // The conditions choose reservations; the answer is the instance.
  [
    'machines',
    'filter',
    { where: ['Tags.env = prod', 'InstanceType = m5.large'], fields: 'InstanceId' },
    ['Of its 12 elements 4 fulfil the condition', 'i-11.*i-31.*i-51.*i-71.*path.*Instances'],
  ],
  [
    'machines',
    'filter',
    { where: 'Name = web-31', fields: 'InstanceId' },
    ['1 fulfils the condition.{0,30}i-31'],
  ],
  ['machines', 'filter', { where: 'State = running', aggregate: 'count' }, ['count.{1,3}:16']],
  [
    'runs',
    'filter',
    { where: 'jobs.steps.conclusion = failure', fields: ['id', 'jobs.name', 'jobs.steps.name'] },
    ['Of its 9 elements 6 fulfil the condition.{0,30}compile.{0,40}unit'],
    3,
  ],
  [
    'invoices',
    'filter',
    { where: 'lines.description = Support', aggregate: 'sum(lines.amount)' },
    ['condition: .{0,30}:84000'],
  ],
  [
    'described',
    'filter',
    { where: '"Restart Count" > 17', fields: 'Name' },
    ['web-9', 'web-10', 'web-11'],
    3,
  ],
  ['described', 'filter', { where: 'Image = shop/web:1.4.7', fields: 'Name' }, ['web-7'], 1],
  ['described', 'filter', { where: 'Events.Reason = BackOff', aggregate: 'count' }, ['"count":4']],
  ['described', 'filter', { where: '"State Reason" = CrashLoopBackOff', aggregate: 'count' }, ['"count":12']],
  ['described', 'filter', { where: 'Labels ~ tier=front', aggregate: 'count' }, ['"count":12']],
  ['goods', 'filter', { aggregate: 'sum(Qty.)' }, ['190']],
  ['goods', 'filter', { where: 'Notes is not null', aggregate: 'count' }, ['4 with an empty `Notes`']],
  // A negative condition of a record is about all of its elements; single ones fulfil it elsewhere.
  [
    'groupsOfPeople',
    'filter',
    { where: 'members.email is null', aggregate: 'count' },
    ['"count":0', 'elements of all records that fulfil the condition: .{0,20}:15'],
  ],
  [
    'groupsOfPeople',
    'filter',
    { where: 'members.role != lead', fields: 'members.name' },
    ['that fulfil the condition: .{0,20}:48'],
    0,
  ],
  [
    'groupsOfPeople',
    'filter',
    { where: 'role = dev and email is null', aggregate: 'count' },
    ['that fulfil the condition: .{0,20}:15'],
  ],
  [
    'groupsOfPeople',
    'filter',
    { where: 'members.skills has sql', aggregate: 'count' },
    ['"count":12', 'that fulfil the condition: .{0,20}:24'],
  ],
  [
    'groupsOfPeople',
    'filter',
    { where: 'skills = ts and id < 6', aggregate: 'sum(hours)' },
    ['alone that fulfil the condition: .{0,30}:360'],
  ],
  [
    'groupsOfPeople',
    'filter',
    { group_by: 'skills', aggregate: 'sum(hours)' },
    ['"go","sum.{0,20}":480', '"ts","sum.{0,20}":720'],
  ],
  [
    'groupsOfPeople',
    'filter',
    { where: 'members.role = lead', group_by: 'members.role', aggregate: 'count' },
    ['is over all `members`.{0,200}lead.{0,20}12'],
  ],
  // Two tags are never in one element, and neither are two kinds of elements.
  ['reported', 'filter', { where: 'browser = Chrome and env = prod', aggregate: 'count' }, ['"count":10']],
  ['reported', 'filter', { where: ['browser = Chrome', 'env != prod'], aggregate: 'count' }, ['"count":20']],
  ['reported', 'filter', { where: 'user = ann and failures > 3', aggregate: 'count' }, ['"count":9']],
  // The records beside what tells of their pages.
  ['bank', 'filter', { where: 'country = Brazil and date >= 2010', aggregate: 'count' }, ['"count":10']],
  ['bank', 'filter', { group_by: 'country.value', aggregate: 'max(value)' }, ['"India","max.value.":58']],
  // A value that only another list has.
  ['boards', 'filter', { where: 'id = p3' }, ['Person 3', 'shown are those at .{0,20}people'], 1],
  ['boards', 'filter', { where: 'name contains person', aggregate: 'count' }, ['"count":0', 'Others do']],
  ['prices', 'filter', { where: 'close > open', aggregate: 'count' }, [`"count":${closedAbove}`]],
  ['prices', 'filter', { where: '4. close > 1. open', aggregate: 'count' }, [`"count":${closedAbove}`]],
  ['prices', 'filter', { aggregate: 'sum(fee * 2)' }, [':150']],
  ['traces', 'filter', { where: 'http.status_code = 500', aggregate: 'count' }, ['"count":12']],
  [
    'traces',
    'filter',
    { where: 'service.name = pay and status.code = 2', aggregate: 'count' },
    ['"count":5'],
  ],
  [
    'traces',
    'filter',
    { where: 'name = db.query', group_by: 'service.name' },
    ['cart","count":6', 'auth","count":6'],
    3,
  ],
]

test.each([
  ['image.tag', '1.20'],
  ['image.exp', '1e5'],
  ['image.on', 'true'],
])('a text stays as it is at %s', (path, text) => {
  const { document } = runPipeline(documentOf('tagged'), filterSteps, { path })
  expect(document.text).toBe(text)
})

const opened = new Map<string, Document>()

function documentOf(name: keyof typeof texts): Document {
  const document = opened.get(name) ?? fromRecognised(texts[name])
  opened.set(name, document)
  return document
}

test.each(questions)('%s: %s %j', (name, kind, params, wanted, count) => {
  const { limit, ...asked } = params
  const { params: told, before } = withStatement(asked, [{ handle: '', document: documentOf(name) }])
  const read = (kind === 'filter' ? filterParams : searchParams).parse(told)
  const steps = kind === 'filter' ? filterSteps : searchSteps
  const {
    document,
    steps: reports,
    error,
  } = runPipeline(documentOf(name), [...(before ? [before] : []), ...steps], read)
  expect(error).toBeUndefined()
  const { items } = document.rows()
  if (count !== undefined) expect(items).toHaveLength(count)
  const shown = typeof limit === 'number' ? items.slice(0, limit) : items
  const reply = JSON.stringify([shown, reports.flatMap(({ metadata }) => metadata.notes ?? [])])
  for (const each of wanted) expect(reply).toMatch(new RegExp(each))
})

test('a name that would lose its operator is refused', () => {
  const { error, steps } = runPipeline(documentOf('prices'), filterSteps, {
    fields: ['4. close * 2 as twice'],
  })
  const said = JSON.stringify([error, steps.flatMap(({ metadata }) => metadata.notes ?? [])])
  expect(said).toContain('No record has the field')
})

test('the largest of a tree is sought at all of its levels', () => {
  const { document, steps } = runPipeline(documentOf('tree'), filterSteps, { aggregate: ['max(size)'] })
  expect(document.rows().items).toEqual([{ 'max(size)': 9005 }])
  expect(JSON.stringify(steps.flatMap(({ metadata }) => metadata.notes ?? []))).toContain('$..children[*]')
})
