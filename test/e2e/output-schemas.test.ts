/** Where structured content is kept, it is valid, whole or shaped: the clients of both generations reject what breaks a schema. */
import { join } from 'node:path'
import { expect } from 'vitest'
import { verifies } from '../support/verifies.ts'
import { GENERATIONS } from './support/clients.ts'
import { realWorld } from './support/real-servers.ts'
import { textOf } from './support/world.ts'

/** Characters of a reply, with a preview in content and in structured content. */
const LIMIT = 8000

for (const generation of GENERATIONS) {
  verifies(
    'S3.10 S3.1',
    `client ${generation} finds every structuredContent valid, shaped or whole, of every tool that promises it`,
    async () => {
      const { client, files, call } = await realWorld(generation, false, { structured: 'keep' })
      const { tools } = await client.listTools()
      const inside = (name: string): string => join(files, name)
      const observations = Array.from({ length: 40 }, (_, n) => `observation ${n} ${'o'.repeat(60)}`)
      const entities = Array.from({ length: 300 }, (_, n) => ({
        name: `entity ${n}`,
        entityType: n % 3 ? 'person' : 'place',
        observations: observations.slice(0, n % 5),
      }))
      const relations = entities
        .slice(1)
        .map(({ name }) => ({ from: name, to: 'entity 0', relationType: 'knows' }))
      const everyName = entities.map(({ name }) => name)
      const calls: [string, Record<string, unknown>][] = [
        ['files_read_file', { path: inside('app.log') }],
        ['files_read_text_file', { path: inside('app.log') }],
        ['files_read_multiple_files', { paths: [inside('app.log'), inside('small.txt')] }],
        ['files_read_media_file', { path: inside('picture.png') }],
        ['files_write_file', { path: inside('new.txt'), content: 'new\n' }],
        ['files_edit_file', { path: inside('new.txt'), edits: [{ oldText: 'new', newText: 'edited' }] }],
        ['files_create_directory', { path: inside('empty') }],
        ['files_move_file', { source: inside('new.txt'), destination: inside('old.txt') }],
        ['files_list_directory', { path: join(files, 'tree') }],
        ['files_list_directory_with_sizes', { path: join(files, 'tree') }],
        ['files_directory_tree', { path: files }],
        ['files_search_files', { path: files, pattern: '**/leaf-*' }],
        ['files_get_file_info', { path: inside('app.log') }],
        ['files_list_allowed_directories', {}],
        ['memory_create_entities', { entities }],
        ['memory_create_relations', { relations }],
        ['memory_add_observations', { observations: [{ entityName: 'entity 7', contents: observations }] }],
        ['memory_read_graph', {}],
        ['memory_search_nodes', { query: 'observation' }],
        ['memory_open_nodes', { names: everyName }],
        ['memory_delete_observations', { deletions: [{ entityName: 'entity 7', observations }] }],
        ['memory_delete_relations', { relations: relations.slice(0, 3) }],
        ['memory_delete_entities', { entityNames: everyName }],
        ['everything_get-structured-content', { location: 'New York' }],
      ]
      const promised = tools.filter(({ outputSchema }) => outputSchema !== undefined).map(({ name }) => name)
      expect(calls.map(([name]) => name).sort()).toEqual(promised.sort())
      const shaped: string[] = []
      for (const [name, args] of calls) {
        // The clients throw when a result breaks the schema they were told.
        const result = await call(name, args)
        expect(result.isError, `${name}: ${textOf(result)}`).toBeFalsy()
        expect(result.structuredContent, name).toBeDefined()
        if (result._meta?.['mcp-rlm-proxy/cache-id'] === undefined) continue
        shaped.push(name)
        expect(JSON.stringify(result).length, name).toBeLessThanOrEqual(LIMIT)
        // Some clients show their model nothing else: it says that it was cut, and where the rest is.
        expect(JSON.stringify(result.structuredContent), name).toContain(
          result._meta['mcp-rlm-proxy/cache-id'],
        )
      }
      expect(shaped).toEqual(
        expect.arrayContaining([
          'files_read_text_file',
          'files_directory_tree',
          'memory_create_entities',
          'memory_read_graph',
        ]),
      )
    },
  )
}
