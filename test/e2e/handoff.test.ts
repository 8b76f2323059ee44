/** Results of one real server as input of another: the rows of a database in a file, without passing through the model. */
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { beforeAll, expect } from 'vitest'
import { verifies } from '../support/verifies.ts'
import { bringSqlite, filesystem, makeDatabase, sqlite } from './support/real-servers.ts'
import { handleOf, startProxy, temporaryDirectory, textOf } from './support/world.ts'

const ORDERS = 20_000
const SQL = "SELECT *, 'as the shop keeps it: ' || hex(zeroblob(60)) AS remark FROM orders"

beforeAll(bringSqlite)

verifies(
  'S4.30 S4.15 S4.14',
  'rows of 5 MB go from a database into files by reference, in part, and by way of a file, for few tokens',
  async () => {
    const directory = temporaryDirectory()
    const database = join(directory, 'orders.db')
    await makeDatabase(database, ORDERS)
    const servers = { sql: sqlite(database), files: filesystem(directory) }
    const proxy = await startProxy({ directory, servers, settings: { exposure: 'dispatch' } })
    // A list does not wait long for a server that is late, and npx may be.
    await expect
      .poll(() => proxy.text('proxy-dispatch', { action: 'list', format: 'compact' }), {
        timeout: 170_000,
        interval: 200,
      })
      .toMatch(/execute_sql.*write_file/)

    let tokens = 0
    /** Counts what the model writes and reads. */
    const call = async (args: Record<string, unknown>) => {
      const given = { action: 'call', ...args }
      const result = await proxy.call('proxy-dispatch', given)
      expect(result.isError, textOf(result)).toBeFalsy()
      tokens += countTokens(JSON.stringify(given)) + countTokens(textOf(result))
      return result as typeof result & { resultFile: string }
    }
    const { tools } = await proxy.client.listTools()
    const always = countTokens(JSON.stringify(tools)) + countTokens(proxy.client.getInstructions() ?? '')
    const spent = (): number => {
      const all = tokens
      tokens = 0
      return all
    }
    const place = (name: string): string => join(directory, name)
    const read = (name: string): Buffer => readFileSync(place(name))

    // By reference.
    const rows = await call({ tool: 'execute_sql', arguments: { sql: SQL }, resultToFile: true })
    const $from = handleOf(rows)
    await call({ tool: 'write_file', arguments: { path: place('whole.json'), content: { $from } } })
    const reference = spent()
    expect(reference).toBeLessThan(600)
    expect(reference + always).toBeLessThan(1100)
    expect(statSync(place('whole.json')).size).toBeGreaterThan(5_000_000)
    expect(read('whole.json').equals(readFileSync(rows.resultFile))).toBe(true)
    const written = JSON.parse(read('whole.json').toString('utf8')).data.statements[0].rows
    expect(written).toHaveLength(ORDERS)
    expect(written[4320]).toMatchObject({ id: 4321, customer: 'customer 53', note: 'a needle in the rows' })

    // A part of it, and one value in a text.
    await call({
      tool: 'write_file',
      arguments: {
        path: place('part.json'),
        content: { $from, path: '$.data.statements[0].rows[4320:4322]' },
      },
    })
    const note = { $from, path: '$.data.statements[0].rows[4320].note' }
    await call({
      tool: 'write_file',
      arguments: { path: place('note.txt'), content: { $template: 'Found: {note}!', note } },
    })
    expect(JSON.parse(read('part.json').toString('utf8'))).toEqual(written.slice(4320, 4322))
    expect(read('note.txt').toString('utf8')).toBe('Found: a needle in the rows!')
    expect(spent()).toBeLessThan(600)

    // The result of one call is all the arguments of the next.
    const content = read('whole.json').toString('utf8')
    writeFileSync(place('arguments.json'), JSON.stringify({ path: place('chained.json'), content }))
    const args = await call({
      tool: 'read_text_file',
      arguments: { path: place('arguments.json') },
      resultToFile: true,
    })
    const done = await call({ tool: 'write_file', argumentsFile: args.resultFile })
    expect(done).toMatchObject({ arguments: { _fromFile: args.resultFile } })
    expect(read('chained.json').equals(read('whole.json'))).toBe(true)
    expect(spent()).toBeLessThan(600)
  },
)
