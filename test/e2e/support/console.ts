/** A proxy with its console, and how a test reaches it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startHttpProxy } from './http-proxy.ts'

export async function startConsole(options: Parameters<typeof startHttpProxy>[0]) {
  const proxy = await startHttpProxy({
    ...options,
    settings: { ...options.settings, console: { enabled: true } },
  })
  const { origin, port } = new URL(proxy.url)
  const tokenOf = (file: string): string => readFileSync(join(proxy.directory, 'data', file), 'utf8').trim()
  const [admin, read] = [tokenOf('console-token'), tokenOf('console-read-token')]
  async function api(method: string, path: string, body?: unknown, token = admin) {
    const response = await fetch(`${origin}/admin/api${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const type = response.headers.get('content-type') ?? ''
    return { status: response.status, text, body: type.includes('json') ? JSON.parse(text) : undefined }
  }
  return { ...proxy, origin, port: Number(port), admin, read, api, page: `${origin}/console#token=${admin}` }
}
