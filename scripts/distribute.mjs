/**
 * The files that a release needs beside the npm package: `server.json` for the MCP registry, and a bundle for Claude Desktop.
 * Usage: node scripts/distribute.mjs server [OWNER] [SCHEMA] | mcpb
 * OWNER is the GitHub account of the release. Without it, GITHUB_REPOSITORY_OWNER is read, which GitHub sets in each workflow.
 * SCHEMA is a copy of the schema of the registry. Without it, the published one is fetched.
 */
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Ajv } from 'ajv'
import { registryName } from './published.mjs'

const SCHEMA = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'
const BUNDLER = '@anthropic-ai/mcpb@2.1.2'
const SUMMARY = 'Keeps large tool results outside the context and answers questions about them.'

/** `server.json` for a manifest of npm and the account that publishes it (https://modelcontextprotocol.io/registry). */
export function serverJson({ name, version }, owner) {
  return {
    $schema: SCHEMA,
    name: registryName(owner),
    title: 'mcp-rlm-proxy',
    description: SUMMARY,
    version,
    repository: { url: `https://github.com/${owner}/mcp-rlm-proxy`, source: 'github' },
    packages: [
      {
        registryType: 'npm',
        identifier: name,
        version,
        runtimeHint: 'npx',
        transport: { type: 'stdio' },
        packageArguments: [
          {
            type: 'named',
            name: '--config',
            description: 'The file with your MCP servers: mcp.json',
            format: 'filepath',
            isRequired: true,
          },
        ],
      },
    ],
  }
}

/** The manifest of the bundle for Claude Desktop (https://github.com/modelcontextprotocol/mcpb). */
export function bundleManifest({ name, version, license, engines, keywords }) {
  const entry = `node_modules/${name}/dist/main.js`
  return {
    manifest_version: '0.3',
    name,
    display_name: name,
    version,
    description: SUMMARY,
    author: { name: 'The contributors of mcp-rlm-proxy' },
    license,
    keywords,
    server: {
      type: 'node',
      entry_point: entry,
      mcp_config: {
        command: 'node',
        args: [`\${__dirname}/${entry}`, '--config', '${user_config.config}'],
      },
    },
    tools: [
      {
        name: 'proxy_filter',
        description: 'Records of a kept result: conditions, sorting, groups, sums, joins',
      },
      { name: 'proxy_search', description: 'Text of a kept result: by regex, by relevance, with typos' },
      { name: 'proxy_explore', description: 'Structure of a kept result: types, fields, counts, ranges' },
      { name: 'proxy_code', description: 'A JavaScript program over kept results and tools, in a sandbox' },
    ],
    tools_generated: true,
    user_config: {
      config: {
        type: 'file',
        title: 'Configuration',
        description: 'The mcp.json with your MCP servers. The file of another client works as well.',
        required: true,
      },
    },
    compatibility: { platforms: ['darwin', 'linux', 'win32'], runtimes: { node: engines.node } },
  }
}

/** Installs the package, as npm makes it, beside the manifest, packs both and starts what is packed. Needs the network. */
async function packBundle(root, manifest) {
  const folder = mkdtempSync(join(tmpdir(), 'mcpb-'))
  const run = (command, args) =>
    execFileSync(command, args, { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' })
  try {
    run('npm', ['pack', '--pack-destination', folder])
    const [content, unpacked] = ['content', 'unpacked'].map((name) => join(folder, name))
    mkdirSync(content)
    const packed = join(folder, `${manifest.name}-${manifest.version}.tgz`)
    run('npm', ['install', '--prefix', content, '--no-audit', '--no-fund', packed])
    // They name this folder.
    for (const name of ['package.json', 'package-lock.json']) rmSync(join(content, name))
    writeFileSync(join(content, 'manifest.json'), JSON.stringify(bundleManifest(manifest), undefined, 2))
    copyFileSync(join(root, 'LICENSE'), join(content, 'LICENSE'))
    const bundle = join(root, `${manifest.name}.mcpb`)
    run('npx', ['-y', BUNDLER, 'validate', join(content, 'manifest.json')])
    run('npx', ['-y', BUNDLER, 'pack', content, bundle])
    run('npx', ['-y', BUNDLER, 'unpack', bundle, unpacked])
    console.log(`The bundle runs and has ${(await toolsOf(unpacked)).join(', ')}.`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Starts the server of an unpacked bundle as Claude Desktop does, and asks one of its tools. Returns the names of its tools. */
async function toolsOf(folder) {
  const config = join(folder, 'mcp.json')
  writeFileSync(config, JSON.stringify({ mcpServers: {} }))
  const { server, tools: told } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))
  const values = { __dirname: folder, 'user_config.config': config }
  const args = server.mcp_config.args.map((arg) =>
    arg.replaceAll(/\$\{([\w.]+)\}/g, (_, name) => values[name]),
  )
  const client = new Client({ name: 'distribute', version: '1.0.0' })
  await client.connect(new StdioClientTransport({ command: server.mcp_config.command, args, cwd: folder }))
  try {
    const names = (await client.listTools()).tools.map(({ name }) => name)
    const missing = told.filter(({ name }) => !names.includes(name))
    if (missing.length > 0)
      throw new Error(`The manifest names ${JSON.stringify(missing)}, which the server does not have`)
    return names
  } finally {
    await client.close()
  }
}

/** Writes `server.json`. Throws where the schema does not take it. */
async function writeServer(root, manifest, owner, schemaFile) {
  const schema = JSON.parse(
    schemaFile === undefined ? await (await fetch(SCHEMA)).text() : readFileSync(schemaFile, 'utf8'),
  )
  const server = serverJson(manifest, owner)
  const isServer = new Ajv({ strict: false, validateFormats: false }).compile(schema)
  if (!isServer(server))
    throw new Error(`server.json does not fit its schema: ${JSON.stringify(isServer.errors)}`)
  writeFileSync(join(root, 'server.json'), `${JSON.stringify(server, undefined, 2)}\n`)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL('..', import.meta.url))
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const [, , what, owner = process.env.GITHUB_REPOSITORY_OWNER, schemaFile] = process.argv
  if (what === 'mcpb') await packBundle(root, manifest)
  else if (what === 'server' && owner) await writeServer(root, manifest, owner, schemaFile)
  else {
    console.error('Usage: node scripts/distribute.mjs server OWNER [SCHEMA] | mcpb')
    process.exitCode = 1
  }
}
