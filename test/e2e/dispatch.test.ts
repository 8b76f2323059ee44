/** The examples of the dispatch tool's documentation as they stand there, over real servers and with a client of the SDK. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { verifies } from '../support/verifies.ts'
import { everything, filesystem } from './support/real-servers.ts'
import { handleOf, startProxy, type ToolResult, temporaryDirectory, textOf } from './support/world.ts'

const time = {
  command: process.execPath,
  args: [fileURLToPath(new URL('./support/time-server.mjs', import.meta.url))],
}

type Answer = ToolResult & Record<string, unknown>

verifies(
  'S4.1 S4.2 S4.3 S4.4 S4.6 S4.8 S4.9 S4.10 S4.12 S4.14 S4.15 S4.18 S4.19 S4.22 S4.23 S4.26 S4.27 S4.28 S4.30 S4.34 S4.36',
  'the documentation’s examples run as they are written',
  async () => {
    const directory = temporaryDirectory()
    const data = join(directory, 'files')
    mkdirSync(data)
    for (let n = 0; n < 800; n++) writeFileSync(join(data, `foo-${String(n).padStart(4, '0')}.txt`), `${n}\n`)
    const { client, call } = await startProxy({
      directory,
      servers: {
        time,
        everything,
        broken: { command: join(directory, 'no-such-program') },
        files: filesystem(data),
      },
      settings: {
        mcpproxy: true,
        mcpproxythreshold: 51_200,
        useutils: true,
        utils: { root: data, write: true },
        spill: { allowDirs: [directory] },
      },
    })
    const ask = async (args: Record<string, unknown>): Promise<Answer> =>
      (await call('proxy-dispatch', args)) as Answer
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['proxy-dispatch'])
    expect(tools[0]?.inputSchema.type).toBe('object')

    // 1. List connections and tools
    const all = JSON.parse(textOf(await ask({ action: 'list', includeTools: false })))
    expect(all.connections.map(({ alias, name }: Answer) => `${alias} ${name}`)).toEqual([
      'c1 time',
      'c2 everything',
      'c3 broken',
      'c4 files',
      'c5 utils',
    ])
    expect(all.connections[2].lastError).toContain('broken')
    const listed = await ask({
      action: 'list',
      connection: 'c1',
      includeTools: true,
      includeInputSchema: false,
      includeAnnotations: true,
    })
    expect(JSON.parse(textOf(listed)).connections[0].tools).toEqual([
      { name: 'get_current_time', description: 'The time now.', annotations: { readOnlyHint: true } },
      expect.objectContaining({ name: 'dataTransform' }),
    ])

    // 2. Search tools
    const found = JSON.parse(
      textOf(await ask({ action: 'search', query: 'time', connection: 'c1', limit: 10 })),
    )
    expect(found.tools[0]).toMatchObject({ name: 'get_current_time', connection: 'c1' })

    // 3. Call tools
    const now = await ask({ action: 'call', tool: 'get_current_time', connection: 'c1', arguments: {} })
    expect(now).toEqual({
      action: 'call',
      tool: 'get_current_time',
      estimatedTokens: expect.any(Number),
      content: [{ type: 'text', text: '{"time":"2026-02-18T10:00:00Z"}' }],
    })
    expect(await ask({ action: 'call', tool: 'echo', arguments: { message: 'größe' } })).toMatchObject({
      content: [{ type: 'text', text: 'Echo: größe' }],
    })

    // 4. Large input and output with temporary JSON files
    const argumentsFile = join(directory, 'mini-a-proxy-args-123.json')
    const content = 'größe\n'.repeat(20_000)
    writeFileSync(argumentsFile, JSON.stringify({ operation: 'write', path: 'big.txt', content }))
    const written = await ask({ action: 'call', tool: 'filesystemModify', argumentsFile, resultToFile: true })
    expect(written).toMatchObject({
      action: 'call',
      tool: 'filesystemModify',
      arguments: { _fromFile: argumentsFile },
      resultFile: expect.stringMatching(/^\//),
    })
    expect(written.autoSpilled).toBeUndefined()
    expect(readFileSync(join(data, 'big.txt'), 'utf8')).toBe(content)
    const spilled = await ask({ action: 'call', tool: 'filesystemQuery', arguments: { path: data } })
    expect(spilled).toMatchObject({ action: 'call', tool: 'filesystemQuery', autoSpilled: true })
    expect(textOf(spilled)).toMatch(
      /^Result auto-spilled to temporary JSON file \(exceeded 51200 bytes\): \/\S+ \(auto-deleted at shutdown\)\.\nSize: \d+ bytes \(~\d+ tokens\)/,
    )
    expect(textOf(spilled)).toContain('Top-level keys: [entries]')
    expect(textOf(spilled)).toContain('Preview: {"entries":[')

    // 5. Reading back a spilled result
    const { resultFile } = spilled
    const whole = readFileSync(String(resultFile), 'utf8')
    expect(await ask({ action: 'readresult', resultFile, op: 'stat' })).toMatchObject({
      byteSize: Buffer.byteLength(whole),
      lineCount: whole.split('\n').length,
      estimatedTokens: expect.any(Number),
    })
    const grep = await ask({
      action: 'readresult',
      resultFile,
      op: 'grep',
      pattern: 'foo-0042\\.txt',
      context: 2,
    })
    expect(textOf(grep)).toContain('foo-0042.txt')
    expect(
      textOf(await ask({ action: 'readresult', resultFile, op: 'slice', fromLine: 1, toLine: 100 })),
    ).toContain(whole.slice(0, 100))
    const read = await ask({ action: 'readresult', resultFile, op: 'read' })
    expect(textOf(read).slice(0, 1000)).toBe(whole.slice(0, 1000))
    for (const answer of [grep, read]) expect(answer.resultFile).toBe(resultFile)
    expect(textOf(read)).not.toContain('auto-spilled')

    // 6. Chain pattern: resultFile → argumentsFile
    const first = await ask({
      action: 'call',
      tool: 'filesystemQuery',
      arguments: { path: data },
      resultToFile: true,
    })
    const second = await ask({ action: 'call', tool: 'dataTransform', argumentsFile: first.resultFile })
    expect(JSON.parse(textOf(second))).toEqual({ count: 801, last: 'foo-0799.txt' })
    expect(second.arguments).toEqual({ _fromFile: first.resultFile })
    // The same result is a kept document.
    const counted = await ask({
      action: 'filter',
      cache_id: handleOf(spilled),
      path: '$.entries[*]',
      where: ['name = foo-0042.txt'],
      aggregate: 'count',
    })
    expect(textOf(counted)).toContain('1')
    expect(await ask({ action: 'call', tool: 'list_directory', arguments: { path: '/etc' } })).toMatchObject({
      isError: true,
    })
  },
)
