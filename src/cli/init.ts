/** Writes a first configuration, by itself or of the servers that clients already have, and the entry that starts the proxy in a client. */
import { existsSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { absolutePath, readText } from '../config/find.ts'
import { readJsonc } from '../config/jsonc.ts'
import { ProxyError } from '../protocol/errors.ts'
import { isObject, type JsonObject, own, setOwn } from '../protocol/json.ts'
import { formatPlural } from '../text/format.ts'
import { addToClient, changeClientFile, NAME, undoClientFile, writeNew } from './client-files.ts'
import {
  CLIENTS,
  type Client,
  clientCalled,
  type FoundServer,
  proxyEntry,
  readClientFile,
  serversIn,
  snippet,
} from './clients.ts'
import type { Host } from './host.ts'

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
 * Prints the entry that starts the proxy in a client, with the client's own settings, to standard output. Standard error says where to
 * put it and what the model sees.
 * @param file the proxy's configuration
 * @param write adds the entry to the client's file instead; a copy of the file as it was is kept beside it
 */
function initClient(host: Host, client: Client, file: string, write: boolean): number {
  const config = absolutePath(file, host.cwd, host.home)
  const entry = proxyEntry(client, config, host.platform)
  const target = client.files(host).at(client.target) ?? ''
  if (write) {
    addToClient(client, target, entry, new Date())
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

// An mcp.json of the servers that clients already have.

/** The options of `import`. */
export interface ImportChoices {
  /** The new file of the proxy. Undefined: it is printed, or with `into` it is mcp.json. */
  readonly out: string | undefined
  /** The clients' files are changed: the proxy stands in the place of the servers. False: they are only read. */
  readonly into: boolean
  /** The clients' files are put back as they were. */
  readonly undo: boolean
}

/** A file of a client, and the servers that were taken over from it. */
interface Source {
  readonly client: Client
  readonly path: string
  readonly taken: FoundServer[]
}

/** `wanted` undefined: all clients that are found. */
export function importClients(host: Host, wanted: string | undefined, choices: ImportChoices): number {
  const clients = wanted === undefined ? CLIENTS : [clientCalled(wanted)]
  const places = clients.flatMap((client) => client.files(host).map((path) => ({ client, path })))
  if (choices.undo) return undo(host, places)
  const servers: JsonObject = {}
  const sources: Source[] = []
  for (const { client, path } of places.filter((place) => existsSync(place.path))) {
    const taken: FoundServer[] = []
    for (const found of serversOf(client, path, host)) {
      const { name, entry } = found
      const same = own(servers, name)
      if (isThisProxy(entry)) host.stderr.write(`${path}: ${name} is this proxy and is left out\n`)
      else if (same === undefined || isDeepStrictEqual(same, entry)) {
        setOwn(servers, name, entry)
        taken.push(found)
      } else host.stderr.write(`${path}: ${name} is left out, a server of that name is there already\n`)
    }
    sources.push({ client, path, taken })
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
  const out = choices.out ?? (choices.into ? 'mcp.json' : undefined)
  if (out === undefined) {
    host.stdout.write(text)
    return 0
  }
  const path = absolutePath(out, host.cwd, host.home)
  if (!choices.into || !holdsAll(path, servers)) writeNew(path, text)
  host.stderr.write(
    `${formatPlural(count, 'server')} in ${path}. Check them with: mcp-rlm-proxy doctor --config ${out}\n`,
  )
  if (choices.into) return putInto(host, sources, path)
  host.stderr.write(
    `Then write the proxy into the client: mcp-rlm-proxy init ${out} --client ${wanted ?? 'NAME'}, or import again with --into\n`,
  )
  return 0
}

/** Whether the proxy's file is there already with all of these servers, as after an import that was undone. */
function holdsAll(path: string, servers: JsonObject): boolean {
  if (!existsSync(path)) return false
  const { value } = readJsonc(readText(path), path)
  const there = isObject(value) ? own(value, 'mcpServers') : undefined
  return Object.entries(servers).every(
    ([name, entry]) => isObject(there) && isDeepStrictEqual(own(there, name), entry),
  )
}

/** A file that cannot be changed stays, and the others are changed. Exit code 1 then. */
function putInto(host: Host, sources: readonly Source[], config: string): number {
  let code = 0
  for (const { client, path, taken } of sources) {
    if (taken.length === 0) continue
    const entry = proxyEntry(client, config, host.platform, ['connect', '--as', client.id])
    try {
      const aside = changeClientFile(client, path, taken, entry, new Date())
      host.stdout.write(
        `${path}: the proxy is in the place of ${taken.map(({ name }) => name).join(', ')}. As it was: ${aside}\n`,
      )
    } catch (error) {
      if (!(error instanceof ProxyError)) throw error
      host.stderr.write(`${error.text}\n`)
      code = 1
    }
  }
  if (code === 0)
    host.stderr.write('Restart your clients. To put everything back: mcp-rlm-proxy import --undo\n')
  return code
}

/** Exit code 1 when there is nothing to put back. */
function undo(host: Host, places: readonly { path: string }[]): number {
  const restored = places.filter(({ path }) => {
    const done = undoClientFile(path, new Date())
    if (done === undefined) return false
    const { kept } = done
    host.stdout.write(
      `${path} is as it was.${kept === undefined ? '' : ` What was there now lies in ${kept}`}\n`,
    )
    return true
  })
  if (restored.length === 0) host.stderr.write('No file of a client was changed by this proxy.\n')
  return restored.length === 0 ? 1 : 0
}

function serversOf(client: Client, path: string, host: Host): FoundServer[] {
  const { value, problems } = readClientFile(client, readText(path), path)
  for (const problem of problems) host.stderr.write(`${problem}\n`)
  return isObject(value) ? serversIn(client, value, host.cwd) : []
}

/** A proxy behind itself would start itself for ever. */
function isThisProxy(entry: JsonObject): boolean {
  const words = [entry.command, ...(Array.isArray(entry.args) ? entry.args : [])]
  return words.some((word) => typeof word === 'string' && /(?:^|[/\\@])mcp-rlm-proxy(?:$|[/\\@])/.test(word))
}
