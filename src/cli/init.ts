/** Writes a first configuration, and the entry that starts the proxy in a client. */
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { applyEdits, modify } from 'jsonc-parser'
import { SAMPLE } from '../config/sample.ts'
import { absolutePath } from '../config/sources.ts'
import { hasCode, messageOf, ProxyError } from '../protocol/errors.ts'
import { isObject, type JsonObject, own } from '../protocol/json.ts'
import { CLIENTS, type Client, clientCalled, proxyEntry, readClientFile, snippet } from './clients.ts'
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
