/** Shapes that are awkward to ask about: wrappers, XML as JSON, odd names, maps of maps, pairs. */
import type { JsonValue } from '../../../../src/protocol/json.ts'

export const jsonapi: JsonValue = {
  data: [
    article('1', 'JSON:API paints my bikeshed', '9', 10, '2024-05-01'),
    article('2', 'Hello', '2', 55, '2024-06-01'),
    article('3', 'World', '9', 3, '2023-05-01'),
  ],
  included: [
    { type: 'people', id: '9', attributes: { 'first-name': 'Dan', twitter: 'dgeb' } },
    { type: 'people', id: '2', attributes: { 'first-name': 'Eve', twitter: null } },
  ],
  links: { self: 'https://x.io/articles' },
  meta: { 'total-pages': 13 },
}

function article(id: string, title: string, author: string, likes: number, created: string): JsonValue {
  return {
    type: 'articles',
    id,
    attributes: { title, 'like-count': likes, 'created-at': created },
    relationships: { author: { data: { type: 'people', id: author } } },
    links: { self: `https://x.io/articles/${id}` },
  }
}

export const graphql: JsonValue = {
  data: {
    repository: {
      name: 'app',
      issues: {
        totalCount: 4,
        pageInfo: { hasNextPage: true, endCursor: 'abc' },
        edges: [
          edge(1, 'First', 'ann', ['bug', 'p1'], 'OPEN', '2024-05-01T10:00:00Z'),
          edge(2, 'Second', 'bo', ['docs'], 'CLOSED', '2024-05-02T10:00:00Z'),
          edge(3, 'Third', null, [], 'OPEN', '2024-06-02T10:00:00Z'),
          edge(4, 'Fourth', 'ann', ['bug'], 'CLOSED', '2023-06-02T10:00:00Z'),
        ],
      },
    },
  },
}

function edge(
  number: number,
  title: string,
  author: string | null,
  labels: string[],
  state: string,
  createdAt: string,
): JsonValue {
  return {
    cursor: `c${number}`,
    node: {
      number,
      title,
      state,
      createdAt,
      author: author === null ? null : { login: author },
      labels: { nodes: labels.map((name) => ({ name })) },
      comments: { totalCount: number * 3 },
    },
  }
}

export const feed: JsonValue = {
  rss: {
    '@version': '2.0',
    channel: {
      title: 'News',
      item: [
        {
          '@id': '1',
          title: { '#text': 'Alpha', '@lang': 'en' },
          pubDate: 'Wed, 01 May 2024 10:00:00 GMT',
          category: ['tech', 'ai'],
          enclosure: { '@length': '1048576', '@type': 'audio/mpeg' },
        },
        {
          '@id': '2',
          title: { '#text': 'Beta', '@lang': 'de' },
          pubDate: 'Fri, 31 May 2024 23:00:00 +0200',
          category: 'tech',
          enclosure: { '@length': '500', '@type': 'image/png' },
        },
        { '@id': '3', title: 'Gamma', pubDate: 'Mon, 01 Jan 2024 00:00:00 GMT', category: null },
        {
          '@id': '10',
          title: { '#text': 'Delta', '@lang': 'en' },
          pubDate: 'Sat, 01 Jun 2024 00:30:00 +0200',
          category: ['sport'],
          enclosure: { '@length': '2048', '@type': 'audio/ogg' },
        },
      ],
    },
  },
}

/** Keys with blanks, umlauts, dashes; one field of several types. */
export const mixed: JsonValue = [
  {
    'Order ID': 'A-1',
    'Kunden-Name': 'Jürgen',
    Größe: '10 MiB',
    isActive: 'true',
    'created at': '01.05.2024',
    price: '5',
    tags: 'red, blue',
    took: '1.5s',
    payload: '{"user":{"id":7,"name":"x"},"ok":true}',
  },
  {
    'Order ID': 'A-2',
    'Kunden-Name': 'Zoë',
    Größe: '900 KiB',
    isActive: 'false',
    'created at': '2024-05-02',
    price: 12.5,
    tags: ['red'],
    took: '250ms',
    payload: '{"user":{"id":8,"name":"y"},"ok":false}',
  },
  {
    'Order ID': 'A-3',
    'Kunden-Name': 'ann',
    Größe: '2 GB',
    isActive: 'TRUE',
    'created at': 'May 3, 2024',
    price: null,
    tags: [],
    took: '2m',
    payload: null,
  },
  {
    'Order ID': 'A-4',
    'Kunden-Name': 'Ann',
    Größe: 2048,
    isActive: true,
    'created at': 1714780800,
    price: '$1,200.00',
    took: '1h',
    payload: 'none',
  },
  {
    'Order ID': 'A-5',
    'Kunden-Name': '',
    isActive: null,
    'created at': '2024-05-05T10:00:00+02:00',
    price: 'n/a',
    tags: null,
    took: '90s',
  },
]

export const teams: JsonValue = {
  season: 2024,
  teams: {
    'red-1': {
      coach: 'Kim',
      members: { ann: { score: 10, role: 'lead' }, bo: { score: 3, role: 'dev' } },
      budget: { usd: 100 },
    },
    'blue-2': { coach: 'Lou', members: { cy: { score: 7, role: 'dev' } }, budget: { usd: 250 } },
    'grey-3': {
      coach: 'Max',
      members: { dan: { score: 1, role: 'qa' }, ed: { score: 9, role: 'lead' } },
      budget: { usd: 50 },
    },
  },
}

export const har: JsonValue = {
  log: {
    version: '1.2',
    entries: [
      request('GET', 'https://x.io/a', 200, 'application/json', 12.5),
      request('POST', 'https://x.io/b', 500, 'text/html', 900),
      request('GET', 'https://y.io/c', 404, 'text/html; charset=utf-8', 33),
      request('DELETE', 'https://x.io/d', 204, null, 51),
    ],
  },
}

function request(method: string, url: string, status: number, type: string | null, time: number): JsonValue {
  return {
    startedDateTime: '2024-05-01T10:00:00.000Z',
    time,
    request: { method, url, headers: [{ name: 'Accept', value: '*/*' }] },
    response: {
      status,
      headers: [
        ...(type === null ? [] : [{ name: 'Content-Type', value: type }]),
        { name: 'Server', value: 'nginx' },
      ],
    },
  }
}

export const orders: JsonValue = {
  orders: [
    {
      id: 1,
      items: [
        { sku: 'a', price: 5, qty: 10 },
        { sku: 'b', price: 50, qty: 1 },
      ],
    },
    { id: 2, items: [{ sku: 'a', price: 70, qty: 2 }] },
    { id: 3, items: [{ sku: 'c', price: 5, qty: 1 }] },
    { id: 4, items: [] },
  ],
}
