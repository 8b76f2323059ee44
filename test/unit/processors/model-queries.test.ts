/** Documents of very different shapes, asked by somebody who has seen a preview only: the right answer at the first attempt. */
import { answersAll, type Question } from './model-asking.ts'

/** Each question with the records that answer it and, where the reply has to say how it was read, a part of that. */
const questions: readonly (readonly [string, readonly Question[]])[] = [
  [
    'jira',
    [
      [{ where: 'status = "In Progress"' }, ['PROJ-1', 'OPS-9']],
      [{ where: 'assignee is null' }, ['PROJ-2']],
      [{ where: 'assignee != "Ann Lee"' }, ['PROJ-2', 'PROJ-3'], 'without'],
      [{ where: 'key ~ ^PROJ' }, ['PROJ-1', 'PROJ-2', 'PROJ-3']],
      [{ where: 'created = 2024-05-01' }, ['PROJ-1', 'PROJ-2', 'PROJ-3'], 'UTC'],
      [
        { where: 'status = "In Progress" AND assignee = "Ann Lee" ORDER BY created DESC' },
        ['PROJ-1', 'OPS-9'],
        'sort',
      ],
      [{ where: 'name = High' }, ['OPS-9']],
    ],
  ],
  [
    'slack',
    [
      [{ where: 'user = U01' }, ['1714556400.000200']],
      [{ where: 'ts > 1717200000' }, ['1717200000.000300', '1717286400.000400']],
      [{ where: 'reactions.name = "+1" and reactions.count > 1' }, ['1717286400.000400'], 'same element'],
      [{ where: 'reactions has eyes' }, ['1714556400.000200']],
      [{ where: 'user != U01' }, ['1714560000.000100', '1717200000.000300', '1717286400.000400'], 'without'],
      [{ where: 'text = thanks!' }, ['1717286400.000400']],
    ],
  ],
  [
    'stripe',
    [
      [{ where: 'status = succeeded' }, ['ch_1', 'ch_3']],
      [{ where: 'created < 2024' }, ['ch_3'], 'year'],
      [{ where: 'created > 2023' }, ['ch_1', 'ch_2', 'ch_4'], 'year'],
      [{ where: 'created = 2023' }, ['ch_3'], 'year'],
      [{ where: 'year(created) = 2024' }, ['ch_1', 'ch_2', 'ch_4']],
      [{ where: 'metadata.order_id = "6735"' }, ['ch_1']],
      [{ where: 'data.amount > 50000' }, ['ch_3']],
    ],
  ],
  [
    'nodes',
    [
      [{ where: 'metadata.name = node-a' }, ['node-a']],
      [{ where: 'metadata.labels.kubernetes\\.io/arch = arm64' }, ['node-b']],
      [{ where: 'memory > 1Gi' }, ['node-a', 'node-b']],
      [{ where: 'conditions.Ready = True' }, ['node-a', 'node-c'], 'type'],
      [{ where: 'status.conditions.type = Ready and status.conditions.status = True' }, ['node-a', 'node-c']],
      [{ where: 'taints exists' }, ['node-a']],
      [{ where: 'kubeletVersion < 1.30' }, ['node-a', 'node-b']],
    ],
  ],
  [
    'terraform',
    [
      [{ where: 'type = aws_instance' }, ['web', 'db']],
      [{ where: 'instance_type = m5.large' }, ['db']],
      [{ where: 'instances.attributes.tags.Name = web-2' }, ['web']],
      [{ where: 'instances.attributes.tags.Name = db-1' }, ['db']],
      [{ where: 'instances.attributes.versioning.enabled = true' }, ['logs']],
      [{ where: 'name = web' }, ['web']],
      [{ where: 'instances.length = 1' }, ['db', 'logs', 'ubuntu']],
    ],
  ],
  [
    'openapi',
    [
      [{ path: 'paths' }, ['/pets', '/pets/{petId}', '/stores', '/stores/{id}/orders']],
      [{ path: 'paths./pets.get.operationId' }, ['listPets']],
      [{ path: '/paths/~1pets/get/operationId' }, ['listPets']],
      [{ path: 'info.title' }, ['Pets']],
      [{ path: 'paths', where: 'get exists' }, ['/pets', '/pets/{petId}', '/stores']],
      [{ path: 'paths', where: '_key ~ stores' }, ['/stores', '/stores/{id}/orders']],
      [{ path: 'paths', where: 'parameters.name = limit' }, ['/pets']],
    ],
  ],
  [
    'geojson',
    [
      [{ where: 'properties.name = Berlin' }, [1]],
      [{ where: 'properties.population > 3000000' }, [1, 3]],
      [{ where: 'population >= 2.1e6' }, [1, 2, 3]],
      [{ where: 'properties.elev-m > 36' }, [3, 4]],
      [{ where: 'geometry.coordinates.1 > 50' }, [1, 4]],
      [{ where: '$.features[?(@.properties.country=="DE")]' }, [1, 4]],
      [{ where: 'geometry.type = Point and country = BR' }, [3]],
    ],
  ],
  [
    'packument',
    [
      [{ path: 'versions' }, ['1.0.0', '1.10.0', '2.0.0', '3.0.0-beta.1']],
      [{ path: 'versions', where: { 'engines.node': '>=18' } }, ['2.0.0']],
      [{ path: 'versions', where: 'dependencies contains debug' }, ['1.10.0', '3.0.0-beta.1']],
      [{ path: 'versions', where: 'dist.unpackedSize > 10KB' }, ['1.0.0', '1.10.0']],
      [{ path: 'versions', where: 'key = 2.0.0' }, ['2.0.0']],
      [{ path: '/versions/1.0.0/dist/fileCount' }, [7]],
      [{ path: 'time["2.0.0"]' }, ['2023-02-01T00:00:00Z']],
    ],
  ],
  [
    'elastic',
    [
      [{ where: 'level = ERROR' }, ['a1', 'a4']],
      [{ where: 'service = api' }, ['a1', 'a3']],
      [{ where: '_source.@timestamp < "2024-05-01T10:00:01Z"' }, ['a1']],
      [{ where: 'duration_ms > 1m' }, ['a4'], '60,000'],
      [{ where: 'message = timeout' }, ['a4']],
      [{ where: 'message:time' }, ['a1', 'a4'], 'contains'],
      [{ where: 'hits.hits._source.level = INFO' }, ['a3']],
    ],
  ],
  [
    'prometheus',
    [
      [{ where: 'metric.instance = a:9090' }, ['a:9090']],
      [{ where: 'metric.job = node' }, ['a:9090', 'b:9090']],
      [{ where: 'values[-1][1] > 1' }, ['c:9100']],
      [{ where: 'values[][1] > 10' }, ['c:9100']],
      [{ where: 'values.-1.1 >= 12.5' }, ['c:9100']],
      [{ where: 'data.result.metric.job = db' }, ['c:9100']],
      [{ where: 'instance contains 9100' }, ['c:9100']],
    ],
  ],
  [
    'ec2',
    [
      [{ where: 'Instances.InstanceId = i-03' }, ['r-2']],
      [{ where: 'Tags.Name = web-1' }, ['r-1'], 'Key'],
      [{ where: 'Tags.Key = Name and Tags.Value = web-1' }, ['r-1'], 'same element'],
      [{ where: 'InstanceType = t3.micro and State.Name = stopped' }, [], 'same element'],
      [{ where: 'OwnerId = 12345678901' }, []],
      [{ path: "Reservations[*].Instances[?starts_with(InstanceType, 't3')].InstanceId" }, ['i-01', 'i-02']],
    ],
  ],
  [
    'sql',
    [
      [{ where: "customer_name = 'O\\'Brien'" }, [1]],
      [{ where: 'customer_name in ("Acme, Inc.", Zoë)' }, [3, 4]],
      [{ where: 'status = shipped' }, [1], 'Shipped'],
      [{ where: "UPPER(status) = 'SHIPPED'" }, [1, 3]],
      [{ where: 'note is null' }, [1]],
      [{ where: 'note = call "Bob" and wait' }, [3]],
      [{ where: "SELECT id FROM rows WHERE total > 10 AND status ILIKE 'shipped' LIMIT 1" }, [1, 3], 'limit'],
    ],
  ],
  [
    'graph',
    [
      [{ where: 'entityType = person' }, ['Ann', 'Bo']],
      [{ where: 'type = entity' }, ['Ann', 'Acme', 'Bo', 'anvil']],
      [{ where: 'observations contains tea' }, ['Ann']],
      [{ where: 'observations is empty' }, ['Bo']],
      [{ where: 'name != Ann' }, ['Acme', 'Bo', 'anvil']],
      [{ where: 'entityType is person' }, ['Ann', 'Bo']],
      [{ path: 'entities[Ann]' }, ['Ann']],
    ],
  ],
  [
    'tree',
    [
      [{ path: 'children[1].children[1].children[0].name' }, ['b.ts']],
      [{ path: 'children[?name=="lib"].children[*].name' }, ['a.ts', 'deep']],
      [{ path: '$..[?(@.size > 1000)].name' }, ['a.ts', 'b.ts']],
    ],
  ],
  [
    'jsonapi',
    [
      [{ where: 'attributes.title = Hello' }, ['2']],
      [{ where: 'like-count > 5' }, ['1', '2']],
      [{ where: 'likeCount < 5' }, ['3']],
      [{ where: 'relationships.author.data.id = 9' }, ['1', '3']],
      [{ where: 'author = 9' }, ['1', '3']],
      [{ where: 'created-at >= 2024' }, ['1', '2']],
      [{ where: 'data.attributes.title ~ bike' }, ['1']],
    ],
  ],
  [
    'graphql',
    [
      [{ where: 'node.state = OPEN' }, [1, 3]],
      [{ where: 'author.login = ann' }, [1, 4]],
      [{ where: 'labels = bug' }, [1, 4]],
      [{ where: 'labels contains bug' }, [1, 4]],
      [{ where: 'totalCount > 6' }, [3, 4]],
      [{ where: 'edges.node.number = 2' }, [2]],
      [{ where: 'issues.title = Third' }, [3]],
    ],
  ],
  [
    'feed',
    [
      [{ where: '@id = 2' }, ['2']],
      [{ where: '@id > 2' }, ['3', '10']],
      [{ where: 'title["#text"] = Beta' }, ['2']],
      [{ where: 'pubDate > 2024-05-01' }, ['2', '10']],
      [{ where: 'category = tech' }, ['1', '2']],
      [{ where: 'length > 1000' }, ['1', '10']],
      [{ where: 'enclosure is null' }, ['3']],
    ],
  ],
  [
    'mixed',
    [
      [{ where: 'Order ID = A-1' }, ['A-1']],
      [{ where: 'Kunden-Name = ann' }, ['A-3'], 'Ann'],
      [{ where: 'Größe > 1MB' }, ['A-1', 'A-3']],
      [{ where: 'isActive != true' }, ['A-2', 'A-5'], 'without'],
      [{ where: 'created at = 2024-05-02' }, ['A-2']],
      [{ where: 'price > 10' }, ['A-2', 'A-4'], 'cannot be compared'],
      [{ where: 'tags is empty' }, ['A-3', 'A-4', 'A-5']],
    ],
  ],
  [
    'teams',
    [
      [{ where: 'coach = Kim' }, ['red-1']],
      [{ where: 'team = blue-2' }, ['blue-2'], 'key'],
      [{ where: 'members.score > 8' }, ['red-1', 'grey-3']],
      [{ where: 'members has bo' }, ['red-1']],
      [{ where: 'usd < 60' }, ['grey-3']],
      [{ where: '$.teams.*.budget.usd = 250' }, ['blue-2']],
    ],
  ],
  [
    'har',
    [
      [{ where: 'response.headers.Content-Type = text/html' }, ['https://x.io/b']],
      [{ where: 'Content-Type like text/html%' }, ['https://x.io/b', 'https://y.io/c']],
      [{ where: 'status >= 400' }, ['https://x.io/b', 'https://y.io/c']],
      [{ where: 'method = GET' }, ['https://x.io/a', 'https://y.io/c']],
      [{ where: 'url starts with https://x.io' }, ['https://x.io/a', 'https://x.io/b', 'https://x.io/d']],
      [{ where: 'url: https://y.io/c' }, ['https://y.io/c']],
      [{ where: 'status between 400 and 499' }, ['https://y.io/c']],
    ],
  ],
  [
    'orders',
    [
      [{ where: 'items.price > 5' }, [1, 2]],
      [{ where: 'items.sku = a and items.price > 20' }, [2], 'same element'],
      [{ where: ['items.sku = a', 'items.price > 20'] }, [2], 'same element'],
      [{ where: 'items.price > 5 and items.price < 50' }, [], 'same element'],
      [{ where: 'items.sku = a and items.qty != 10' }, [2]],
      [{ where: 'length(items) = 1' }, [2, 3]],
    ],
  ],
]

answersAll(questions)
