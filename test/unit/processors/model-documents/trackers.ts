/** Answers of issue trackers, chats and shops. */
import type { JsonValue } from '../../../../src/protocol/json.ts'

export const pulls: JsonValue = [
  pull(101, 'Fix crash on empty input', 'open', 'ann', ['bug', 'ui'], 5, false, '2024-05-01T10:00:00Z', null),
  pull(
    102,
    'Add dark mode',
    'closed',
    'bo',
    ['feature'],
    0,
    false,
    '2024-04-12T08:30:00Z',
    '2024-04-20T00:00:00Z',
  ),
  pull(103, 'Debug logging (and tracing)', 'open', 'cy', ['debug'], 12, true, '2024-05-31T23:59:59Z', null),
  pull(104, 'Bump lodash', 'closed', 'renovate[bot]', [], 1, false, '2023-12-31T12:00:00Z', null),
  pull(105, 'crash in parser', 'OPEN', 'ann', ['Bug'], 7, false, '2024-06-01T00:00:00Z', null),
]

function pull(
  number: number,
  title: string,
  state: string,
  login: string,
  labels: string[],
  comments: number,
  draft: boolean,
  created_at: string,
  merged_at: string | null,
): JsonValue {
  return {
    number,
    title,
    state,
    draft,
    comments,
    created_at,
    merged_at,
    user: { login, id: number * 7, site_admin: login === 'cy' },
    labels: labels.map((name, at) => ({ id: number * 10 + at, name, color: 'ff0000' })),
    assignee: number === 102 ? { login: 'ann', id: 1 } : null,
    head: { ref: `branch-${number}`, repo: { full_name: 'acme/app', stargazers_count: 4000 } },
    ...(number === 103 ? { milestone: { title: 'v2' } } : {}),
  }
}

export const jira: JsonValue = {
  expand: 'schema,names',
  startAt: 0,
  total: 4,
  issues: [
    ticket(
      'PROJ-1',
      'Login fails',
      'In Progress',
      'Ann Lee',
      5,
      ['auth', 'web'],
      '2024-05-01T09:00:00.000+0200',
    ),
    ticket('PROJ-2', 'Slow search', 'To Do', null, 3, [], '2024-05-02T00:30:00.000+0200'),
    ticket('PROJ-3', 'Crash on save', 'Done', 'Bo Ray', null, ['editor'], '2024-04-30T23:30:00.000-0500'),
    ticket('OPS-9', 'Rotate keys', 'In Progress', 'Ann Lee', 8, ['auth'], '2024-03-15T12:00:00.000+0000'),
  ],
}

function ticket(
  key: string,
  summary: string,
  status: string,
  assignee: string | null,
  points: number | null,
  labels: string[],
  created: string,
): JsonValue {
  return {
    id: key.replace(/\D/g, ''),
    key,
    fields: {
      summary,
      status: { name: status, statusCategory: { key: status === 'Done' ? 'done' : 'new', name: 'Cat' } },
      assignee: assignee === null ? null : { displayName: assignee, active: true },
      customfield_10016: points,
      customfield_10020: [{ id: 7, name: 'Sprint 7', state: 'active' }],
      labels,
      created,
      priority: { name: points === 8 ? 'High' : 'Medium' },
      timetracking: { remainingEstimate: `${points ?? 1}h` },
    },
  }
}

export const slack: JsonValue = {
  ok: true,
  messages: [
    {
      type: 'message',
      user: 'U01',
      text: 'Deploy failed again',
      ts: '1714556400.000200',
      reply_count: 3,
      reactions: [
        { name: 'eyes', count: 2, users: ['U02', 'U03'] },
        { name: '+1', count: 1, users: ['U04'] },
      ],
    },
    {
      type: 'message',
      user: 'U02',
      text: 'looking <@U01>',
      ts: '1714560000.000100',
      thread_ts: '1714556400.000200',
    },
    {
      type: 'message',
      subtype: 'bot_message',
      bot_id: 'B1',
      text: 'Build #42 passed',
      ts: '1717200000.000300',
    },
    {
      type: 'message',
      user: 'U03',
      text: 'thanks!',
      ts: '1717286400.000400',
      reactions: [{ name: '+1', count: 5, users: ['U01'] }],
      edited: { user: 'U03', ts: '1717286500.000000' },
    },
  ],
  has_more: false,
  response_metadata: { next_cursor: 'bmV4dA==' },
}

export const stripe: JsonValue = {
  object: 'list',
  url: '/v1/charges',
  has_more: true,
  data: [
    charge('ch_1', 2000, 'usd', 'succeeded', 1714556400, 'ann@x.io', '6735', true),
    charge('ch_2', 500, 'eur', 'failed', 1717200000, 'bo@y.org', '6736', false),
    charge('ch_3', 99900, 'usd', 'succeeded', 1685577600, null, '7000', true),
    charge('ch_4', 2500, 'usd', 'pending', 1704067200, 'Ann@X.io', null, false),
  ],
}

function charge(
  id: string,
  amount: number,
  currency: string,
  status: string,
  created: number,
  email: string | null,
  order: string | null,
  paid: boolean,
): JsonValue {
  return {
    id,
    object: 'charge',
    amount,
    currency,
    status,
    created,
    paid,
    refunded: false,
    billing_details: { email, name: null, address: { city: 'Berlin', postal_code: '01067' } },
    metadata: order === null ? {} : { order_id: order },
    outcome: { risk_score: amount / 100, seller_message: 'ok' },
  }
}
