/** A real nginx before several servers of loopback, in turn. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ownPort } from './own-port.ts'

export const hasNginx = ((): boolean => {
  try {
    execFileSync('nginx', ['-v'], { stdio: 'ignore' })
    return true
  } catch {
    process.stderr.write(
      '\nSKIPPED: tests of replicas need a balancer. Install it: apt-get install -y nginx-light\n\n',
    )
    return false
  }
})()

const [, shown = ''] =
  /^```nginx\n(.*?)^```/ms.exec(readFileSync(new URL('../../docs/replicas.md', import.meta.url), 'utf8')) ??
  []

/** The configuration in docs/replicas.md, with other addresses and without TLS. */
const configOf = (directory: string, port: number, ports: readonly number[]): string => `
daemon off; pid ${directory}/pid; error_log ${directory}/error.log;
events {}
http {
  access_log off;
  client_body_temp_path ${directory}/body; proxy_temp_path ${directory}/proxy; fastcgi_temp_path ${directory}/f;
  uwsgi_temp_path ${directory}/u; scgi_temp_path ${directory}/s;
  ${shown
    .replace(
      /(upstream replicas \{) .*\}/,
      `$1 ${ports.map((one) => `server 127.0.0.1:${one} max_fails=0;`).join(' ')} }`,
    )
    .replace('443 ssl', `127.0.0.1:${port}`)}
}`

/** Where it listens, until `stop`. */
export async function startNginx(ports: readonly number[]): Promise<{ url: URL; stop(): Promise<void> }> {
  const directory = mkdtempSync(join(tmpdir(), 'nginx-'))
  const port = await ownPort()
  const file = join(directory, 'nginx.conf')
  writeFileSync(file, configOf(directory, port, ports))
  const child = spawn('nginx', ['-p', directory, '-e', join(directory, 'error.log'), '-c', file], {
    stdio: 'ignore',
  })
  const answers = (): Promise<boolean> =>
    new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1', () => {
        socket.destroy()
        resolve(true)
      }).once('error', () => resolve(false))
    })
  while (!(await answers())) {
    if (child.exitCode !== null) throw new Error(`nginx ended with ${child.exitCode}`)
    await sleep(20)
  }
  return {
    url: new URL(`http://127.0.0.1:${port}/mcp`),
    async stop() {
      const exit = once(child, 'exit')
      child.kill('SIGTERM')
      await exit
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
