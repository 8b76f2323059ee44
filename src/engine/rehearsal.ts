/** First looks at made-up results, and a question about each, so that the first real ones find the code loaded and compiled. */
import { textBlock } from '../protocol/content.ts'
import { encodeResult, hashOf } from './content.ts'
import type { Query } from './contract.ts'
import { digest } from './digest.ts'
import { query } from './query.ts'
import { createViews } from './views.ts'

/** Few: what is read for it stays in the process as room. */
const RECORDS = 120

/** A text of one kind, and the question about it. */
interface Rehearsal {
  head?: string
  line(record: ReturnType<typeof recordOf>): string
  foot?: string
  asked: Pick<Query, 'kind' | 'params'>
}

const records: Rehearsal['asked'] = {
  kind: 'filter',
  params: { where: 'id > 900', sort: 'id desc', limit: 5 },
}
const passages: Rehearsal['asked'] = { kind: 'search', params: { pattern: 'user1' } }

/** Kinds of results, the most usual first. */
const REHEARSALS: readonly Rehearsal[] = [
  { line: (record) => `${record.id === 0 ? '[' : ','}${JSON.stringify(record)}`, foot: ']', asked: records },
  {
    line: ({ id, at, state, owner, price }) =>
      `${at} ${state === 'open' ? 'INFO' : 'ERROR'} [worker-${id % 7}] request ${id} of ${owner.login} took ${price} ms`,
    asked: records,
  },
  {
    head: '# A title\n\n',
    line: ({ id, title, owner }) =>
      `${id % 12 === 0 ? `## Part ${id}\n\n` : ''}A sentence about **${title}** of ${owner.login}, with [a link](${owner.url}).\n${id % 10 === 0 ? '\n- one point\n- another point\n' : ''}`,
    asked: passages,
  },
  {
    line: ({ id, owner, price }) =>
      `The record of number ${id} was written by a person called ${owner.login}, who says that it costs ${price}.${id % 5 === 0 ? '\n' : ''}`,
    asked: passages,
  },
  {
    head: 'id,title,state,price,owner,at\n',
    line: ({ id, title, state, price, owner, at }) =>
      `${id},"${title}, and more",${state},${price},${owner.login},${at}`,
    asked: records,
  },
  { line: (record) => JSON.stringify(record), asked: records },
  {
    head: '<html><body><h1>A title</h1><table><tr><th>id</th><th>title</th></tr>',
    line: ({ id, title }) => `<tr><td>${id}</td><td>${title}</td></tr>`,
    foot: '</table></body></html>',
    asked: records,
  },
]

/** A record with fields of the usual kinds. */
function recordOf(nth: number) {
  return {
    id: nth * 37,
    title: `A title of record ${nth}`,
    state: nth % 3 === 0 ? 'closed' : 'open',
    price: nth / 8,
    done: nth % 2 === 0,
    owner: { login: `user${nth % 97}`, url: `https://example.org/${nth}` },
    labels: nth % 4 === 0 ? ['first', 'second'] : [],
    note: nth % 5 === 0 ? null : `line\nbreak ${nth}`,
    at: new Date(1_700_000_000_000 + nth * 60_000).toISOString(),
  }
}

/** Takes some tens of milliseconds. @returns whether there is another one behind the `nth` */
export function rehearse(nth: number): boolean {
  const rehearsal = REHEARSALS[nth]
  if (rehearsal === undefined) return false
  const { head = '', line, foot = '', asked } = rehearsal
  const lines = Array.from({ length: RECORDS }, (_, at) => line(recordOf(at)))
  const content = encodeResult({ content: [textBlock(`${head}${lines.join('\n')}${foot}`)] })
  // It is too long for any client, so a preview is made.
  const limit = Math.floor(content.length / 5)
  const views = createViews()
  const { hash } = digest(
    views,
    { content, tool: 'rehearsal' },
    { maxResponseSize: limit, maxErrorSize: limit, previewSize: Math.floor(limit / 4), always: false },
  )
  const source = { handle: '', hash: hash || hashOf(content), content, tool: 'rehearsal' }
  query(views, [source], { ...asked, budget: limit })
  return nth + 1 < REHEARSALS.length
}
