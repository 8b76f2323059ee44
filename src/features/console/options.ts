/** `proxySettings.console`: the page for people who run the proxy, and its interface for programs. */
import * as z from 'zod'
import { flag, integer } from '../../config/option.ts'
import type { Problem } from '../../config/report.ts'

export const consoleSchema = z.object({
  enabled: flag(
    'Serve the console, a page for people who run the proxy, at /console, and its interface at /admin/api, with a token.',
  ).default(false),
  port: integer(
    'The port of the console with stdio, on 127.0.0.1. 0: any free one. With streamable-http and sse it is served at `port`.',
    { min: 0, max: 65_535 },
  ).default(0),
  remote: flag(
    'Answer other machines as well. A program with the token can then change servers and read kept results, so put TLS in front.',
  ).default(false),
  calls: integer('The most calls that the console remembers.', {
    unit: 'calls',
    min: 10,
    max: 100_000,
  }).default(10_000),
  prices: z
    .record(z.string().min(1).max(100), z.number().nonnegative().max(100_000))
    .meta({
      description:
        'What models cost, in dollars for a million input tokens: `{ "My model": 2.5 }`. It adds to the prices that the console has, and changes them.',
      allowed: 'an object with a number for each model',
    })
    .default({}),
  callBytes: integer(
    'About the most memory for arguments and replies of remembered calls. The oldest calls leave first.',
    { unit: 'bytes', min: 1_000_000, max: 1_000_000_000 },
  ).default(32_000_000),
})

/** The functions that the program that runs the gateway lends the console. */
export interface ConsoleHost {
  /** Checks a text as if it stood in the configuration file. */
  check(text: string): Promise<readonly Problem[]>
  /** How clients are connected. */
  cards(): Promise<ClientCard[]>
  /** Writes the entry into the file of a client, or puts the file back. `copy`: where it lies as it was before this. Rejects with ProxyError. */
  connect(client: string): Promise<ChangedFile>
  disconnect(client: string): Promise<ChangedFile>
}

/** A file of a client that the console has changed. */
export interface ChangedFile {
  readonly file: string
  readonly copy: string | undefined
}

/** How a client is made to start the proxy. */
export interface ClientCard {
  readonly id: string
  readonly title: string
  /** The file of the client, and what goes into it. */
  readonly file: string
  readonly snippet: string
  readonly notes: string[]
  /** It starts the proxy already. */
  readonly connected: boolean
  /** Its file can be put back as it was before it was connected. */
  readonly canUndo: boolean
}
