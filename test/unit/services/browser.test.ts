import { describe, expect, test } from 'vitest'
import { openBrowser } from '../../../src/services/browser.ts'

const URL_TO_OPEN = 'http://127.0.0.1:1/a?b=c&d=$(touch x)'

function opened(environment: Record<string, string>, platform = 'linux', url = URL_TO_OPEN): unknown {
  let command: unknown
  const done = openBrowser(url, {
    environment,
    platform,
    failed: () => {},
    start(program, args, { shell, stdio, detached }) {
      command = [program, ...args]
      expect({ shell, stdio, detached }).toEqual({ shell: false, stdio: 'ignore', detached: true })
      return { on: () => {}, unref: () => {} }
    },
  })
  expect(done).toBe(command !== undefined)
  return command
}

describe('a browser', () => {
  test.each<[string, Record<string, string>, string, string[] | undefined]>([
    [
      'the program in BROWSER',
      { BROWSER: '/bin/my-browser', SSH_CONNECTION: 'x', CI: '1' },
      'linux',
      ['/bin/my-browser'],
    ],
    ['with its arguments', { BROWSER: 'firefox --new-tab' }, 'linux', ['firefox', '--new-tab']],
    ['none, where BROWSER says so', { BROWSER: 'none', DISPLAY: ':0' }, 'linux', undefined],
    ['xdg-open, where there is a screen', { WAYLAND_DISPLAY: 'w' }, 'linux', ['xdg-open']],
    ['none without a screen', {}, 'linux', undefined],
    ['none over SSH', { DISPLAY: ':0', SSH_CONNECTION: 'x' }, 'linux', undefined],
    ['none in automation', { CI: 'true' }, 'darwin', undefined],
    ['open', {}, 'darwin', ['open']],
    ['rundll32', {}, 'win32', ['rundll32', 'url.dll,FileProtocolHandler']],
  ])('%s', (_, environment, platform, command) => {
    expect(opened(environment, platform)).toEqual(command && [...command, URL_TO_OPEN])
  })

  test.each([['javascript:alert(1)'], ['file:///etc/passwd'], ['--help'], ['']])('is not shown %j', (url) => {
    expect(opened({ BROWSER: 'x' }, 'linux', url)).toBeUndefined()
  })

  test('that does not exist is told, and harms nothing', async () => {
    const failure = await new Promise<Error>((failed) => {
      openBrowser(URL_TO_OPEN, { environment: { BROWSER: '/no/such/program' }, platform: 'linux', failed })
    })
    expect(failure.message).toContain('ENOENT')
  })
})
