import { request } from 'node:http'
import { describe, expect, onTestFinished, test } from 'vitest'
import { page, type Receiver, receiveRedirect, type Verdict } from '../../../../src/upstream/oauth/sign-in.ts'

const GOOD: Verdict = { done: true, title: 'Signed in', text: 'Close this.' }

async function receiver(port = 0): Promise<Receiver> {
  const made = await receiveRedirect(port)
  onTestFinished(() => made.close())
  return made
}

/** The answers that came, and the receiver that took them. */
async function begun(): Promise<{ at: Receiver; came: string[] }> {
  const at = await receiver()
  const came: string[] = []
  at.begin(new URL('https://as.example/authorize?state=x'), async (answer) => {
    came.push(answer.get('code') ?? '')
    return GOOD
  })
  return { at, came }
}

const back = (at: Receiver, query: Record<string, string>): string =>
  `${at.redirectUri}?${new URLSearchParams(query)}`

describe('the redirect', () => {
  test('takes one answer with the right state', async () => {
    const { at, came } = await begun()
    const response = await fetch(back(at, { state: at.state, code: 'c1' }))
    expect(response.status).toBe(200)
    expect(await response.text()).toContain('<h1>Signed in</h1>')
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect((await fetch(back(at, { state: at.state, code: 'c2' }))).status).toBe(410)
    expect(came).toEqual(['c1'])
  })

  test.each([['wrong'], ['']])('does not take one with the state %j, and goes on waiting', async (state) => {
    const { at, came } = await begun()
    expect((await fetch(back(at, { state, code: 'evil' }))).status).toBe(400)
    expect((await fetch(`${at.redirectUri}?code=evil`)).status).toBe(400)
    expect(came).toEqual([])
    expect((await fetch(back(at, { state: at.state, code: 'c1' }))).status).toBe(200)
  })

  test('answers under its own name alone, to GET alone, and at two addresses', async () => {
    const { at, came } = await begun()
    const { port } = new URL(at.link)
    const status = (options: object): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        request(back(at, { state: at.state, code: 'evil' }), options, (response) => {
          response.resume()
          resolve(response.statusCode)
        })
          .on('error', reject)
          .end()
      })
    expect(await status({ headers: { host: 'evil.example' } })).toBe(421)
    expect(await status({ headers: { host: `localhost:${port}` } })).toBe(421)
    expect(await status({ method: 'POST' })).toBe(405)
    expect((await fetch(new URL('/', at.link))).status).toBe(404)
    expect(came).toEqual([])
  })

  test('the short address leads to the sign-in and nowhere else, and cannot be guessed', async () => {
    const { at } = await begun()
    expect(at.visited).toBe(false)
    const right = await fetch(`${at.link}?next=https://evil.example`, { redirect: 'manual' })
    expect([right.status, right.headers.get('location')]).toEqual([
      302,
      'https://as.example/authorize?state=x',
    ])
    expect(at.visited).toBe(true)
    expect(new URL(at.link).pathname.length).toBeGreaterThan(20)
    expect((await receiver()).link).not.toBe(at.link)
  })

  test('listens on a port that was asked for, or says that it cannot', async () => {
    const { at } = await begun()
    const port = Number(new URL(at.link).port)
    await expect(receiveRedirect(port)).rejects.toThrow('EADDRINUSE')
    at.close()
    expect((await receiver(port)).redirectUri).toBe(`http://127.0.0.1:${port}/callback`)
  })

  test('an answer is still given while the listening ends', async () => {
    const at = await receiver()
    at.begin(new URL('https://as.example/'), async () => {
      at.close()
      return GOOD
    })
    expect((await fetch(back(at, { state: at.state }))).status).toBe(200)
    await expect(fetch(at.link)).rejects.toThrow('fetch failed')
  })
})

test('a page shows words as words', () => {
  expect(page('<script>', `&"'`)).not.toContain('<script>')
  expect(page('<script>', `&"'`)).toContain('<p>&amp;&quot;&#39;</p>')
})
