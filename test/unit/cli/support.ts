/** A world for tests of commands: directories of their own, streams that remember, a gateway that does what it is told. */
import { EventEmitter } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Host } from '../../../src/cli/host.ts'
import { runCli } from '../../../src/cli/program.ts'
import { profilesOf } from '../../../src/config/profiles.ts'
import type { Config } from '../../../src/config/schema.ts'
import type { Gateway, ModuleStatus, UnmatchedPattern } from '../../../src/gateway.ts'
import { type SavingsDay, totalsOf } from '../../../src/observe/savings-report.ts'
import type { JsonObject } from '../../../src/protocol/json.ts'
import type { ServerStatus } from '../../../src/upstream/contract.ts'
import { deferred } from '../../support/deferred.ts'

export interface World {
  host: Host
  out(): string
  err(): string
  /** Configurations that gateways were made of. */
  configs: Config[]
  /** The events of gateways and of the process, in order. */
  happened: string[]
  events: EventEmitter
  /** The client of a stdio gateway leaves. */
  leave(): void
  cli(...argv: string[]): Promise<number>
  write(name: string, content: string): string
}

export interface WorldOptions {
  env?: Record<string, string>
  /** The status of the first server, as a gateway finds it. */
  status?: (config: Config) => Omit<ServerStatus, 'server' | 'transport'>
  start?: () => Promise<{ url?: string }>
  close?: () => Promise<void>
  /** How many tools each profile has. */
  profileTools?: number
  /** Patterns that fit nothing. */
  unmatched?: UnmatchedPattern[]
  /** The tools that each server lists. */
  definitions?: JsonObject[]
  /** The savings of other replicas. */
  savingsOfReplicas?: SavingsDay[]
  /** The status of the modules, as `doctor` finds it. */
  modules?: ModuleStatus[]
}

export function world(options: WorldOptions = {}): World {
  const root = mkdtempSync(join(tmpdir(), 'cli-test-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const [cwd, home, temporary] = ['work', 'home', 'tmp'].map((name) => join(root, name)) as [
    string,
    string,
    string,
  ]
  for (const directory of [cwd, home, temporary]) mkdirSync(directory)
  const written = { out: '', err: '' }
  const configs: Config[] = []
  const happened: string[] = []
  const events = new EventEmitter()
  const left = deferred()
  const rows = [{ tool: 'a_x', kind: 'call' as const, calls: 2, originalTokens: 900, deliveredTokens: 100 }]
  const gateway = (config: Config): Gateway => ({
    ended: left.promise,
    connect: () => Promise.reject(new Error('no command connects a client')),
    fetch: () => Promise.reject(new Error('no command mounts the gateway')),
    node() {},
    start: () => {
      happened.push('start')
      return options.start?.() ?? Promise.resolve({})
    },
    check: async () =>
      config.servers.map(({ name }) => ({
        server: name,
        transport: 'stdio',
        ...(options.status?.(config) ?? { state: 'ready', tools: 3 }),
      })),
    drain: async () => void happened.push('drain'),
    status: () => [],
    modules: () => [],
    profiles: async () =>
      profilesOf(config.modules).map((profile) => ({
        ...profile,
        servers: config.servers.map(({ name }) => name),
        tools: options.profileTools ?? 3,
      })),
    unmatched: async () => options.unmatched ?? [],
    definitions: async () => options.definitions ?? [],
    checkModules: async () => options.modules ?? [],
    layers: () => [
      { name: 'shape', kind: 'feature', what: 'Keeps.' },
      { name: 'router', kind: 'feature', what: 'Routes.' },
    ],
    savingsOfReplicas: async () => options.savingsOfReplicas,
    savings: async () => ({
      totals: totalsOf(rows),
      tools: rows,
      agents: [],
      days: [{ day: '2026-02-03', tools: rows }],
      unmeasuredCharacters: 0,
      trials: [],
    }),
    reconfigure: async (next) => {
      happened.push(`reconfigure ${next.servers.map(({ name }) => name).join(' ')}`)
      return { added: [], changed: [], removed: [] }
    },
    mark: async () => false,
    signOut: async (server) => {
      happened.push(`sign out ${server}`)
      return 'revoked'
    },
    close: async () => {
      happened.push('close')
      await options.close?.()
    },
  })
  const host: Host = {
    env: options.env ?? {},
    cwd,
    home,
    temporary,
    platform: 'linux',
    readInput: async () => 'return 1',
    stdout: { write: (text) => (written.out += text) },
    stderr: { write: (text) => (written.err += text) },
    now: () => 0,
    events,
    exit: (code) => void happened.push(`exit ${code}`),
    createGateway: async (config) => {
      configs.push(config)
      return gateway(config)
    },
  }
  return {
    host,
    out: () => written.out,
    err: () => written.err,
    configs,
    happened,
    events,
    leave: () => left.resolve(),
    cli: (...argv) => runCli(host, argv),
    write(name, content) {
      const path = join(name.startsWith('~') ? home : cwd, name.replace(/^~\//, ''))
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, content)
      return path
    },
  }
}
