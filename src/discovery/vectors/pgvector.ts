/** Vectors in PostgreSQL with the extension `vector`: for many proxies that share one index. */
import { importOptional } from '../import-optional.ts'
import { checkQuery, checkVector, type IdentifiedVector, type VectorIndex } from './vector-index.ts'

/** The used part of a client or pool of the package `pg`. */
export interface PgClient {
  query(text: string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[] }>
  end(): Promise<void>
  on?(event: 'error', listener: (error: Error) => void): unknown
}

export interface PgVectorOptions {
  /** Keeps those apart who share a table: proxies of other servers, other models. */
  space: string
  client: PgClient
}

const TABLE = 'mcp_tool_vectors'
/** Rows in one statement. */
const BATCH = 500

const SETUP = [
  'CREATE EXTENSION IF NOT EXISTS vector',
  `CREATE TABLE IF NOT EXISTS ${TABLE} (space text NOT NULL, id bigint NOT NULL, embedding vector NOT NULL, PRIMARY KEY (space, id))`,
]
const HAS = `SELECT id FROM ${TABLE} WHERE space = $1 AND id = ANY($2::bigint[])`
const DIMENSION = `SELECT vector_dims(embedding) AS dimension FROM ${TABLE} WHERE space = $1 LIMIT 1`
const PUT = `INSERT INTO ${TABLE} (space, id, embedding) SELECT $1::text, id, embedding::vector FROM unnest($2::bigint[], $3::text[]) AS new(id, embedding)
ON CONFLICT (space, id) DO UPDATE SET embedding = excluded.embedding`
const KEEP = `DELETE FROM ${TABLE} WHERE space = $1 AND NOT id = ANY($2::bigint[])`
// The distance to a vector of zeros is NaN. Of vectors of another length there is none, so they are not compared.
const SEARCH = `SELECT id, CASE WHEN vector_norm(embedding) = 0 THEN 0 ELSE 1 - (embedding <=> $2::vector) END AS similarity
FROM ${TABLE} WHERE space = $1 AND vector_dims(embedding) = $3 ORDER BY similarity DESC, id LIMIT $4`

/** A pool of connections by the package `pg`, which has to be installed. */
export async function connectPg(url: string, load = importOptional): Promise<PgClient> {
  const module = await load('pg', 'vectors in PostgreSQL')
  const { Pool } = (module.default ?? module) as { Pool: new (options: object) => PgClient }
  const pool = new Pool({ connectionString: url, max: 2 })
  // An idle connection that breaks: the next query makes another. Without a listener it ends the process.
  pool.on?.('error', () => {})
  return pool
}

/** Makes the table when it is missing, with the first question: a database that is away for a while only keeps the vectors away. */
export async function openPgVector({ client, space }: PgVectorOptions): Promise<VectorIndex> {
  let prepared: Promise<void> | undefined

  async function prepare(): Promise<void> {
    for (const statement of SETUP) await client.query(statement)
  }

  async function query(text: string, values: unknown[]): Promise<{ rows: Record<string, unknown>[] }> {
    try {
      prepared ??= prepare()
      await prepared
    } catch (error) {
      prepared = undefined
      throw spoken(error)
    }
    return client.query(text, values)
  }

  async function dimension(): Promise<number> {
    const { rows } = await query(DIMENSION, [space])
    return Number(rows[0]?.dimension ?? 0)
  }

  return {
    async has(ids) {
      const { rows } = await query(HAS, [space, ids])
      return new Set(rows.map(({ id }) => Number(id)))
    },
    async put(vectors) {
      const [first] = vectors
      if (first === undefined) return
      const length = (await dimension()) || first.vector.length
      for (const { vector } of vectors) checkVector(vector, length)
      // One statement cannot change a row twice.
      const latest = [...new Map(vectors.map((each) => [each.id, each])).values()]
      for (let at = 0; at < latest.length; at += BATCH) {
        const batch = latest.slice(at, at + BATCH)
        await query(PUT, [space, batch.map(({ id }) => id), batch.map(written)])
      }
    },
    async keep(ids) {
      await query(KEEP, [space, [...ids]])
    },
    async search(vector, limit, signal) {
      signal?.throwIfAborted()
      if (limit < 1 || vector.every((value) => value === 0)) return []
      const { rows } = await query(SEARCH, [space, written({ vector }), vector.length, limit])
      // None of this length: either there are none at all, or all are of another.
      if (rows.length === 0) checkQuery(vector, (await dimension()) || vector.length)
      return rows.map(({ id, similarity }) => ({ id: Number(id), similarity: Number(similarity) }))
    },
    close: () => client.end(),
  }
}

/** As pgvector reads it. */
function written({ vector }: Pick<IdentifiedVector, 'vector'>): string {
  return `[${vector.join(',')}]`
}

/** Several addresses that were tried in vain are one error without words. */
function spoken(error: unknown): unknown {
  return error instanceof AggregateError && error.message === '' ? (error.errors[0] ?? error) : error
}
