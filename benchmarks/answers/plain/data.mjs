/**
 * Results as servers of many kinds give them, each with what it was made of, so that answers follow by plain code. None is of the
 * shapes that the other groups ask about.
 */

const pad = (number, digits = 2) => String(number).padStart(digits, '0')
const range = (count, make) => Array.from({ length: count }, (_, index) => make(index))
const cycle = (list, index) => list[index % list.length]

/** Offers of flights, with the names of carriers, places and aircraft in maps beside them. */
function flights() {
  const carriers = { AF: 'Air France', KL: 'KLM Royal Dutch Airlines', LH: 'Lufthansa', SK: 'Scandinavian' }
  const codes = Object.keys(carriers)
  const airports = ['CDG', 'AMS', 'FRA', 'CPH', 'OSL']
  const offers = range(36, (i) => ({
    type: 'flight-offer',
    id: String(i + 1),
    source: 'GDS',
    numberOfBookableSeats: (i * 5) % 9,
    itineraries: [
      {
        duration: `PT${2 + (i % 7)}H${(i * 10) % 60}M`,
        segments: range(1 + (i % 3), (j) => ({
          departure: { iataCode: cycle(airports, i + j), at: `2024-11-${pad((i % 28) + 1)}T08:15:00` },
          arrival: { iataCode: cycle(airports, i + j + 1), at: `2024-11-${pad((i % 28) + 1)}T10:40:00` },
          carrierCode: cycle(codes, i + j),
          number: String(1000 + i * 3 + j),
          aircraft: { code: cycle(['320', '77W', '388'], i + j) },
        })),
      },
    ],
    price: { currency: 'EUR', total: (180 + ((i * 47) % 300) + 0.35).toFixed(2), base: '150.00' },
    validatingAirlineCodes: [cycle(codes, i)],
  }))
  const whole = {
    meta: { count: 36, links: { self: 'https://api.test/v2/shopping/flight-offers' } },
    data: offers,
    dictionaries: {
      locations: Object.fromEntries(
        airports.map((code, i) => [
          code,
          { cityCode: code === 'CDG' ? 'PAR' : code, countryCode: cycle(['FR', 'NL', 'DE', 'DK', 'NO'], i) },
        ]),
      ),
      aircraft: { 320: 'AIRBUS A320', '77W': 'BOEING 777-300ER', 388: 'AIRBUS A380-800' },
      currencies: { EUR: 'EURO' },
      carriers,
    },
    warnings: [{ code: 4926, title: 'INVALID DATA RECEIVED', detail: 'nonStop was ignored' }],
  }
  return { text: JSON.stringify(whole), offers }
}

/** One study of a register: its sites are the longest list, what it is called stands far above them. */
function study() {
  const cities = [
    ['Leuven', 'Belgium'],
    ['Graz', 'Austria'],
    ['Porto', 'Portugal'],
    ['Malmö', 'Sweden'],
    ['Gdansk', 'Poland'],
  ]
  const locations = range(45, (i) => {
    const [city, country] = cycle(cities, i)
    return {
      facility: `University Hospital ${city} ${Math.floor(i / 5) + 1}`,
      status: cycle(['RECRUITING', 'COMPLETED', 'WITHDRAWN', 'NOT_YET_RECRUITING'], i),
      city,
      country,
      contacts:
        i % 3 === 0 ? [{ name: `Dr. Contact ${i}`, role: 'CONTACT', phone: `+32 555 ${pad(i, 4)}` }] : [],
      geoPoint: { lat: 40 + i / 10, lon: 3 + i / 7 },
    }
  })
  const whole = {
    protocolSection: {
      identificationModule: {
        nctId: 'NCT07754321',
        orgStudyIdInfo: { id: 'BX-2044' },
        briefTitle: 'Bexolimab in Adults With Moderate Asthma',
        officialTitle: 'A Randomised Double-blind Study of Bexolimab in Adults',
      },
      statusModule: { overallStatus: 'RECRUITING', startDateStruct: { date: '2023-04-17', type: 'ACTUAL' } },
      sponsorCollaboratorsModule: { leadSponsor: { name: 'Northwind Therapeutics', class: 'INDUSTRY' } },
      designModule: { phases: ['PHASE2', 'PHASE3'], enrollmentInfo: { count: 612, type: 'ESTIMATED' } },
      armsInterventionsModule: {
        armGroups: [
          { label: 'High dose', type: 'EXPERIMENTAL', interventionNames: ['Drug: bexolimab 300 mg'] },
          { label: 'Low dose', type: 'EXPERIMENTAL', interventionNames: ['Drug: bexolimab 75 mg'] },
          { label: 'Control', type: 'PLACEBO_COMPARATOR', interventionNames: ['Drug: placebo'] },
        ],
      },
      outcomesModule: {
        primaryOutcomes: [{ measure: 'Change in FEV1', timeFrame: 'Week 26' }],
        secondaryOutcomes: [
          { measure: 'Rate of exacerbations', timeFrame: '12 months' },
          { measure: 'Asthma control score', timeFrame: 'Week 52' },
        ],
      },
      eligibilityModule: {
        minimumAge: '18 Years',
        maximumAge: '70 Years',
        sex: 'ALL',
        eligibilityCriteria: 'Inclusion: FEV1 below 80 %.\nExclusion: current smokers.',
      },
      contactsLocationsModule: { locations },
    },
    hasResults: false,
  }
  return { text: JSON.stringify(whole, null, 2), locations }
}

/** Manifests of several kinds in one YAML stream. */
function manifests() {
  const docs = range(14, (i) => {
    const name = `${cycle(['orders', 'basket', 'ledger', 'mailer', 'search', 'gate', 'audit'], i)}`
    const namespace = i < 7 ? 'shop' : 'shop-staging'
    const head = (kind, api) =>
      `apiVersion: ${api}\nkind: ${kind}\nmetadata:\n  name: ${name}\n  namespace: ${namespace}\n  labels:\n    app.kubernetes.io/name: ${name}\n    team: ${cycle(['blue', 'green', 'amber'], i)}\n`
    return [
      `${head('Deployment', 'apps/v1')}spec:\n  replicas: ${(i % 4) + 1}\n  selector:\n    matchLabels:\n      app: ${name}\n  template:\n    spec:\n      serviceAccountName: ${name}-sa\n      containers:\n        - name: ${name}\n          image: registry.test/${name}:1.${i}.0\n          ports:\n            - containerPort: ${8000 + i}\n          resources:\n            limits:\n              cpu: "${(i % 3) + 1}"\n              memory: ${128 * ((i % 4) + 1)}Mi\n          env:\n            - name: LOG_LEVEL\n              value: ${i % 2 ? 'debug' : 'info'}\n            - name: DB_HOST\n              value: db-${namespace}.test\n        - name: sidecar\n          image: registry.test/envoy:1.29.${i % 2}\n`,
      `${head('Service', 'v1')}spec:\n  type: ${i % 5 === 0 ? 'LoadBalancer' : 'ClusterIP'}\n  ports:\n    - port: ${80 + i}\n      targetPort: ${8000 + i}\n`,
      ...(i % 2
        ? [
            `${head('ConfigMap', 'v1')}data:\n  retries: "${i}"\n  features.yaml: |\n    checkout: ${i % 3 === 0}\n    quota: ${i * 100}\n`,
          ]
        : []),
    ]
  }).flat()
  return { text: docs.join('---\n') }
}

/** A page as DevTools tells it: one line an element, with a uid, a role and a name. */
function snapshot() {
  const rows = range(40, (i) => [
    `    uid=7_${20 + i * 4} row "Invoice ${2000 + i} ${cycle(['Paid', 'Open', 'Overdue'], i)}"`,
    `      uid=7_${21 + i * 4} link "Invoice ${2000 + i}" url="https://books.test/invoices/${2000 + i}"`,
    `      uid=7_${22 + i * 4} StaticText "${cycle(['Paid', 'Open', 'Overdue'], i)}"`,
    `      uid=7_${23 + i * 4} button "${i % 8 === 3 ? 'Send reminder' : 'Download PDF'}"${i % 10 === 9 ? ' disableable disabled' : ''}`,
  ]).flat()
  const head = [
    'uid=7_0 RootWebArea "Invoices | Books" url="https://books.test/invoices"',
    '  uid=7_1 banner',
    '    uid=7_2 link "Home" url="https://books.test/"',
    '    uid=7_3 searchbox "Search invoices" focusable focused',
    '    uid=7_4 combobox "Status" expandable haspopup="menu" value="All"',
    '    uid=7_5 checkbox "Show archived" checked="false"',
    '  uid=7_6 heading "Invoices" level="1"',
    '  uid=7_7 table "All invoices"',
  ]
  return {
    text: `# take_snapshot response\n## Latest page snapshot\n${[...head, ...rows, '  uid=7_900 button "Next page"'].join('\n')}\n`,
  }
}

/** The same kind of page as Playwright tells it. */
function playwright() {
  const items = range(30, (i) => [
    `          - listitem [ref=e${40 + i * 3}]:`,
    `            - link "Chapter ${i + 1}: ${cycle(['Loops', 'Types', 'Errors', 'Modules'], i)}" [ref=e${41 + i * 3}] [cursor=pointer]:`,
    `              - /url: /book/ch${pad(i + 1)}.html`,
  ]).flat()
  return {
    text: `### Page state\n- Page URL: https://learn.test/book\n- Page Title: The Book\n- Page Snapshot:\n\`\`\`yaml\n- generic [active] [ref=e1]:\n  - banner [ref=e2]:\n    - heading "The Book" [level=1] [ref=e3]\n    - button "Toggle theme" [ref=e4] [cursor=pointer]\n    - textbox "Search the book" [ref=e5]\n  - main [ref=e6]:\n    - navigation "Table of contents" [ref=e7]:\n        - list [ref=e8]:\n${items.join('\n')}\n    - paragraph [ref=e300]: Written by Ada Bell in 2021\n\`\`\`\n`,
  }
}

/** `git log --stat`. */
function gitLog() {
  const authors = [
    ['Ines Roth', 'ines@roth.test'],
    ['Tom Abara', 'tom@abara.test'],
    ['Yuki Sato', 'yuki@sato.test'],
  ]
  const commits = range(40, (i) => {
    const [name, mail] = cycle(authors, i)
    const files = [
      `src/${cycle(['parser', 'lexer', 'cli', 'net'], i)}.rs`,
      ...(i % 5 === 0 ? ['CHANGELOG.md'] : []),
    ]
    return {
      hash: (i * 7919 + 104729).toString(16).padStart(8, '0').repeat(5),
      name,
      mail,
      day: (i % 28) + 1,
      subject:
        i === 23
          ? 'Close sockets when the peer resets'
          : `${cycle(['Fix', 'Add', 'Refactor'], i)} ${cycle(['parser', 'lexer', 'cli', 'net'], i)} step ${i}`,
      files,
      added: ((i * 13) % 90) + 1,
    }
  })
  const text = commits
    .map(
      ({ hash, name, mail, day, subject, files, added }) =>
        `commit ${hash}\nAuthor: ${name} <${mail}>\nDate:   Mon Jan ${day} 10:${pad(day)}:00 2024 +0100\n\n    ${subject}\n\n${files.map((file) => ` ${file} | ${added} ${'+'.repeat(Math.min(added, 20))}`).join('\n')}\n ${files.length} file${files.length > 1 ? 's' : ''} changed, ${added * files.length} insertions(+)\n`,
    )
    .join('\n')
  return { text, commits }
}

/** `git show` of one commit with three files. */
function gitShow() {
  const hunk = (file, from, lines) =>
    `diff --git a/${file} b/${file}\nindex 83db48f..bf269f4 100644\n--- a/${file}\n+++ b/${file}\n@@ -${from},${lines.filter((line) => line[0] !== '+').length} +${from},${lines.filter((line) => line[0] !== '-').length} @@\n${lines.join('\n')}\n`
  const filler = (tag) => range(60, (i) => ` ${tag} context line ${i} stays as it was in this file`)
  return {
    text: `commit 9fceb02d0ae598e95dc970b74767f19372d61af8\nAuthor: Ines Roth <ines@roth.test>\nDate:   Tue Feb 6 09:00:00 2024 +0100\n\n    Limit retries of the uploader\n\n    Uploads were retried for ever when the bucket was gone.\n    Closes #482.\n\n${hunk('src/upload/retry.rs', 12, [...filler('retry'), '-const MAX_RETRIES: u32 = u32::MAX;', '+const MAX_RETRIES: u32 = 7;', ' tail'])}${hunk('src/upload/mod.rs', 40, [...filler('mod'), '+    backoff.reset();', ' tail'])}${hunk('docs/upload.md', 3, [...filler('docs'), '-Uploads never give up.', '+Uploads give up after seven attempts.', ' tail'])}`,
  }
}

/** A directory tree with sizes, and two ways of listing the same as text. */
function directories() {
  const files = []
  const folder = (name, depth, at) => ({
    name,
    type: 'directory',
    children: [
      ...(depth < 3
        ? range(3, (i) =>
            folder(
              `${cycle(['core', 'tools', 'assets'], i)}${depth}`,
              depth + 1,
              `${at}/${cycle(['core', 'tools', 'assets'], i)}${depth}`,
            ),
          )
        : []),
      ...range(4, (i) => {
        const file = {
          name: `${cycle(['main', 'index', 'helper', 'data'], i)}_${depth}${at.length % 10}${i}.${cycle(['py', 'json', 'md', 'bin'], i)}`,
          type: 'file',
          size: 50 + ((files.length * 7919) % 40_000),
        }
        files.push({ ...file, path: `${at}/${file.name}` })
        return file
      }),
    ],
  })
  const root = folder('workspace', 0, 'workspace')
  const drawn = (node, indent) =>
    (node.children ?? []).flatMap((child, i, all) => {
      const last = i === all.length - 1
      return [
        `${indent}${last ? '└── ' : '├── '}${child.name}`,
        ...drawn(child, `${indent}${last ? '    ' : '│   '}`),
      ]
    })
  return {
    text: JSON.stringify(root),
    files,
    drawn: `workspace\n${drawn(root, '').join('\n')}\n\n39 directories, ${files.length} files\n`,
    paths: `${files.map(({ path }) => `/home/dev/${path}`).join('\n')}\n`,
  }
}

/** The output of a Python tool. */
function python() {
  const rows = range(60, (i) => ({
    sku: `K-${100 + i}`,
    label: i === 31 ? "Baker's scale" : `Item ${i}`,
    qty: (i * 11) % 37,
    price: 2.5 + i / 4,
    active: i % 3 !== 0,
    supplier: i % 4 ? cycle(['Ostrava', 'Lund'], i) : null,
  }))
  const text = `[${rows.map(({ sku, label, qty, price, active, supplier }) => `{'sku': '${sku}', 'label': ${label.includes("'") ? `"${label}"` : `'${label}'`}, 'qty': ${qty}, 'price': Decimal('${price.toFixed(2)}'), 'active': ${active ? 'True' : 'False'}, 'supplier': ${supplier === null ? 'None' : `'${supplier}'`}, 'added': datetime.datetime(2024, ${(rows.indexOf(rows.find((row) => row.sku === sku)) % 12) + 1}, 3, 12, 0), 'dims': (${qty}, ${qty + 1}, 4)}`).join(', ')}]`
  return { text, rows }
}

/** JSON that its server cut in the middle of a record. */
function cut() {
  const tickets = range(400, (i) => ({
    id: `T${i}`,
    queue: cycle(['billing', 'access', 'hardware'], i),
    minutes: (i * 17) % 240,
    text: `Ticket ${i} about ${cycle(['a lost badge', 'a wrong invoice', 'a broken dock'], i)}`,
  }))
  const json = JSON.stringify({ ok: true, tickets, next: null }, null, 1)
  const text = json.slice(0, Math.floor(json.length * 0.7))
  const kept = tickets.filter(({ id }) => new RegExp(`"id": "${id}",[^}]*\\}`).test(text))
  return { text: `${text}\n... [truncated, response exceeded the limit]`, tickets: kept }
}

/** Several files read at once, as the server of files gives them. */
function manyFiles() {
  const python = `import os\n\nTIMEOUT = 45\n\n\ndef connect(host, port=5432):\n    """Open a connection."""\n    return os.path.join(host, str(port))\n\n\nclass Pool:\n    def __init__(self, size=8):\n        self.size = size\n\n    def acquire(self):\n        raise NotImplementedError('acquire')\n`
  const filler = range(120, (i) => `# note ${i}: nothing to see in this line of the file`).join('\n')
  const files = {
    '/srv/app/db.py': `${python}\n${filler}\n`,
    '/srv/app/settings.toml':
      '[server]\nport = 9443\nworkers = 12\n\n[cache]\nttl = "15m"\nbackend = "redis"\n',
    '/srv/app/users.json': JSON.stringify(
      { users: range(20, (i) => ({ login: `user${i}`, admin: i % 9 === 0 })) },
      null,
      2,
    ),
    '/srv/app/README.md': `# App\n\n## Install\n\nRun \`make setup\`.\n\n## Deploy\n\nTag a release, then run \`make ship\`.\n`,
  }
  return {
    text: Object.entries(files)
      .map(([name, body]) => `${name}:\n${body}\n`)
      .join('\n---\n'),
  }
}

/** The manual of an interface, in Markdown. */
function manual() {
  const areas = ['Accounts', 'Payments', 'Refunds', 'Webhooks', 'Disputes']
  const text = areas
    .map((area, i) => {
      const one = area.toLowerCase()
      return `## ${area}\n\n${area} are what this chapter is about. ${'It goes on for a while so that the page is long. '.repeat(12)}\n\n### Create one of the ${one}\n\n\`POST /v1/${one}\`\n\n| Field | Type | Required | Notes |\n|---|---|---|---|\n| ${one}_id | string | yes | At most ${20 + i} characters |\n| amount | integer | ${i % 2 ? 'no' : 'yes'} | In cents |\n\n\`\`\`json\n{"${one}_id": "x${i}"}\n\`\`\`\n\n### Limits of ${one}\n\nNo more than ${(i + 1) * 25} requests a second. Beyond that the service answers 429.\n\n${'More prose follows here to fill the page with words. '.repeat(12)}\n`
    })
    .join('\n')
  return {
    text: `# Payments manual\n\nBase address: https://pay.test. Keys begin with \`sk_live_\`.\n\n${text}\n## Errors\n\n| Code | Meaning | Retry |\n|---|---|---|\n| card_declined | The bank refused the card | no |\n| rate_limited | Too many requests | yes |\n| lock_timeout | Another request holds the object | yes |\n\n## Changelog\n\n- 2024-03-01: Refunds may be partial.\n- 2023-11-12: Webhooks are signed with SHA-256.\n`,
  }
}

/** Columns once, rows as lists, as databases answer. */
function rowset() {
  const rows = range(80, (i) => [
    i + 1,
    cycle(['Lima', 'Quito', 'La Paz', 'Bogota'], i),
    (i * 29) % 500,
    `2024-0${(i % 9) + 1}-1${i % 10}`,
    i % 7 === 0 ? null : `agent${i % 6}`,
  ])
  return {
    text: JSON.stringify({
      columns: [
        { name: 'visit_id', type: 'int' },
        { name: 'office', type: 'text' },
        { name: 'visitors', type: 'int' },
        { name: 'visit_date', type: 'date' },
        { name: 'guide', type: 'text' },
      ],
      rows,
      rowCount: 80,
      executionTimeMs: 12,
    }),
    rows,
  }
}

/** A range query of a server of metrics: each series with its labels and its samples. */
function series() {
  const result = range(12, (i) => ({
    metric: {
      __name__: 'http_requests_total',
      instance: `10.0.0.${i}:9100`,
      job: cycle(['edge', 'api', 'cron'], i),
      zone: i < 6 ? 'a' : 'b',
    },
    values: range(30, (j) => [1_700_000_000 + j * 60, String(i * 100 + j * (i + 1))]),
  }))
  return { text: JSON.stringify({ status: 'success', data: { resultType: 'matrix', result } }), result }
}

/** Mail with headers as lists of names and values. */
function mail() {
  const messages = range(30, (i) => ({
    id: `18f${pad(i, 3)}`,
    threadId: `t${Math.floor(i / 3)}`,
    labelIds: ['INBOX', ...(i % 4 === 0 ? ['UNREAD'] : []), ...(i % 6 === 0 ? ['IMPORTANT'] : [])],
    snippet: i === 14 ? 'The parking garage closes at nine on Friday' : `Weekly note number ${i}`,
    payload: {
      mimeType: 'text/plain',
      headers: [
        {
          name: 'From',
          value: cycle(['Ida Holm <ida@holm.test>', 'Raj Mehta <raj@mehta.test>', 'ops@robot.test'], i),
        },
        { name: 'Subject', value: i === 14 ? 'Parking on Friday' : `Note ${i}` },
        { name: 'Date', value: `Mon, ${(i % 28) + 1} Apr 2024 08:00:00 +0000` },
      ],
      body: { size: 300 + i * 10 },
    },
    sizeEstimate: 2000 + ((i * 331) % 5000),
  }))
  return { text: JSON.stringify({ messages, resultSizeEstimate: 30 }), messages }
}

/** A description of an interface: a map of paths, and in each a map of methods. */
function openapi() {
  const things = ['pets', 'owners', 'visits', 'vets', 'clinics', 'vaccines']
  const paths = Object.fromEntries(
    things.flatMap((thing, i) => [
      [
        `/${thing}`,
        {
          get: {
            operationId: `list_${thing}`,
            tags: [thing],
            summary: `List all ${thing}`,
            parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer', maximum: 100 + i } }],
          },
          post: {
            operationId: `create_${thing}`,
            tags: [thing],
            summary: `Create ${thing}`,
            deprecated: i === 2,
          },
        },
      ],
      [
        `/${thing}/{id}`,
        {
          get: { operationId: `get_${thing}`, tags: [thing], summary: `One of the ${thing}` },
          delete: {
            operationId: `delete_${thing}`,
            tags: [thing],
            summary: `Delete one of the ${thing}`,
            security: [{ admin: [] }],
          },
        },
      ],
    ]),
  )
  const schemas = Object.fromEntries(
    things.map((thing, i) => [
      thing.slice(0, -1).replace(/^./, (c) => c.toUpperCase()),
      {
        type: 'object',
        required: ['id'],
        properties: { id: { type: 'string', format: 'uuid' }, name: { type: 'string', maxLength: 40 + i } },
      },
    ]),
  )
  return {
    text: JSON.stringify({
      openapi: '3.1.0',
      info: { title: 'Clinic', version: '4.2.0' },
      servers: [{ url: 'https://clinic.test/api' }],
      paths,
      components: { schemas },
    }),
  }
}

/** A report of tests in JUnit's XML. */
function junit() {
  const suites = range(6, (s) => ({
    name: `suite.${cycle(['auth', 'cart', 'mail', 'pdf', 'rank', 'sync'], s)}`,
    cases: range(12, (c) => ({
      name: `case_${s}_${c}`,
      time: (((s * 12 + c) * 37) % 900) / 100,
      failed: (s * 12 + c) % 17 === 5,
      skipped: (s * 12 + c) % 19 === 7,
    })),
  }))
  const text = `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites tests="72" time="310.5">\n${suites.map(({ name, cases }) => `  <testsuite name="${name}" tests="12">\n${cases.map((one) => `    <testcase classname="${name}" name="${one.name}" time="${one.time}">${one.failed ? `<failure message="expected 200 but was ${500 + Number(one.name.split('_')[2])}" type="AssertionError">at line ${one.name.length}</failure>` : ''}${one.skipped ? '<skipped/>' : ''}</testcase>`).join('\n')}\n  </testsuite>`).join('\n')}\n</testsuites>\n`
  return { text, cases: suites.flatMap(({ name, cases }) => cases.map((one) => ({ ...one, suite: name }))) }
}

/** Sheets of a workbook as one object of lists. */
function workbook() {
  const staff = range(25, (i) => ({
    'Employee ID': `E${pad(i, 3)}`,
    'Full Name': `Person ${String.fromCharCode(65 + i)}`,
    Dept: cycle(['Lab', 'Sales', 'Legal'], i),
    'Annual Salary': 40_000 + ((i * 3137) % 30_000),
  }))
  const leave = range(40, (i) => ({
    'Employee ID': `E${pad(i % 25, 3)}`,
    Days: (i % 5) + 1,
    Kind: cycle(['sick', 'vacation'], i),
    From: `2024-${pad((i % 12) + 1)}-05`,
  }))
  const budget = ['Lab', 'Sales', 'Legal'].map((Dept, i) => ({
    Dept,
    Budget: 900_000 - i * 150_000,
    Owner: cycle(['E004', 'E011', 'E019'], i),
  }))
  return {
    text: JSON.stringify({ workbook: 'hr.xlsx', sheets: { Staff: staff, Leave: leave, Budget: budget } }),
    staff,
    leave,
    budget,
  }
}

/** Every result by its name. */
export function plainData() {
  const dirs = directories()
  return {
    flights: flights(),
    study: study(),
    manifests: manifests(),
    snapshot: snapshot(),
    playwright: playwright(),
    gitLog: gitLog(),
    gitShow: gitShow(),
    tree: dirs,
    drawnTree: { text: dirs.drawn, files: dirs.files },
    pathList: { text: dirs.paths, files: dirs.files },
    python: python(),
    cut: cut(),
    manyFiles: manyFiles(),
    manual: manual(),
    rowset: rowset(),
    series: series(),
    mail: mail(),
    openapi: openapi(),
    junit: junit(),
    workbook: workbook(),
  }
}
