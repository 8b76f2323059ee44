/**
 * What a release needs beside the npm package: `server.json` for the MCP registry, and a bundle for Claude Desktop.
 * Usage: node scripts/distribute.mjs server [OWNER] | mcpb
 * OWNER is the GitHub account of the release. Without it, GITHUB_REPOSITORY_OWNER is read, which GitHub sets in each workflow.
 */
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
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

/** Installs the package, as npm makes it, beside the manifest, and packs both. Needs the network. */
function packBundle(root, manifest) {
  const folder = mkdtempSync(join(tmpdir(), 'mcpb-'))
  const run = (command, args) =>
    execFileSync(command, args, { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' })
  try {
    run('npm', ['pack', '--pack-destination', folder])
    const content = join(folder, 'content')
    mkdirSync(content)
    const packed = join(folder, `${manifest.name}-${manifest.version}.tgz`)
    run('npm', ['install', '--prefix', content, '--no-audit', '--no-fund', packed])
    writeFileSync(join(content, 'manifest.json'), JSON.stringify(bundleManifest(manifest), undefined, 2))
    copyFileSync(join(root, 'LICENSE'), join(content, 'LICENSE'))
    run('npx', ['-y', BUNDLER, 'validate', join(content, 'manifest.json')])
    run('npx', ['-y', BUNDLER, 'pack', content, join(root, `${manifest.name}.mcpb`)])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = fileURLToPath(new URL('..', import.meta.url))
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const [, , what, owner = process.env.GITHUB_REPOSITORY_OWNER] = process.argv
  if (what === 'mcpb') packBundle(root, manifest)
  else if (what === 'server' && owner)
    writeFileSync(join(root, 'server.json'), `${JSON.stringify(serverJson(manifest, owner), undefined, 2)}\n`)
  else {
    console.error('Usage: node scripts/distribute.mjs server OWNER | mcpb')
    process.exitCode = 1
  }
}
