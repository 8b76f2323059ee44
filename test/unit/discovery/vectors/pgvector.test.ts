import { describe, expect, test } from 'vitest'
import { connectPg, openPgVector, type PgClient } from '../../../../src/discovery/vectors/pgvector.ts'
import { ProxyError } from '../../../../src/protocol/errors.ts'
import { vectorsContract } from '../../../contract/vectors.ts'

/** The effect of the statements, without a database. It does not know SQL: a statement that it has not seen fails the test. */
class FakePg implements PgClient {
  readonly rows = new Map<string, { space: string; id: number; vector: number[] }>()
  readonly statements: string[] = []
  ended = false

  async query(text: string, values: unknown[] = []): Promise<{ rows: Record<string, unknown>[] }> {
    this.statements.push(text)
    const [space, ids, more, limit] = values as [string, number[], string[], number]
    const own = [...this.rows.values()].filter((row) => row.space === space)
    if (text.startsWith('CREATE ')) return { rows: [] }
    if (text.startsWith('SELECT vector_dims'))
      return { rows: own.slice(0, 1).map(({ vector }) => ({ dimension: vector.length })) }
    // The driver gives bigint as text.
    if (text.startsWith('SELECT id FROM'))
      return { rows: own.filter(({ id }) => ids.includes(id)).map(({ id }) => ({ id: String(id) })) }
    if (text.startsWith('INSERT ')) {
      for (const [place, id] of ids.entries())
        this.rows.set(`${space} ${id}`, { space, id, vector: JSON.parse(more[place] ?? '') })
      return { rows: [] }
    }
    if (text.startsWith('DELETE ')) {
      for (const { id } of own) if (!ids.includes(id)) this.rows.delete(`${space} ${id}`)
      return { rows: [] }
    }
    if (!text.startsWith('SELECT id, CASE')) throw new Error(`unknown statement: ${text}`)
    const query: number[] = JSON.parse(String(ids))
    const dot = (a: number[], b: number[]) => a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0)
    const found = own
      .filter(({ vector }) => vector.length === Number(more))
      .map(({ id, vector }) => ({
        id: String(id),
        similarity: dot(query, vector) / Math.sqrt(dot(query, query) * dot(vector, vector)) || 0,
      }))
      .sort((a, b) => b.similarity - a.similarity || Number(a.id) - Number(b.id))
    return { rows: found.slice(0, limit) }
  }

  async end(): Promise<void> {
    this.ended = true
  }
}

vectorsContract('pgvector', () => openPgVector({ client: new FakePg(), space: 'one' }))

describe('pgvector', () => {
  test('proxies that share a table see their own space', async () => {
    const client = new FakePg()
    const [a, b] = [await openPgVector({ client, space: 'a' }), await openPgVector({ client, space: 'b' })]
    await a.put([{ id: 1, vector: Float32Array.of(1, 0) }])
    await b.put([{ id: 2, vector: Float32Array.of(1, 0, 0) }])
    await a.keep(new Set())
    expect(await a.has([1, 2])).toEqual(new Set())
    expect(await b.has([1, 2])).toEqual(new Set([2]))
  })

  test('values never become part of a statement', async () => {
    const client = new FakePg()
    const index = await openPgVector({ client, space: "'; DROP TABLE x; --" })
    await index.put([{ id: 1, vector: Float32Array.of(1, 0) }])
    await index.search(Float32Array.of(1, 0), 3)
    expect(client.statements.some((text) => text.includes('DROP'))).toBe(false)
    await index.close()
    expect(client.ended).toBe(true)
  })

  test('without the package it says how to install it', async () => {
    const missing = connectPg('postgres://localhost/x', async (name, feature) => {
      throw new ProxyError('PACKAGE_MISSING', `${feature} needs ${name}`, '')
    })
    await expect(missing).rejects.toMatchObject({
      code: 'PACKAGE_MISSING',
      message: 'vectors in PostgreSQL needs pg',
    })
  })

  test('connects by the pool of the package', async () => {
    const seen: object[] = []
    const listeners: string[] = []
    class Pool extends FakePg {
      constructor(options: object) {
        super()
        seen.push(options)
      }
      // Node ends a process for an `error` event without a listener.
      on(event: string) {
        listeners.push(event)
      }
    }
    expect(await connectPg('postgres://localhost/x', async () => ({ default: { Pool } }))).toBeInstanceOf(
      Pool,
    )
    expect(seen).toEqual([{ connectionString: 'postgres://localhost/x', max: 2 }])
    expect(listeners).toEqual(['error'])
  })

  test('a database that is away says so, and is used once it is back', async () => {
    const client = new FakePg()
    const query = client.query.bind(client)
    client.query = () =>
      Promise.reject(new AggregateError([new Error('connect ECONNREFUSED 127.0.0.1:5432')]))
    const index = await openPgVector({ client, space: 'one' })
    await expect(index.has([1])).rejects.toThrow('ECONNREFUSED')
    client.query = query
    await index.put([{ id: 1, vector: Float32Array.of(1, 0) }])
    expect(await index.has([1])).toEqual(new Set([1]))
    expect(client.statements.filter((text) => text.startsWith('CREATE ')).length).toBe(2)
  })
})
