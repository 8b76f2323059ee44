/** Writes a first configuration, by itself or of the servers that clients already have, and the entry that starts the proxy in a client. */
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { applyEdits, modify } from 'jsonc-parser'
import { absolutePath, readText } from '../config/find.ts'
import { hasCode, messageOf, ProxyError } from '../protocol/errors.ts'
import { isObject, type JsonObject, own, setOwn } from '../protocol/json.ts'
import { formatPlural } from '../text/format.ts'
import {
  CLIENTS,
  type Client,
  clientCalled,
  proxyEntry,
  readClientFile,
  serversIn,
  snippet,
} from './clients.ts'
import type { Host } from './program.ts'

/** The name of the proxy in a client. Models see it in front of every tool. */
const NAME = 'proxy'

/**
 * Writes a first configuration, or with a client the entry for it.
 * @param file the proxy's configuration, or the name of a client
 * @param client the name of a client. Undefined: none
 * @param write adds the entry to the client's file
 */
export function init(host: Host, file: string, client: string | undefined, write: boolean): number {
  const isClient = client === undefined && CLIENTS.some(({ id }) => id === file)
  const wanted = isClient ? file : client
  if (wanted === undefined && write) {
    throw new ProxyError('CONFIG_INVALID', '--write needs a client.', 'Name it with --client.')
  }
  if (wanted !== undefined) return initClient(host, clientCalled(wanted), isClient ? 'mcp.json' : file, write)
  const path = absolutePath(file, host.cwd, host.home)
  writeNew(path, SAMPLE)
  host.stdout.write(`Wrote ${path}. Put your servers into it, then run: mcp-rlm-proxy doctor\n`)
  return 0
}

/**
 * The entry that starts the proxy in a client, with the client's own settings: to standard output, where to put it and what the model
 * sees to standard error.
 * @param file the proxy's configuration
 * @param write adds the entry to the client's file instead; a copy of the file as it was is kept beside it
 */
function initClient(host: Host, client: Client, file: string, write: boolean): number {
  const config = absolutePath(file, host.cwd, host.home)
  const entry = proxyEntry(client, config, host.platform)
  const target = client.files(host).at(client.target) ?? ''
  if (write) {
    addTo(client, target, entry)
    host.stdout.write(`Wrote ${NAME} to ${target}.\n`)
  } else {
    host.stdout.write(snippet(client, NAME, entry))
    host.stderr.write(`This goes into ${target}; --write puts it there.\n`)
  }
  if (!existsSync(config)) {
    host.stderr.write(
      `${config} is not there yet. Make it of the servers you have: mcp-rlm-proxy import ${client.id} -o ${file}\n`,
    )
  }
  for (const note of client.notes) host.stderr.write(`- ${note}\n`)
  return 0
}

function addTo(client: Client, path: string, entry: JsonObject): void {
  const addition = snippet(client, NAME, entry)
  if (!existsSync(path)) return writeNew(path, addition)
  const text = readFileSync(path, 'utf8')
  const { value, problems } = readClientFile(client, text, path)
  if (!isObject(value) || problems.length > 0) {
    throw unchanged(path, `cannot be read. ${problems.join(' ')}`.trim())
  }
  const servers = own(value, client.key)
  if (isObject(servers) && Object.hasOwn(servers, NAME)) throw unchanged(path, `has a server named ${NAME}.`)
  const changed =
    client.format === 'toml'
      ? `${text.replace(/\n*$/, '\n\n')}${addition}`
      : applyEdits(
          text,
          modify(text, [client.key, NAME], entry, { formattingOptions: { insertSpaces: true, tabSize: 2 } }),
        )
  const after = readClientFile(client, changed, path).value
  const now = isObject(after) ? own(after, client.key) : undefined
  if (!isObject(now) || !Object.hasOwn(now, NAME)) throw unchanged(path, 'has a form that is not understood.')
  copyFileSync(path, `${path}.before-mcp-rlm-proxy`)
  writeFileSync(path, changed)
}

function unchanged(path: string, why: string): ProxyError {
  return new ProxyError(
    'CONFIG_INVALID',
    `${path} ${why} It was not changed.`,
    'Leave --write out and put the entry in yourself.',
  )
}

/** Writes a file that you alone can read, for it may come to hold secrets. One that is there stays as it is. */
export function writeNew(path: string, content: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    const there = hasCode(error, 'EEXIST')
    throw new ProxyError(
      'CONFIG_INVALID',
      there
        ? `${path} is there already and was not changed.`
        : `${path} cannot be written: ${messageOf(error)}`,
      'Name another file.',
    )
  }
}

/** A first configuration: works as it is where npx is installed. */
export const SAMPLE = `{
  // The servers behind the proxy. Copy yours from Claude Desktop, Cursor or VS Code: they work unchanged.
  "mcpServers": {
    "filesystem": {
      "command": "npx",
      "args": ["-y", "@modelcontextprotocol/server-filesystem", "."]
    }
  },

  // Everything here is optional; these are the defaults.
  "proxySettings": {
    "previewSize": 2000, // characters of what is sent in place of a large result, which is kept
    "wholeTokens": 4000 // prose and code of so many tokens pass whole
  }
}
`

// An mcp.json of the servers that clients already have. Their files are only read.

/** `wanted` undefined: all that are found. The result goes to standard output, or to the new file `out`. */
export function importClients(host: Host, wanted: string | undefined, out: string | undefined): number {
  const clients = wanted === undefined ? CLIENTS : [clientCalled(wanted)]
  const places = clients.flatMap((client) => client.files(host).map((path) => ({ client, path })))
  const servers: JsonObject = {}
  for (const { client, path } of places.filter((place) => existsSync(place.path))) {
    for (const [name, entry] of serversOf(client, path, host)) {
      if (Object.hasOwn(servers, name)) {
        host.stderr.write(`${path}: ${name} is left out, a server of that name is there already\n`)
      } else if (isThisProxy(entry)) host.stderr.write(`${path}: ${name} is this proxy and is left out\n`)
      else setOwn(servers, name, entry)
    }
  }
  const count = Object.keys(servers).length
  if (count === 0) {
    const looked = places.map(({ path }) => `  ${path}`).join('\n')
    throw new ProxyError(
      'CONFIG_NOT_FOUND',
      `No servers were found in\n${looked}`,
      'Write a first file with: mcp-rlm-proxy init',
    )
  }
  const text = `${JSON.stringify({ mcpServers: servers }, null, 2)}\n`
  if (out === undefined) host.stdout.write(text)
  else {
    const path = absolutePath(out, host.cwd, host.home)
    writeNew(path, text)
    host.stderr.write(
      `Wrote ${formatPlural(count, 'server')} to ${path}. Check them with: mcp-rlm-proxy doctor --config ${out}\n` +
        `Then put the proxy in their place: mcp-rlm-proxy init ${out} --client ${wanted ?? 'NAME'}\n`,
    )
  }
  return 0
}

function serversOf(client: Client, path: string, host: Host): [string, JsonObject][] {
  const { value, problems } = readClientFile(client, readText(path), path)
  for (const problem of problems) host.stderr.write(`${problem}\n`)
  return isObject(value) ? serversIn(client, value, host.cwd) : []
}

/** A proxy behind itself would start itself for ever. */
function isThisProxy(entry: JsonObject): boolean {
  const words = [entry.command, ...(Array.isArray(entry.args) ? entry.args : [])]
  return words.some((word) => typeof word === 'string' && /(?:^|[/\\@])mcp-rlm-proxy(?:$|[/\\@])/.test(word))
}
