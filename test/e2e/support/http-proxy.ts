/** A proxy over HTTP as a child process. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'
import { MAIN, type ProxyOptions, temporaryDirectory, writeConfig } from './world.ts'

export interface HttpProxy {
  url: URL
  child: ChildProcess
  directory: string
  stderr(): string
}

/** Starts the built proxy on a free port and waits until it says where it listens. */
export async function startHttpProxy(
  options: ProxyOptions & { transport?: 'streamable-http' | 'sse' },
): Promise<HttpProxy> {
  const { until = onTestFinished, directory = temporaryDirectory(until) } = options
  const file = writeConfig(directory, options)
  const transport = options.transport ?? 'streamable-http'
  const args = [MAIN, '--config', file, '--transport', transport, '--port', '0', ...(options.args ?? [])]
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...options.env },
  })
  until(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGTERM')
    await once(child, 'exit')
  })
  let stderr = ''
  const url = await new Promise<URL>((resolve, reject) => {
    child.stderr.on('data', (chunk) => {
      stderr += String(chunk)
      const found = /http:\/\/127\.0\.0\.1:\d+\/(?:mcp|sse)/.exec(stderr)
      if (found) resolve(new URL(found[0]))
    })
    child.once('exit', (code) => reject(new Error(`the proxy ended with ${code}: ${stderr}`)))
  })
  return { url, child, directory, stderr: () => stderr }
}
