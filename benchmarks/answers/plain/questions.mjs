/**
 * Questions as somebody asks them who has read no more than the preview: one call, no path, fields by their last name. Right is a reply
 * that holds what plain code finds.
 *
 * @typedef {object} Plain
 * @property {string} data               the result asked of
 * @property {string} text               the question
 * @property {'filter' | 'search' | 'explore'} tool
 * @property {object} call               its parameters, the handle aside
 * @property {RegExp[]} wanted           what the reply holds
 * @property {RegExp[]} [unwanted]       what it does not hold
 */

const sum = (values) => values.reduce((total, value) => total + value, 0)
const escaped = (text) => String(text).replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
/** The number standing alone, with or without separators of thousands. */
const number = (value) =>
  new RegExp(
    `(?<![\\d.,-])${escaped(value)}(?![\\d]|[.,]\\d)|(?<![\\d.,-])${escaped(Number(value).toLocaleString('en-US'))}(?![\\d]|[.,]\\d)`,
  )
const word = (text) => new RegExp(escaped(text))

/** @returns {Plain[]} */
export function plainQuestions(data) {
  const asked = []
  const ask =
    (name) =>
    (text, tool, call, ...wanted) =>
      asked.push({
        data: name,
        text,
        tool,
        call,
        wanted: wanted.map((one) =>
          one instanceof RegExp ? one : typeof one === 'number' ? number(one) : word(one),
        ),
      })

  const flights = ask('flights')
  const { offers } = data.flights
  const cheapest = [...offers].sort((a, b) => a.price.total - b.price.total)[0]
  flights('Which airline is KL?', 'filter', { where: 'KL' }, 'KLM Royal Dutch')
  flights('Which airline is KL?', 'search', { pattern: 'KL' }, 'KLM Royal Dutch')
  flights(
    'What is the cheapest offer?',
    'filter',
    { sort: 'total', limit: 1 },
    new RegExp(`"?${escaped(cheapest.price.total)}`),
  )
  flights(
    'How many offers cost less than 250?',
    'filter',
    { where: 'price.total < 250', aggregate: 'count' },
    offers.filter(({ price }) => price.total < 250).length,
  )
  flights(
    'Mean price',
    'filter',
    { aggregate: 'avg(total)' },
    new RegExp(escaped((sum(offers.map(({ price }) => Number(price.total))) / 36).toFixed(1))),
  )
  flights(
    'Which offers are with Lufthansa (LH)?',
    'filter',
    { where: 'validatingAirlineCodes = LH', aggregate: 'count' },
    9,
  )
  flights(
    'Offers with a segment to Oslo',
    'filter',
    { where: 'arrival.iataCode = OSL', aggregate: 'count' },
    new RegExp(
      `${number(offers.filter(({ itineraries }) => itineraries[0].segments.some(({ arrival }) => arrival.iataCode === 'OSL')).length).source}|${number(offers.flatMap(({ itineraries }) => itineraries[0].segments).filter(({ arrival }) => arrival.iataCode === 'OSL').length).source}`,
    ),
  )
  flights('In which country is CPH?', 'filter', { where: 'CPH', fields: 'countryCode' }, 'DK')
  flights('What was ignored?', 'filter', { where: 'code = 4926' }, 'nonStop')
  flights('What is the plane 388?', 'filter', { fields: 'aircraft' }, 'A380')
  flights(
    'Seats in all',
    'filter',
    { aggregate: 'sum(numberOfBookableSeats)' },
    sum(offers.map(({ numberOfBookableSeats }) => numberOfBookableSeats)),
  )

  const study = ask('study')
  const { locations } = data.study
  study('What is the id of the study?', 'filter', { fields: 'nctId' }, 'NCT07754321')
  study('Study by its id', 'filter', { where: 'nct_id = NCT07754321' }, 'Bexolimab')
  study('How many take part?', 'filter', { fields: 'enrollmentInfo.count' }, 612)
  study('How many take part?', 'search', { pattern: 'enrollment' }, 612)
  study('Sites per country', 'filter', { group_by: 'country' }, /Belgium.{0,20}9/)
  study(
    'Open sites in Austria',
    'filter',
    { where: ['country = Austria', 'status = RECRUITING'], aggregate: 'count' },
    locations.filter(({ country, status }) => country === 'Austria' && status === 'RECRUITING').length,
  )
  study('Who sponsors it?', 'search', { pattern: 'sponsor' }, 'Northwind Therapeutics')
  study('What is measured after a year?', 'filter', { where: 'timeFrame = "12 months"' }, 'exacerbations')
  study('Arms without drug', 'filter', { where: 'type = PLACEBO_COMPARATOR' }, 'Control')
  study('Youngest age', 'filter', { fields: 'minimumAge' }, '18 Years')
  study('Who must not take part?', 'search', { pattern: 'exclusion criteria smokers' }, 'current smokers')
  study('Phone of contact 21', 'filter', { where: 'name = "Dr. Contact 21"' }, '555 0021')
  study('When did it start?', 'search', { pattern: 'start date' }, '2023-04-17')

  const manifests = ask('manifests')
  manifests(
    'Image of the ledger in shop',
    'filter',
    { where: ['kind = Deployment', 'name = ledger', 'namespace = shop'], fields: 'image' },
    'registry.test/ledger:1.2.0',
  )
  manifests('How many Deployments', 'filter', { where: 'kind = Deployment', aggregate: 'count' }, 14)
  manifests(
    'Which services are load balancers',
    'filter',
    { where: 'type = LoadBalancer', fields: 'metadata.name' },
    'orders',
    'gate',
  )
  manifests('Who runs at debug', 'filter', { where: 'value = debug', aggregate: 'count' }, 7)
  manifests('Kinds', 'filter', { group_by: 'kind' }, /ConfigMap.{0,12}7/)
  manifests(
    'Replicas in staging',
    'filter',
    { where: ['namespace = shop-staging', 'kind = Deployment'], aggregate: 'sum(replicas)' },
    sum(Array.from({ length: 7 }, (_, i) => ((i + 7) % 4) + 1)),
  )
  manifests(
    'Memory of the mailer',
    'filter',
    { where: ['name = mailer', 'kind = Deployment'], fields: 'memory' },
    /512Mi/,
  )
  manifests(
    'Port 8009 belongs to',
    'filter',
    { where: 'containerPort = 8009', fields: 'metadata.name' },
    'ledger',
  )
  manifests(
    'Deployments of team amber',
    'filter',
    { where: 'team = amber and kind = Deployment', aggregate: 'count' },
    Array.from({ length: 14 }, (_, i) => i % 3).filter((i) => i === 2).length,
  )
  manifests('Quota of the audit in shop-staging', 'search', { pattern: 'quota: 1300' }, 'audit')

  const snapshot = ask('snapshot')
  snapshot('Which element sends a reminder for invoice 2011?', 'search', { pattern: 'Send reminder' }, '7_67')
  snapshot('uid of the search box', 'filter', { where: 'role = searchbox' }, '7_3')
  snapshot('uid of the next page', 'filter', { where: 'name = "Next page"', fields: 'uid' }, '7_900')
  snapshot('How many buttons', 'filter', { where: 'role = button', aggregate: 'count' }, 41)
  snapshot('Overdue rows', 'filter', { where: 'role = row and name ~ Overdue', aggregate: 'count' }, 13)
  snapshot('Link of invoice 2030', 'search', { pattern: 'Invoice 2030' }, 'invoices/2030')
  snapshot('Disabled buttons', 'filter', { where: 'disabled = true', aggregate: 'count' }, 4)
  snapshot('State of the filter', 'filter', { where: 'role = combobox', fields: 'value' }, 'All')

  const playwright = ask('playwright')
  playwright('ref of chapter 13', 'search', { pattern: 'Chapter 13' }, 'e77')
  playwright('ref of the theme switch', 'filter', { where: 'name = "Toggle theme"' }, 'e4')
  playwright('How many links', 'filter', { where: 'role = link', aggregate: 'count' }, 30)
  playwright(
    'Chapters on errors',
    'filter',
    { where: 'role = link and name contains Errors', aggregate: 'count' },
    7,
  )
  playwright('Address of chapter 20', 'filter', { where: 'name ~ "Chapter 20"', fields: 'url' }, 'ch20.html')
  playwright('Who wrote it?', 'search', { pattern: 'written by' }, 'Ada Bell')

  const log = ask('gitLog')
  const { commits } = data.gitLog
  log('Commit about resets', 'search', { pattern: 'peer resets' }, commits[23].hash.slice(0, 8))
  log('Commits of each author', 'filter', { group_by: 'author' }, /Tom Abara.{0,40}13/)
  log(
    'Commits by Yuki',
    'filter',
    { where: 'author contains Yuki', aggregate: 'count' },
    commits.filter(({ name }) => name === 'Yuki Sato').length,
  )
  log(
    'Commits that touched the changelog',
    'filter',
    { where: 'files contains CHANGELOG.md', aggregate: 'count' },
    8,
  )
  log(
    'Author of a commit',
    'filter',
    { where: `commit = ${commits[17].hash.slice(0, 10)}`, fields: 'author' },
    commits[17].name,
  )
  log(
    'Commits after 20 January',
    'filter',
    { where: 'date > 2024-01-20', aggregate: 'count' },
    commits.filter(({ day }) => day >= 20).length === 0
      ? 0
      : new RegExp(
          [20, 21].map((from) => number(commits.filter(({ day }) => day >= from).length).source).join('|'),
        ),
  )
  log(
    'Commits with Refactor',
    'filter',
    { where: 'subject ~ ^Refactor', aggregate: 'count' },
    commits.filter(({ subject }) => subject.startsWith('Refactor')).length,
  )

  const show = ask('gitShow')
  show('What is the limit now?', 'search', { pattern: 'MAX_RETRIES' }, 'u32 = 7')
  show('Which files changed?', 'filter', { fields: 'file' }, 'retry.rs', 'mod.rs', 'upload.md')
  show('Which issue does it close?', 'search', { pattern: 'Closes' }, '#482')
  show('Who made it?', 'search', { pattern: 'Author' }, 'Ines Roth')

  const { files } = data.tree
  const tree = ask('tree')
  const largest = [...files].sort((a, b) => b.size - a.size)[0]
  tree('Largest file', 'filter', { aggregate: 'max(size)' }, largest.size)
  tree('Largest file', 'filter', { sort: '-size', limit: 1 }, largest.name)
  tree('Size of all', 'filter', { aggregate: 'sum(size)' }, sum(files.map(({ size }) => size)))
  tree('How many files', 'filter', { where: 'type = file', aggregate: 'count' }, files.length)
  tree(
    'Mean size',
    'filter',
    { where: 'type = file', aggregate: 'avg(size)' },
    new RegExp(String(Math.floor(sum(files.map(({ size }) => size)) / files.length))),
  )
  tree(
    'Where is a file?',
    'search',
    { pattern: files[100].name },
    files[100].name,
    files[100].path.split('/').at(-2),
  )
  tree(
    'Files above 39 kB',
    'filter',
    { where: 'size > 39000', fields: 'name, size' },
    files.filter(({ size }) => size > 39_000)[0].name,
  )
  tree('Files by kind', 'filter', { group_by: 'type', aggregate: 'count' }, files.length)
  tree('Smallest', 'filter', { aggregate: 'min(size)' }, Math.min(...files.map(({ size }) => size)))

  const drawn = ask('drawnTree')
  drawn(
    'Where is a file?',
    'search',
    { pattern: files[100].name },
    files[100].path.split('/').slice(1).join('/'),
  )
  drawn(
    'How many Python files',
    'filter',
    { where: 'name ~ \\.py$', aggregate: 'count' },
    files.filter(({ name }) => name.endsWith('.py')).length,
  )
  const paths = ask('pathList')
  paths(
    'How many Markdown files',
    'filter',
    { where: 'ext = md', aggregate: 'count' },
    files.filter(({ name }) => name.endsWith('.md')).length,
  )
  paths('Where is a file?', 'search', { pattern: files[60].name }, files[60].path)
  paths('Files of each folder', 'filter', { group_by: 'folder', limit: 3 }, /4/)

  const python = ask('python')
  const { rows } = data.python
  python('Price of the scale', 'filter', { where: 'label contains Baker' }, (2.5 + 31 / 4).toString())
  python('Inactive ones', 'filter', { where: 'active = false', aggregate: 'count' }, 20)
  python('Inactive ones', 'filter', { where: 'active == False', aggregate: 'count' }, 20)
  python('Without supplier', 'filter', { where: 'supplier is null', aggregate: 'count' }, 15)
  python('Pieces in all', 'filter', { aggregate: 'sum(qty)' }, sum(rows.map(({ qty }) => qty)))
  python('Dearest', 'filter', { sort: '-price', limit: 1 }, 'K-159')
  python(
    'Value of the stock',
    'filter',
    { aggregate: 'sum(qty * price)' },
    sum(rows.map(({ qty, price }) => qty * price)),
  )
  python('Added after October', 'filter', { where: 'added >= 2024-11-01', aggregate: 'count' }, 10)

  const cut = ask('cut')
  const { tickets } = data.cut
  cut(
    'Tickets of access',
    'filter',
    { where: 'queue = access', aggregate: 'count' },
    new RegExp(
      [0, 1]
        .map((more) => number(tickets.filter(({ queue }) => queue === 'access').length + more).source)
        .join('|'),
    ),
  )
  cut('Ticket T77', 'filter', { where: 'id = T77', fields: 'minutes' }, (77 * 17) % 240)
  cut(
    'Docks',
    'search',
    { pattern: 'broken dock', max_results: 1 },
    new RegExp(
      [0, 1].map((more) => number(tickets.filter((_, i) => i % 3 === 2).length + more).source).join('|'),
    ),
  )
  cut(
    'Longest of billing',
    'filter',
    { where: 'queue = billing', sort: '-minutes', limit: 1 },
    Math.max(...tickets.filter(({ queue }) => queue === 'billing').map(({ minutes }) => minutes)),
  )

  const many = ask('manyFiles')
  many('Port of the server', 'search', { pattern: 'port = ' }, '9443', 'settings.toml')
  many(
    'How to deploy',
    'search',
    { pattern: 'deploy', mode: 'context', context_type: 'section' },
    'make ship',
  )
  many(
    'Which files are there',
    'filter',
    { fields: 'file' },
    'db.py',
    'settings.toml',
    'users.json',
    'README.md',
  )
  many('Who waits how long', 'search', { pattern: 'TIMEOUT' }, '45', 'db.py')
  many('What does connect take', 'search', { pattern: 'def connect' }, 'port=5432')
  many('Administrators', 'search', { pattern: '"admin": true' }, /user9|user18/)

  const manual = ask('manual')
  manual(
    'Limit of refunds',
    'search',
    { pattern: 'Limits of refunds', mode: 'context', context_type: 'section' },
    '75 requests',
  )
  manual(
    'Limit of webhooks',
    'search',
    { pattern: 'how many requests a second for webhooks' },
    '100 requests',
  )
  manual('Meaning of lock_timeout', 'filter', { where: 'code = lock_timeout' }, 'Another request')
  manual(
    'Errors to retry',
    'filter',
    { where: 'Retry = yes', fields: 'Code' },
    'rate_limited',
    'lock_timeout',
  )
  manual('How are webhooks signed', 'search', { pattern: 'signed' }, 'SHA-256')
  manual(
    'Chapter on disputes',
    'search',
    { pattern: 'Disputes', mode: 'context', context_type: 'section' },
    '125 requests',
    'disputes_id',
  )
  manual('Which fields are optional', 'filter', { where: 'Required = no' }, 'amount')
  manual('Prefix of keys', 'search', { pattern: 'keys begin with' }, 'sk_live_')

  const rowset = ask('rowset')
  rowset(
    'Visitors of Quito',
    'filter',
    { where: 'office = Quito', aggregate: 'sum(visitors)' },
    sum(data.rowset.rows.filter(([, office]) => office === 'Quito').map(([, , visitors]) => visitors)),
  )
  rowset('Visits without guide', 'filter', { where: 'guide is null', aggregate: 'count' }, 12)
  rowset(
    'Busiest',
    'filter',
    { sort: '-visitors', limit: 1, fields: 'visit_id,visitors' },
    Math.max(...data.rowset.rows.map(([, , visitors]) => visitors)),
  )
  rowset('By office', 'filter', { group_by: 'office', aggregate: 'avg(visitors)' }, 'La Paz')
  rowset(
    'Visits in March',
    'filter',
    { where: 'visit_date = 2024-03', aggregate: 'count' },
    data.rowset.rows.filter(([, , , date]) => date.startsWith('2024-03')).length,
  )
  rowset('How long it took', 'filter', { fields: 'executionTimeMs' }, 12)

  const series = ask('series')
  series('Series of cron', 'filter', { where: 'job = cron', aggregate: 'count' }, 4)
  series('Instance 3', 'filter', { where: 'instance contains 10.0.0.3', fields: 'zone' }, /\ba\b/)
  series('Jobs in zone b', 'filter', { where: 'zone = b', group_by: 'job' }, /edge.{0,12}2/)

  const mail = ask('mail')
  mail('Who wrote about parking', 'search', { pattern: 'parking' }, 'ops@robot.test')
  mail('Unread', 'filter', { where: 'labelIds has UNREAD', aggregate: 'count' }, 8)
  mail('Mail by Ida', 'filter', { where: 'From contains Ida', aggregate: 'count' }, 10)
  mail('Subject Note 7', 'filter', { where: 'Subject = "Note 7"', fields: 'id' }, '18f007')
  mail(
    'Largest',
    'filter',
    { sort: '-sizeEstimate', limit: 1, fields: 'id,sizeEstimate' },
    Math.max(...data.mail.messages.map(({ sizeEstimate }) => sizeEstimate)),
  )
  mail('Labels', 'filter', { group_by: 'labelIds' }, /UNREAD.{0,12}8/)

  const api = ask('openapi')
  api('What is deprecated', 'filter', { where: 'deprecated = true' }, /create_visits|\/visits/)
  api('What needs an administrator', 'search', { pattern: 'admin' }, 'delete.security')
  api('What is delete_vets', 'filter', { where: 'operationId = delete_vets' }, 'Delete one of the vets')
  api('Version', 'filter', { fields: 'version' }, '4.2.0')
  api('Fields of Vet', 'search', { pattern: 'Vet', mode: 'context' }, /maxLength|43/)
  api('/clinics/{id}', 'filter', { where: '/clinics/{id}' }, 'get_clinics')
  api('How many operations are deprecated', 'filter', { where: 'deprecated = true', aggregate: 'count' }, 1)

  const junit = ask('junit')
  const { cases } = data.junit
  junit(
    'Failed tests',
    'filter',
    { where: 'failure exists', aggregate: 'count' },
    cases.filter(({ failed }) => failed).length,
  )
  junit('Failed tests', 'search', { pattern: 'expected 200' }, cases.find(({ failed }) => failed).name)
  junit(
    'Slowest',
    'filter',
    { sort: '-time', limit: 1, fields: 'name,time' },
    number(Math.max(...cases.map(({ time }) => time))),
    [...cases].sort((a, b) => b.time - a.time)[0].name,
  )
  junit(
    'Time of suite.pdf',
    'filter',
    { where: 'classname = suite.pdf', aggregate: 'sum(time)' },
    new RegExp(
      escaped(sum(cases.filter(({ suite }) => suite === 'suite.pdf').map(({ time }) => time)).toFixed(2)),
    ),
  )
  junit('By suite', 'filter', { group_by: 'classname' }, /suite\.cart.{0,12}12/)

  const book = ask('workbook')
  const { staff, leave, budget } = data.workbook
  book('Salary of Person C', 'filter', { where: 'Full Name = "Person C"' }, staff[2]['Annual Salary'])
  book(
    'Sick days',
    'filter',
    { where: 'Kind = sick', aggregate: 'sum(Days)' },
    sum(leave.filter(({ Kind }) => Kind === 'sick').map(({ Days }) => Days)),
  )
  book('Budget of Sales', 'filter', { where: 'Dept = Sales', fields: 'Budget' }, budget[1].Budget)
  book(
    'Mean salary by department',
    'filter',
    { group_by: 'Dept', aggregate: 'avg(Annual Salary)' },
    new RegExp(
      String(
        Math.floor(
          sum(staff.filter(({ Dept }) => Dept === 'Lab').map((one) => one['Annual Salary'])) /
            staff.filter(({ Dept }) => Dept === 'Lab').length,
        ),
      ),
    ),
  )
  book('Who leads Legal', 'filter', { where: 'Dept = Legal', fields: 'Owner' }, 'E019')
  book(
    'Leave of E007',
    'filter',
    { where: 'Employee ID = E007', aggregate: 'sum(Days)' },
    sum(leave.filter((one) => one['Employee ID'] === 'E007').map(({ Days }) => Days)),
  )
  return asked
}

/** As the tools read it: lists where lists are meant. */
export function asSent(call) {
  return Object.fromEntries(
    Object.entries(call).map(([name, value]) => [
      name,
      typeof value === 'string' && ['where', 'fields', 'sort', 'group_by', 'aggregate'].includes(name)
        ? [value]
        : value,
    ]),
  )
}
