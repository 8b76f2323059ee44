/** The files that a release publishes beside the npm package. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { Ajv } from 'ajv'
import { expect, test } from 'vitest'
import { PROXY_TOOL_NAMES } from '../../src/proxy/own-tools.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const load = (name: string) => import(pathToFileURL(join(root, 'scripts', name)).href)
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const { serverJson, bundleManifest } = await load('distribute.mjs')
const { publishedManifest } = await load('published.mjs')

/** The part of https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json that an npm package needs. */
const version = { type: 'string', minLength: 1, maxLength: 255 }
const isServer = new Ajv({ strict: false }).compile({
  type: 'object',
  required: ['$schema', 'name', 'description', 'version'],
  additionalProperties: false,
  properties: {
    $schema: { const: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json' },
    name: { type: 'string', minLength: 3, maxLength: 200, pattern: '^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$' },
    title: { type: 'string', minLength: 1, maxLength: 100 },
    description: { type: 'string', minLength: 1, maxLength: 100 },
    version,
    repository: {
      type: 'object',
      required: ['url', 'source'],
      properties: { url: { type: 'string', pattern: '^https://' }, source: { const: 'github' } },
    },
    packages: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        required: ['registryType', 'identifier', 'transport'],
        properties: {
          registryType: { const: 'npm' },
          identifier: { type: 'string' },
          version,
          runtimeHint: { const: 'npx' },
          transport: { type: 'object', required: ['type'], properties: { type: { const: 'stdio' } } },
          packageArguments: {
            type: 'array',
            items: {
              type: 'object',
              required: ['type', 'name'],
              properties: {
                type: { const: 'named' },
                name: { type: 'string', pattern: '^--' },
                format: { enum: ['string', 'number', 'boolean', 'filepath'] },
                isRequired: { type: 'boolean' },
              },
            },
          },
        },
      },
    },
  },
})

test('server.json names the package of npm, as the schema of the registry wants it', () => {
  const server = serverJson(manifest, 'someone')
  expect(isServer(server), JSON.stringify(isServer.errors)).toBe(true)
  expect(server.packages).toMatchObject([{ identifier: manifest.name, version: manifest.version }])
  expect(isServer({ ...server, description: 'x'.repeat(101) })).toBe(false)
})

test('the published manifest carries the name of the registry where the owner is known', () => {
  const { name } = serverJson(manifest, 'someone')
  expect(publishedManifest(manifest, 'someone')).toMatchObject({ mcpName: name })
  expect(publishedManifest(manifest)).not.toHaveProperty('mcpName')
})

test('the bundle for Claude Desktop starts the command of the package with a file that the user chooses', () => {
  const { server, user_config, tools, version } = bundleManifest(manifest)
  expect(version).toBe(manifest.version)
  const entry = `node_modules/${manifest.name}/${manifest.bin[manifest.name]}`
  expect(server.entry_point).toBe(entry)
  expect(server.mcp_config.args).toEqual([`\${__dirname}/${entry}`, '--config', '${user_config.config}'])
  expect(Object.keys(user_config)).toEqual(['config'])
  expect(tools.map(({ name }: { name: string }) => name)).toEqual([...PROXY_TOOL_NAMES])
})
