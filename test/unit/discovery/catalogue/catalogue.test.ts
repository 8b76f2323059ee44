import { createHash, randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  changesBetween,
  hashTool,
  isEmpty,
  openCatalogue,
  TOOLS_FILE,
} from '../../../../src/discovery/catalogue/catalogue.ts'
import { type KnownTool, keyOf } from '../../../../src/discovery/catalogue/known-tool.ts'
import { builtInSqlite, loadSqlite, type OpenSqlite } from '../../../../src/discovery/catalogue/tools-file.ts'
import { silentLogger } from '../../../../src/observe/log.ts'
import type { JsonObject } from '../../../../src/protocol/json.ts'
import { runs } from '../../../support/runs.ts'
import { verifies } from '../../../support/verifies.ts'

const tool = (name: string, description = `Does ${name}.`, more: JsonObject = {}): JsonObject => ({
  name,
  description,
  inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
  ...more,
})

let root: string
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'catalogue-'))
})
afterAll(() => rm(root, { recursive: true, force: true }))
const folder = () => join(root, randomUUID())

/** Every SQLite that this Node has; WebAssembly is for those without one and works everywhere. */
const libraries: [string, () => Promise<OpenSqlite>][] = [
  ['WebAssembly', () => loadSqlite(undefined)],
  ...(builtInSqlite() ? [['built in', () => loadSqlite()] as [string, () => Promise<OpenSqlite>]] : []),
]

describe.each(libraries)('the catalogue over SQLite, %s', (_, sqlite) => {
  const open = (directory: string | undefined, more: Partial<Parameters<typeof openCatalogue>[0]> = {}) =>
    openCatalogue({ directory, servers: ['a', 'b'], logger: silentLogger, sqlite, ...more })
  const names = (tools: readonly { server: string; name: string }[]) =>
    tools.map(({ server, name }) => `${server}/${name}`)

  verifies('S1.20', 'has all tools in the next run before any server answers', async () => {
    const directory = folder()
    const first = await open(directory)
    const listed = [
      tool('read', 'Reads 😀 a\nfile', { annotations: { readOnlyHint: true }, title: 'Read' }),
      tool('write'),
    ]
    first.refresh('a', listed)
    first.refresh('b', [tool('read')])
    await first.close()
    const second = await open(directory)
    expect(second.tools()).toEqual(first.tools())
    expect(names(second.tools())).toEqual(['a/read', 'a/write', 'b/read'])
    expect(
      second
        .tools()
        .slice(0, 2)
        .map(({ definition }) => definition),
    ).toEqual(listed)
    const changes = second.refresh('a', listed)
    expect(changes).toEqual({ added: [], changed: [], removed: [], unchanged: 2 })
  })

  verifies('S1.21', 'keeps them in the table that is documented', async () => {
    const directory = folder()
    const catalogue = await open(directory, { model: 'm' })
    catalogue.refresh('a', [tool('read')])
    await catalogue.close()
    const [known] = catalogue.tools()
    const database = (await sqlite())(join(directory, TOOLS_FILE))
    expect(
      database.all(
        'SELECT id, name, description, hash, server_name, faiss_vector_id, params_json FROM tools',
      ),
    ).toEqual([
      expect.objectContaining({
        id: 1,
        name: 'read',
        description: 'Does read.',
        hash: known?.hash,
        server_name: 'a',
        faiss_vector_id: known?.vectorId,
        params_json: JSON.stringify(tool('read').inputSchema),
      }),
    ])
    expect(
      database.all("SELECT name FROM sqlite_master WHERE type = 'index' AND name = 'idx_tools_hash'"),
    ).toHaveLength(1)
    expect(() =>
      database.run(
        "INSERT INTO tools (name, hash, server_name, faiss_vector_id, definition) VALUES ('x', '', 'b', ?, '')",
        [known?.vectorId ?? 0],
      ),
    ).toThrow(/UNIQUE/)
    database.close()
    expect((await stat(join(directory, TOOLS_FILE))).mode & 0o777).toBe(0o600)
  })

  verifies('S1.24 S1.26', 'tells what was added, changed and removed, and saves it', async () => {
    const directory = folder()
    const first = await open(directory, { model: 'm' })
    first.refresh('a', [tool('stays'), tool('changes'), tool('goes')])
    await first.close()
    const before = new Map(first.tools().map((known) => [known.name, known]))
    const second = await open(directory, { model: 'm' })
    const changes = second.refresh('a', [tool('comes'), tool('stays'), tool('changes', 'Is another.')])
    expect(names(changes.added)).toEqual(['a/comes'])
    expect(names(changes.changed)).toEqual(['a/changes'])
    expect(names(changes.removed)).toEqual(['a/goes'])
    expect(changes.unchanged).toBe(1)
    await second.close()
    const third = await open(directory, { model: 'm' })
    const after = new Map(third.tools().map((known) => [known.name, known]))
    expect([...after.keys()].sort()).toEqual(['changes', 'comes', 'stays'])
    expect(after.get('stays')).toEqual(before.get('stays'))
    expect(after.get('changes')?.vectorId).not.toBe(before.get('changes')?.vectorId)
  })

  verifies('S1.25', 'forgets the tools of servers that are not configured any more', async () => {
    const directory = folder()
    const first = await open(directory)
    first.refresh('a', [tool('x')])
    first.refresh('b', [tool('y')])
    await first.close()
    const second = await open(directory, { servers: ['b', 'renamed'] })
    expect(names(second.tools())).toEqual(['b/y'])
    await second.close()
    expect(names((await open(directory)).tools())).toEqual(['b/y'])
    const third = await open(directory)
    expect(names(third.retain(['a']).removed)).toEqual(['b/y'])
    expect(third.tools()).toEqual([])
  })

  verifies(
    'S1.22',
    'gives a vector the same number in every run, and another for another model, text or server',
    async () => {
      const numbers = async (model: string | undefined, server: string, description: string) => {
        const catalogue = await open(undefined, { model })
        catalogue.refresh(server, [tool('x', description)])
        return catalogue.tools()[0]?.vectorId
      }
      const all = [
        await numbers('m', 'a', 'one'),
        await numbers('n', 'a', 'one'),
        await numbers('m', 'b', 'one'),
        await numbers('m', 'a', 'two'),
      ]
      expect(new Set(all).size).toBe(4)
      expect(all.every((id) => Number.isSafeInteger(id))).toBe(true)
      expect(await numbers('m', 'a', 'one')).toBe(all[0])
      expect(await numbers(undefined, 'a', 'one')).toBeUndefined()
    },
  )

  test('another model renumbers what is on disk', async () => {
    const directory = folder()
    const first = await open(directory, { model: 'm' })
    first.refresh('a', [tool('x')])
    await first.close()
    const second = await open(directory, { model: 'n' })
    expect(second.tools()[0]?.vectorId).not.toBe(first.tools()[0]?.vectorId)
    await second.close()
    expect((await open(directory, { model: 'n' })).tools()).toEqual(second.tools())
  })

  verifies('S1.45', 'starts from nothing after a reset', async () => {
    const directory = folder()
    const first = await open(directory)
    first.refresh('a', [tool('x')])
    await first.close()
    expect((await open(directory, { reset: true })).tools()).toEqual([])
    expect(await readdir(directory)).toEqual([])
  })

  verifies('S1.20', 'makes a broken file again and keeps the broken one beside it', async () => {
    const directory = folder()
    const path = join(directory, TOOLS_FILE)
    const first = await open(directory)
    first.refresh(
      'a',
      Array.from({ length: 30 }, (_, at) => tool(`x${at}`)),
    )
    await first.close()
    const good = await readFile(path)
    const torn = Buffer.from(good)
    torn.fill(0xaa, 4096)
    for (const bytes of [
      Buffer.from('no database at all '.repeat(100)),
      good.subarray(0, 5000),
      torn,
      Buffer.alloc(0),
    ]) {
      await writeFile(path, bytes)
      const warnings: string[] = []
      const logger = { ...silentLogger, warn: (_fields: object, message: string) => warnings.push(message) }
      const catalogue = await open(directory, { logger })
      expect(catalogue.tools()).toEqual([])
      expect(warnings).toEqual(['the file of tools was unreadable; it is made again'])
      expect(await readFile(`${path}.broken`)).toEqual(Buffer.from(bytes))
      catalogue.refresh('a', [tool('x')])
      await catalogue.close()
      expect(names((await open(directory)).tools())).toEqual(['a/x'])
    }
  })

  test('a file that breaks or vanishes under it is written whole', async () => {
    const directory = folder()
    const catalogue = await open(directory)
    catalogue.refresh('a', [tool('x'), tool('y')])
    await catalogue.close()
    await writeFile(join(directory, TOOLS_FILE), 'broken meanwhile')
    catalogue.refresh('b', [tool('z')])
    await catalogue.close()
    expect(names((await open(directory)).tools())).toEqual(['a/x', 'a/y', 'b/z'])
    await rm(directory, { recursive: true })
    catalogue.refresh('b', [tool('z'), tool('w')])
    await catalogue.close()
    expect(names((await open(directory)).tools())).toEqual(['a/x', 'a/y', 'b/z', 'b/w'])
  })

  test('a row that makes no sense is left out', async () => {
    const directory = folder()
    const first = await open(directory)
    first.refresh('a', [tool('x'), tool('y'), tool('z')])
    await first.close()
    const database = (await sqlite())(join(directory, TOOLS_FILE))
    database.run("UPDATE tools SET definition = 'no JSON' WHERE name = ?", ['x'])
    database.run('UPDATE tools SET definition = \'{"name":"other"}\' WHERE name = ?', ['y'])
    database.close()
    expect(names((await open(directory)).tools())).toEqual(['a/z'])
  })

  test('two on one directory do not disturb each other, and what a killed one left is cleared away', async () => {
    const directory = folder()
    await mkdir(`${directory}/${TOOLS_FILE}.dead.partial.lock`, { recursive: true })
    await writeFile(`${directory}/${TOOLS_FILE}.dead.partial`, 'half')
    for (const name of await readdir(directory)) await utimes(join(directory, name), 1, 1)
    await writeFile(`${directory}/${TOOLS_FILE}.busy.partial`, 'half')
    const warnings: string[] = []
    const logger = { ...silentLogger, warn: (_fields: object, message: string) => warnings.push(message) }
    const [one, two] = await Promise.all([open(directory, { logger }), open(directory, { logger })])
    for (let round = 0; round < 5; round++) {
      one.refresh('a', [tool('x'), tool(`one${round}`)])
      two.refresh('a', [tool('x'), tool(`two${round}`)])
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
    await Promise.all([one.close(), two.close()])
    expect(warnings).toEqual([])
    expect((await readdir(directory)).sort()).toEqual([TOOLS_FILE, `${TOOLS_FILE}.busy.partial`])
    expect(names((await open(directory)).tools())).toContain('a/x')
  })

  test('where nothing can be written, everything works in memory, and the log says so once', async () => {
    const directory = folder()
    await writeFile(directory, 'a file where the folder should be')
    const warnings: string[] = []
    const logger = { ...silentLogger, warn: (_fields: object, message: string) => warnings.push(message) }
    const catalogue = await open(directory, { logger })
    warnings.length = 0
    catalogue.refresh('a', [tool('x')])
    await catalogue.close()
    catalogue.refresh('a', [tool('y')])
    await catalogue.close()
    expect(names(catalogue.tools())).toEqual(['a/y'])
    expect(warnings).toEqual(['the tools could not be saved; they are kept in memory'])
  })

  test('what cannot be called is left out; names of any kind are data', async () => {
    const directory = folder()
    const catalogue = await open(directory, { servers: ['__proto__', 'a'] })
    const strange = ["x'; DROP TABLE tools; --", '__proto__', 'constructor', 'é😀', 'x'.repeat(300)]
    catalogue.refresh(
      '__proto__',
      strange.map((name) => tool(name)),
    )
    catalogue.refresh('a', [
      tool(''),
      { description: 'no name' },
      tool('deep', 'nested', { outputSchema: JSON.parse(`${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`) }),
      { name: 7 },
      tool('twice', 'first'),
      tool('twice', 'second'),
    ])
    await catalogue.close()
    const again = await open(directory, { servers: ['__proto__', 'a'] })
    // Newer releases of Node can write what is that deep.
    const found = again.tools().filter(({ name }) => name !== 'deep')
    expect(found.map(({ name }) => name)).toEqual([...strange, 'twice'])
    expect(again.tools().at(-1)?.definition.description).toBe('first')
  })
})

describe('hash of a tool', () => {
  verifies('S1.23', 'is SHA-256 of name||description||parameters with sorted keys', () => {
    const vectors: [JsonObject, string][] = [
      [{ name: 'ping' }, 'ping||||{}'],
      [
        { name: 'add', description: 'Adds.', inputSchema: { type: 'object' } },
        'add||Adds.||{"type":"object"}',
      ],
      [
        {
          name: 'read',
          description: 'Liest "ä"\n',
          inputSchema: {
            type: 'object',
            required: ['b', 'a'],
            properties: { b: { default: null }, a: { minimum: 1.5 } },
          },
        },
        'read||Liest "ä"\n||{"properties":{"a":{"minimum":1.5},"b":{"default":null}},"required":["b","a"],"type":"object"}',
      ],
    ]
    for (const [definition, hashed] of vectors)
      expect(hashTool(definition)).toBe(createHash('sha256').update(hashed).digest('hex'))
    expect(hashTool({ name: 'ping' })).toBe(
      'ab780c99891c5866901b90c320046a2b2a912d93a190ed6a23f4c6d6ad2d37d6',
    )
  })

  verifies('S1.23', 'the order of keys does not matter, that of lists does', () => {
    const turned = (value: unknown): unknown =>
      Array.isArray(value)
        ? value.map(turned)
        : typeof value === 'object' && value !== null
          ? Object.fromEntries(
              Object.entries(value)
                .reverse()
                .map(([key, each]) => [key, turned(each)]),
            )
          : value
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true }), (schema) => {
        const inputSchema = JSON.parse(JSON.stringify(schema))
        const other = turned(inputSchema) as JsonObject
        expect(hashTool({ name: 'a', inputSchema: other })).toBe(hashTool({ name: 'a', inputSchema }))
      }),
    )
    expect(hashTool({ name: 'a', inputSchema: { required: ['a', 'b'] } })).not.toBe(
      hashTool({ name: 'a', inputSchema: { required: ['b', 'a'] } }),
    )
  })

  verifies('S1.24', 'each part changes it, and what no search sees does not', () => {
    const tool = { name: 'a', description: 'b', inputSchema: { type: 'object' } }
    const same = hashTool(tool)
    expect(hashTool({ ...tool, annotations: { readOnlyHint: true } })).toBe(same)
    expect(hashTool({ ...tool, name: 'c' })).not.toBe(same)
    expect(hashTool({ ...tool, description: 'c' })).not.toBe(same)
    expect(hashTool({ ...tool, inputSchema: { type: 'object', title: 'c' } })).not.toBe(same)
  })

  test('whatever the parameters are, they are written as JSON with sorted keys', () => {
    const written = (value: unknown): string => {
      if (Array.isArray(value)) return `[${value.map(written).join(',')}]`
      if (typeof value !== 'object' || value === null) return JSON.stringify(value)
      const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
      return `{${entries.map(([key, each]) => `${JSON.stringify(key)}:${written(each)}`).join(',')}}`
    }
    fc.assert(
      fc.property(fc.jsonValue(), (given) => {
        const inputSchema = JSON.parse(JSON.stringify(given)) ?? {}
        const text = `a||||${written(inputSchema)}`
        expect(hashTool({ name: 'a', inputSchema })).toBe(createHash('sha256').update(text).digest('hex'))
      }),
    )
  })

  test('a schema with more keys or values than a call has room for is hashed', () => {
    const keys = Array.from({ length: 300_000 }, (_, at) => `p${at}`)
    const properties = Object.fromEntries(keys.map((key) => [key, 1]))
    const same = hashTool({ name: 'a', inputSchema: { properties, required: keys } })
    const last = { ...properties, p299999: 2 }
    expect(hashTool({ name: 'a', inputSchema: { properties: last, required: keys } })).not.toBe(same)
  })

  test('a schema deeper than the stack and a key called __proto__ are hashed', () => {
    const deep = JSON.parse(`${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`)
    expect(hashTool({ name: 'a', inputSchema: deep })).toMatch(/^[0-9a-f]{64}$/)
    expect(hashTool({ name: 'a', inputSchema: JSON.parse('{"__proto__":{"x":1}}') })).not.toBe(
      hashTool({ name: 'a', inputSchema: {} }),
    )
  })
})

const known = fc.record({
  server: fc.constantFrom('a', 'b', '__proto__'),
  name: fc.constantFrom('x', 'y', '__proto__', '","', ''),
  hash: fc.constantFrom('1', '2'),
  vectorId: fc.constant(undefined),
  definition: fc.constantFrom({ name: 'x' }, { name: 'x', title: 'X' }),
}) as fc.Arbitrary<KnownTool>
const list = fc.uniqueArray(known, { selector: keyOf, maxLength: 10 })

verifies('S1.24', 'what changed makes the new list out of the old one', () => {
  fc.assert(
    fc.property(list, list, (before, after) => {
      const { added, changed, removed, unchanged } = changesBetween(before, after)
      const made = new Map(before.map((tool) => [keyOf(tool), tool]))
      for (const tool of removed) expect(made.delete(keyOf(tool))).toBe(true)
      for (const tool of changed) expect(made.get(keyOf(tool))).not.toEqual(tool)
      for (const tool of added) expect(made.has(keyOf(tool))).toBe(false)
      for (const tool of [...changed, ...added]) made.set(keyOf(tool), tool)
      expect(made).toEqual(new Map(after.map((tool) => [keyOf(tool), tool])))
      expect(added.length + changed.length + unchanged).toBe(after.length)
    }),
    { numRuns: runs(300) },
  )
})

test('a list does not differ from itself', () => {
  fc.assert(
    fc.property(list, (tools) => {
      expect(isEmpty(changesBetween(tools, structuredClone(tools)))).toBe(true)
    }),
    { numRuns: runs(100) },
  )
})
