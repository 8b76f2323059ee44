/** The configuration file: read, checked, written with a backup, and put back. */
import { createHash } from 'node:crypto'
import {
  copyFileSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { applyEdits, modify } from 'jsonc-parser'
import { readJsonc } from '../../config/jsonc.ts'
import type { Problem } from '../../config/report.ts'
import { isObject, own } from '../../protocol/json.ts'
import { type Configuration, type Download, Refused } from './api.ts'
import type { ConsoleHost } from './options.ts'

export interface ConfigurationFile {
  read(): Configuration
  check(text: string): Promise<Problem[]>
  /** `mcp.schema.json`, which is a part of the package. */
  schema(): Promise<Download>
  /** `hash`: of what was read. Rejects with Refused where the file is another, or the text has errors. */
  save(text: string, hash: string): Promise<Saved>
  rollBack(name: string): Promise<Saved>
  /** Takes a tool of a server from its lists, or puts it there. */
  enable(server: string, tool: string, enabled: boolean): Promise<Saved>
}

export interface Saved {
  problems: Problem[]
  hash: string
  backup?: string
}

/** Of each file; the oldest goes. */
const MOST_BACKUPS = 20
const MARK = '.backup-'

/** @param now milliseconds since 1970 */
export function createConfigurationFile(
  file: string | undefined,
  checkText: ConsoleHost['check'] | undefined,
  now: () => number,
): ConfigurationFile {
  /** Where it lies: a link stays a link. */
  function place(): string {
    if (file === undefined)
      throw new Refused(
        409,
        'This proxy was started without a configuration file.',
        'Start the proxy with --config to change it here.',
      )
    return realpathSync(file)
  }

  function backups(): Configuration['backups'] {
    const path = place()
    const prefix = `${basename(path)}${MARK}`
    return readdirSync(dirname(path))
      .filter((name) => name.startsWith(prefix))
      .map((name) => ({ name, stat: statSync(join(dirname(path), name), { throwIfNoEntry: false }) }))
      .flatMap(({ name, stat }) => (stat?.isFile() ? [{ name, at: stat.mtimeMs, bytes: stat.size }] : []))
      .sort((a, b) => (a.name < b.name ? 1 : -1))
  }

  async function check(text: string): Promise<Problem[]> {
    if (checkText === undefined)
      throw new Refused(409, 'The program that runs this gateway has no check of configurations.')
    return [...(await checkText(text))]
  }

  async function save(text: string, hash: string): Promise<Saved> {
    const problems = await check(text)
    const path = place()
    // No other request runs between here and the end of the function.
    const before = readFileSync(path, 'utf8')
    if (hashOf(before) !== hash)
      throw new Refused(409, 'The file was changed meanwhile.', 'Read it again, and make your change there.')
    if (problems.some(({ severity }) => severity === 'error'))
      throw new Refused(
        422,
        'The text has errors and was not saved.',
        'Check the text, and correct the errors that are listed.',
      )
    if (text === before) return { problems, hash }
    const backup = keepBackup(path)
    replace(path, text)
    return { problems, hash: hashOf(text), backup }
  }

  function keepBackup(path: string): string {
    const time = new Date(now()).toISOString().replaceAll(/[:.]/g, '-')
    const taken = new Set(backups().map(({ name }) => name))
    let name = `${basename(path)}${MARK}${time}`
    for (let nth = 2; taken.has(name); nth++) name = `${basename(path)}${MARK}${time}-${nth}`
    // With the rights of the file.
    copyFileSync(path, join(dirname(path), name))
    for (const { name: old } of backups().slice(MOST_BACKUPS))
      rmSync(join(dirname(path), old), { force: true })
    return name
  }

  return {
    read() {
      if (file === undefined) return { text: '', hash: '', backups: [] }
      const text = readFileSync(place(), 'utf8')
      return { file, text, hash: hashOf(text), backups: backups() }
    },
    check,
    async schema() {
      // Beside the folder of the bundle, or of the source.
      const places = ['../../mcp.schema.json', '../../../mcp.schema.json']
      const bytes = await Promise.any(places.map((place) => readFile(new URL(place, import.meta.url)))).catch(
        () => {
          throw new Refused(503, 'The package has no mcp.schema.json.', 'Install the package again.')
        },
      )
      return { name: 'mcp.schema.json', type: 'application/json', bytes }
    },
    save,
    async rollBack(name) {
      // A name of the list alone: no path of the asker is opened.
      const found = backups().find((backup) => backup.name === name)
      if (found === undefined) throw new Refused(404, 'There is no such backup.')
      const path = place()
      return save(readFileSync(join(dirname(path), found.name), 'utf8'), hashOf(readFileSync(path, 'utf8')))
    },
    async enable(server, tool, enabled) {
      const text = readFileSync(place(), 'utf8')
      const { value } = readJsonc(text, 'mcp.json')
      const section = isObject(value) && own(value, 'servers') !== undefined ? 'servers' : 'mcpServers'
      const servers = isObject(value) ? own(value, section) : undefined
      const entry = isObject(servers) ? own(servers, server) : undefined
      if (!isObject(entry))
        throw new Refused(
          404,
          `The file has no server ${server}.`,
          'It may be part of the proxy, or stand in another file.',
        )
      const lists = isObject(entry.tools) ? entry.tools : {}
      const names = (list: unknown): string[] =>
        Array.isArray(list) ? list.filter((one): one is string => typeof one === 'string') : []
      const [allow, deny] = [names(lists.allow), names(lists.deny)]
      const edits: [key: string, value: string[]][] = enabled
        ? [
            ...(deny.includes(tool)
              ? [['deny', deny.filter((one) => one !== tool)] as [string, string[]]]
              : []),
            ...(lists.allow !== undefined && !allow.includes(tool)
              ? [['allow', [...allow, tool]] as [string, string[]]]
              : []),
          ]
        : [['deny', [...new Set([...deny, tool])]]]
      if (edits.length === 0)
        throw new Refused(
          409,
          `No list of the server names ${tool}.`,
          'A pattern of tools.deny or dispatch may fit it: change the configuration.',
        )
      const changed = edits.reduce(
        (now, [key, list]) =>
          applyEdits(
            now,
            modify(now, [section, server, 'tools', key], list, {
              formattingOptions: { insertSpaces: true, tabSize: 2 },
            }),
          ),
        text,
      )
      return save(changed, hashOf(text))
    },
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}

/** Whole or not at all, with the rights that the file has. */
function replace(path: string, text: string): void {
  const partial = `${path}.${process.pid}.tmp`
  try {
    writeFileSync(partial, text, { flag: 'wx', mode: statSync(path).mode & 0o777 })
    renameSync(partial, path)
  } catch (error) {
    rmSync(partial, { force: true })
    throw error
  }
}
