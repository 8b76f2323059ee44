import { describe, expect, test } from 'vitest'
import { ProxyError } from '../../../src/protocol/errors.ts'
import { askToSignIn } from '../../../src/proxy/router.ts'
import { AuthorizationNeeded } from '../../../src/upstream/transport.ts'
import { client } from '../../support/upstream.ts'

const url = 'http://127.0.0.1:1/x'
const cause = new AuthorizationNeeded('needs you to sign in', url)
const needed = new ProxyError('UPSTREAM_CONNECT', 'server `s`: needs you to sign in', '', { cause })
const able = { elicitation: { url: {} } }

describe('a server that wants somebody to sign in', () => {
  test('is an error with the address for a legacy client that can show it', () => {
    expect(() => askToSignIn(needed, client(able))).toThrow(
      expect.objectContaining({
        code: -32042,
        data: {
          elicitations: [{ mode: 'url', url, message: needed.text, elicitationId: expect.any(String) }],
        },
      }),
    )
  })

  test('is a result that asks for a visit for a modern client that can show it', () => {
    const answer = askToSignIn(needed, { ...client(able), era: 'modern' })
    expect(answer).toEqual({
      resultType: 'input_required',
      inputRequests: {
        'sign-in': { method: 'elicitation/create', params: { mode: 'url', url, message: needed.text } },
      },
    })
  })

  test('stays what it is for a client that cannot, and so does every other failure', () => {
    expect(askToSignIn(needed, client())).toBeUndefined()
    expect(askToSignIn(needed, client({ elicitation: {} }))).toBeUndefined()
    expect(askToSignIn(new ProxyError('UPSTREAM_CLOSED', 'x', ''), client(able))).toBeUndefined()
  })
})
