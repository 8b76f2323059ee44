/** Parts of documents, their fields and what is found in them, as models ask for them. */
import { describe, expect, test } from 'vitest'
import { ask } from './model-asking.ts'

describe('a path', () => {
  test.each([
    ['openapi', 'paths./pets.get.operationId', ['listPets']],
    ['openapi', '/paths/~1pets/get/operationId', ['listPets']],
    ['openapi', 'paths["/pets/{petId}"].get.operationId', ['showPet']],
    ['packument', 'versions.2.0.0.dist.unpackedSize', [9000]],
    ['packument', '/versions/1.0.0/dist/fileCount', [7]],
    ['packument', 'distTags.latest', ['2.0.0']],
    ['ec2', 'Reservations/0/Instances/1/InstanceId', ['i-02']],
    ['ec2', 'reservations[0].instances[1].instanceid', ['i-02']],
    [
      'ec2',
      '.Reservations[].Instances[] | select(.State.Name == "running") | .InstanceId',
      ['i-01', 'i-03', 'i-04'],
    ],
    ['ec2', "Reservations[].Instances[?State.Name=='running'].InstanceId", ['i-01', 'i-03', 'i-04']],
    ['ec2', "Reservations[*].Instances[?starts_with(InstanceType, 't3')].InstanceId", ['i-01', 'i-02']],
    ['ec2', "Reservations[*].Instances[?contains(Tags[].Value, 'prod')].InstanceId", ['i-01', 'i-03']],
    ['ec2', "Reservations[].Instances[?Tags.Name == 'web-2'].InstanceId", ['i-02']],
    ['ec2', "$.Reservations[*].Instances[?(@.State.name!='running')].InstanceId", ['i-02', 'i-05']],
    ['graph', 'relations[?(@.from=="Ann")].to', ['Acme']],
    ['graph', 'entities[name=Ann].entityType', ['person']],
    ['graph', 'entities.Ann.entityType', ['person']],
    ['tree', '$..[?(@.size > 1000)].name', ['a.ts', 'b.ts']],
    ['tree', 'children[?name=="lib"].children[*].name', ['a.ts', 'deep']],
    ['teams', 'teams.red-1.members.ann.score', [10]],
    ['teams', 'teams.*.coach', ['red-1', 'blue-2', 'grey-3']],
  ])('%s: %s', (name, path, found) => {
    const { error, ids } = ask(name, { path })
    expect(error).toBeUndefined()
    expect(ids).toEqual(found)
  })

  test('to lists is to their elements, and conditions are about those', () => {
    const { ids, items } = ask('ec2', { path: 'Reservations[].Instances', where: 'Tags.Env = prod' })
    expect(items).toHaveLength(2)
    expect(ids).toMatchObject([{ InstanceId: 'i-01' }, { InstanceId: 'i-03' }])
  })
})

describe('fields', () => {
  test.each([
    ['number,title', { number: 101, title: 'Fix crash on empty input' }],
    ['number as n, user.login as author', { n: 101, author: 'ann' }],
    [
      { n: 'number', login: '$user.login' },
      { n: 101, login: 'ann' },
    ],
    [
      { number: 1, title: 1 },
      { number: 101, title: 'Fix crash on empty input' },
    ],
    ['{number, login: .user.login}', { number: 101, login: 'ann' }],
    ['.number, .user.login', { number: 101, 'user.login': 'ann' }],
    ['number,user(login,id)', { number: 101, 'user.login': 'ann', 'user.id': 707 }],
    ['number user{login id}', { number: 101, 'user.login': 'ann', 'user.id': 707 }],
    ['user.*', { 'user.login': 'ann', 'user.id': 707, 'user.site_admin': false }],
    ['*_at', { created_at: '2024-05-01T10:00:00Z', merged_at: null }],
    ['-body, number', { number: 101 }],
    [['number', 'createdAt'], { number: 101, created_at: '2024-05-01T10:00:00Z' }],
    [['number', 'labels[].name'], { number: 101, 'labels[*].name': ['bug', 'ui'] }],
  ])('%j', (fields, first) => {
    const { error, items } = ask('pulls', { fields })
    expect(error).toBeUndefined()
    expect(items[0]).toEqual(first)
  })

  test('of pairs, and with keys that need quotes', () => {
    const tags = ask('ec2', {
      path: 'Reservations[*].Instances[*]',
      where: 'Tags.Name = web-1',
      fields: ['InstanceId', 'Tags.Name'],
    })
    expect(tags.items).toEqual([{ InstanceId: 'i-01', 'Tags.Name': ['web-1'] }])
    expect(ask('mixed', { fields: 'Order ID, price' }).items[0]).toEqual({ 'Order ID': 'A-1', price: '5' })
    expect(ask('teams', { fields: ['_key', 'budget.usd'] }).items[0]).toEqual({
      _key: 'red-1',
      'budget.usd': 100,
    })
  })
})

describe('a hit says where its record is and which it is', () => {
  test.each([
    [
      'geojson',
      { pattern: 'Paris' },
      { at: '$.features[1]', match: { 'properties.name': 'Paris' }, record: { id: 2 } },
    ],
    [
      'graphql',
      { pattern: 'Third' },
      {
        at: '$.data.repository.issues.edges[2]',
        match: { 'node.title': 'Third' },
        record: { node: { number: 3 } },
      },
    ],
    [
      'packument',
      { pattern: 'use 2', path: 'versions' },
      { at: '$.versions["1.10.0"]', match: { deprecated: 'use 2.x' } },
    ],
    [
      'stripe',
      { pattern: '2500', path: 'data' },
      { at: '$.data[3]', match: { amount: 2500 }, record: { id: 'ch_4' } },
    ],
    [
      'sql',
      { pattern: 'Zoë', fields: ['customer_name'] },
      { at: '$.rows[3]', match: { customer_name: 'Zoë' } },
    ],
    [
      'ec2',
      { pattern: 'i-02', path: 'Reservations[0].Instances', fields: ['InstanceId'] },
      { at: '$.Reservations[0].Instances[1]', match: { InstanceId: 'i-02' } },
    ],
  ])('%s %j', (name, params, hit) => {
    expect(ask(name, params).items).toMatchObject([hit])
  })
})

describe('what may mean several things is refused with their names', () => {
  test.each([
    ['pulls', 'login = ann', ['`user.login`', '`assignee.login`']],
    ['pulls', 'base.ref = main', ['`base.ref`']],
    ['pulls', 'user.name = ann', ['`user.login` ("ann", "bo")']],
    ['pulls', 'created_at > soonish ago', ['now-7d', '2024-05-31', 'holds dates such as 2023-12-31']],
    ['pulls', 'created_at > soon', ['no date', '2024-06-01']],
    ['pulls', 'comments > many', ['no number', '0 and 12']],
    ['pulls', 'assignee exists twice', ['takes no value']],
    ['sql', 'customer_id = 4', ['`customer_name`']],
    ['jira', 'story_points > 4', ['`fields.customfield_10016`']],
    ['har', 'headers.name ~ e', ['`request.headers', '`response.headers']],
  ])('%s: %s', (name, where, hints) => {
    const { error = '' } = ask(name, { where })
    for (const hint of hints) expect(error).toContain(hint)
  })
})
