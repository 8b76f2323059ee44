/** Generated JSON as the tools of issue trackers, shops, clusters and monitoring send it. */
import { START } from './vocabulary.mjs'

const range = (count, make) => Array.from({ length: count }, (_, at) => make(at))
const LABELS = [
  'bug',
  'enhancement',
  'documentation',
  'good first issue',
  'performance',
  'security',
  'needs info',
  'duplicate',
  'regression',
  'api',
]

/** The reply of a search for issues. */
export function issues(count, random, say) {
  const users = range(Math.max(4, count / 6), (at) => ({
    login: `${say.noun()}-${say.hex(4)}`,
    id: 1000 + at * 37,
    type: random.often(0.1) ? 'Bot' : 'User',
    site_admin: false,
  }))
  const numbers = range(count, (at) => 4000 - at * 3 - random.below(3))
  const items = numbers.map((number) => {
    const created = START + random.below(300 * 86_400)
    const closed = random.often(0.45)
    return {
      url: `https://tracker.example.com/repos/acme/engine/issues/${number}`,
      id: 1_800_000_000 + number * 7919,
      number,
      title: say.title(),
      user: say.zipf(users),
      labels: random
        .shuffled(LABELS)
        .slice(0, random.below(4))
        .map((name) => ({
          id: 100 + LABELS.indexOf(name),
          name,
          color: `${100000 + LABELS.indexOf(name) * 54321}`,
          default: LABELS.indexOf(name) < 4,
        })),
      state: closed ? 'closed' : 'open',
      assignee: random.often(0.3) ? say.zipf(users) : null,
      comments: Math.floor(40 * random.next() ** 4),
      created_at: say.iso(created),
      updated_at: say.iso(created + random.below(40 * 86_400)),
      closed_at: closed ? say.iso(created + random.below(60 * 86_400)) : null,
      reactions: { total_count: random.below(12), '+1': random.below(9), heart: random.below(3) },
      body: `### What happens\n\n${say.paragraphs(1, 4)}\n\n### Steps\n\n${range(random.between(2, 5), (at) => `${at + 1}. ${say.sentence()}`).join('\n')}\n\n\`\`\`\nError: ${say.adjective()} ${say.noun()} at 0x${say.hex(8)}\n\`\`\`\n`,
    }
  })
  return { total_count: count * 41, incomplete_results: false, items }
}

/** Products, and orders that point to them. */
export function shop(count, random, say) {
  const products = range(Math.max(12, count / 15), (at) => ({
    product_id: say.digits(10),
    name: say.capital(`${say.phrase()} ${say.noun()} ${at + 1}`),
    category: say.zipf(['kitchen', 'garden', 'office', 'sports', 'toys', 'audio']),
    price: say.money(3, 900),
    in_stock: random.often(0.8),
    weight_grams: random.between(20, 9000),
  }))
  const orders = Object.fromEntries(
    range(count, () => {
      const id = `#W${say.digits(7)}`
      const items = random
        .shuffled(products)
        .slice(0, random.between(1, 5))
        .map(({ product_id, price }) => ({ product_id, quantity: random.between(1, 4), unit_price: price }))
      const order = {
        order_id: id,
        customer: { name: say.person(), city: say.city(), email: `user${say.digits(5)}@example.com` },
        status: say.zipf(['delivered', 'pending', 'processed', 'cancelled', 'returned']),
        placed_at: say.iso(START + random.below(200 * 86_400)),
        items,
        total: String(
          items.reduce((sum, { quantity, unit_price }) => sum + quantity * unit_price, 0).toFixed(2),
        ),
        ...(random.often(0.3) && { note: say.paragraph(1, 2) }),
      }
      return [id, order]
    }),
  )
  return { products, orders }
}

/** A list of pods. */
export function cluster(count, random, say) {
  const apps = range(Math.max(3, count / 8), () => `${say.noun()}-${say.noun()}`)
  const items = range(count, () => {
    const app = say.zipf(apps)
    const name = `${app}-${say.hex(9)}-${say.hex(5)}`
    const restarts = random.often(0.7) ? 0 : random.between(1, 40)
    const phase = say.zipf(['Running', 'Pending', 'Succeeded', 'Failed'])
    const created = START + random.below(90 * 86_400)
    return {
      metadata: {
        name,
        namespace: say.zipf(['default', 'payments', 'search', 'kube-system', 'monitoring']),
        uid: `${say.hex(8)}-${say.hex(4)}-4${say.hex(3)}-a${say.hex(3)}-${say.hex(12)}`,
        creationTimestamp: say.iso(created),
        labels: {
          app,
          'app.kubernetes.io/version': `${random.between(0, 3)}.${random.below(12)}.${random.below(9)}`,
          tier: random.pick(['frontend', 'backend']),
        },
      },
      spec: {
        nodeName: `node-${random.between(1, 9)}`,
        restartPolicy: 'Always',
        containers: range(random.between(1, 3), (at) => ({
          name: at === 0 ? 'main' : `sidecar-${at}`,
          image: `registry.example.com/${app}:${say.hex(7)}`,
          resources: {
            limits: { cpu: `${random.between(1, 8) * 250}m`, memory: `${2 ** random.between(6, 11)}Mi` },
          },
          ports: [{ containerPort: random.pick([80, 8080, 9090, 5432]), protocol: 'TCP' }],
        })),
      },
      status: {
        phase,
        podIP: say.ip(),
        qosClass: random.pick(['Burstable', 'Guaranteed', 'BestEffort']),
        conditions: ['Initialized', 'Ready', 'PodScheduled'].map((type) => ({
          type,
          status: phase === 'Running' ? 'True' : random.pick(['True', 'False']),
          lastTransitionTime: say.iso(created + random.below(9000)),
        })),
        containerStatuses: [{ name: 'main', restartCount: restarts, ready: phase === 'Running' }],
      },
    }
  })
  return { kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion: say.digits(7) }, items }
}

/** Measurements of several series. */
export function metrics(count, random, say) {
  const series = range(Math.max(5, count / 60), (at) => ({
    metric: {
      __name__: say.zipf(['http_requests_total', 'process_cpu_seconds', 'memory_bytes', 'queue_depth']),
      instance: `${say.ip()}:9100`,
      job: say.noun(),
      series: `s${at + 1}`,
    },
    values: range(60, (step) => ({
      time: START + step * 60,
      value: Math.round(1000 * random.next() ** 2) / 10,
    })),
  }))
  return { status: 'success', data: { resultType: 'matrix', result: series } }
}

/** Places on a map. */
export function geo(count, random, say) {
  return {
    type: 'FeatureCollection',
    features: range(count, (at) => {
      const [x, y] = [-180 + 360 * random.next(), -80 + 160 * random.next()].map(
        (value) => Math.round(value * 1e5) / 1e5,
      )
      return {
        type: 'Feature',
        id: `f-${1000 + at}`,
        geometry: random.often(0.7)
          ? { type: 'Point', coordinates: [x, y] }
          : {
              type: 'LineString',
              coordinates: range(random.between(3, 12), (step) => [x + step / 100, y + step / 50]),
            },
        properties: {
          name: `${say.capital(say.noun())} ${say.city()} ${at + 1}`,
          kind: say.zipf(['cafe', 'park', 'station', 'museum', 'lake']),
          population: random.often(0.5) ? random.below(900_000) : null,
          opened: say.iso(START - random.below(9_000 * 86_400)).slice(0, 10),
          rating: Math.round(10 + 40 * random.next()) / 10,
        },
      }
    }),
  }
}

/** Settings, nested, with no records to speak of. */
export function settings(count, random, say) {
  const value = () =>
    random.pick([
      () => random.below(9000),
      () => random.often(0.5),
      () => `${say.noun()}-${say.hex(4)}`,
      () => `/var/lib/${say.noun()}/${say.noun()}`,
      () => random.below(1000) / 100,
    ])()
  const level = (depth) =>
    Object.fromEntries(
      range(random.between(3, 6), (at) => [
        `${say.noun()}${at === 0 ? '' : say.capital(say.noun())}`,
        depth === 0 || random.often(0.35) ? value() : level(depth - 1),
      ]),
    )
  return Object.fromEntries(range(count, (at) => [`${say.noun()}${at + 1}`, level(3)]))
}

/** A description of an HTTP interface. */
export function openapi(count, random, say) {
  const names = [...new Set(range(count, () => say.capital(say.noun())))]
  const reference = () => ({ $ref: `#/components/schemas/${random.pick(names)}` })
  const operation = (verb, name) => ({
    operationId: `${verb}${name}`,
    summary: say.sentence(),
    description: say.paragraph(2, 4),
    tags: [say.zipf(['core', 'admin', 'billing', 'beta'])],
    deprecated: random.often(0.1),
    responses: {
      200: { description: say.sentence(), content: { 'application/json': { schema: reference() } } },
      404: { description: 'Not found' },
    },
  })
  const paths = Object.fromEntries(
    names.flatMap((name) => [
      [`/${name.toLowerCase()}s`, { get: operation('list', name), post: operation('create', name) }],
      [`/${name.toLowerCase()}s/{id}`, { get: operation('get', name), delete: operation('delete', name) }],
    ]),
  )
  const schemas = Object.fromEntries(
    names.map((name) => [
      name,
      {
        type: 'object',
        description: say.sentence(),
        required: ['id'],
        properties: Object.fromEntries([
          ['id', { type: 'string', format: 'uuid' }],
          ...range(random.between(2, 7), () => [
            say.noun(),
            random.often(0.2)
              ? reference()
              : { type: random.pick(['string', 'integer', 'boolean']), description: say.sentence() },
          ]),
        ]),
      },
    ]),
  )
  return {
    openapi: '3.1.0',
    info: {
      title: `${say.capital(say.noun())} API`,
      version: `${random.between(1, 5)}.${random.below(20)}.0`,
      description: say.paragraphs(1, 3),
    },
    paths,
    components: { schemas },
  }
}

/** The lockfile of a package manager. */
export function lockfile(count, random, say) {
  const names = [
    ...new Set(
      range(
        count,
        () =>
          `${random.often(0.3) ? `@${say.noun()}/` : ''}${say.noun()}-${say.noun()}${random.often(0.3) ? `-${say.hex(2)}` : ''}`,
      ),
    ),
  ]
  const version = () => `${random.below(9)}.${random.below(30)}.${random.below(12)}`
  const packages = Object.fromEntries([
    ['', { name: 'app', version: '1.0.0', license: 'MIT' }],
    ...names.map((name) => {
      const own = version()
      return [
        `node_modules/${name}`,
        {
          version: own,
          resolved: `https://packages.example.org/${name}/-/${name.replace(/.*\//, '')}-${own}.tgz`,
          integrity: `sha512-${say.hex(64)}`,
          license: say.zipf(['MIT', 'ISC', 'Apache-2.0', 'BSD-3-Clause', '0BSD']),
          ...(random.often(0.5) && { dev: true }),
          ...(random.often(0.6) && { engines: { node: `>=${random.between(10, 20)}` } }),
          ...(random.often(0.4) && {
            dependencies: Object.fromEntries(
              range(random.between(1, 3), () => [random.pick(names), `^${version()}`]),
            ),
          }),
        },
      ]
    }),
  ])
  return { name: 'app', version: '1.0.0', lockfileVersion: 3, requires: true, packages }
}
