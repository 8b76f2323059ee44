/** Faults on demand. */
import { randomUUID } from 'node:crypto'
import { wait } from '../tools.mjs'
import { brokenHandshakes, hanging, refused, sessions, unsent } from './state.mjs'

/** Carries out a fault in place of an answer. True: nothing more comes of the request. */
export async function fault(kind, { id, params = {} }, reply, session) {
  const { progressToken } = params._meta ?? {}
  const { marker } = params.arguments ?? {}
  const twoSteps = async () => {
    for (const progress of [1, 2])
      reply.event({ method: 'notifications/progress', params: { progressToken, progress, total: 3 } })
    await wait(5)
  }
  const half = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"con`
  const once = () => !refused.has(marker) && refused.add(marker)
  switch (kind) {
    case 'reset mid-call':
      reply.reset()
      return true
    case 'closed mid-call':
      reply.hangUp()
      return true
    case 'reset mid-stream':
      await twoSteps()
      reply.reset()
      return true
    case 'stream ends without an answer':
      await twoSteps()
      reply.end()
      return true
    case 'half a body':
      reply.json(half, 5000)
      await wait(5)
      reply.hangUp()
      return true
    case 'half an event':
      reply.event({ method: 'notifications/progress', params: { progressToken, progress: 1 } })
      reply.raw(`data: ${half}`)
      await wait(5)
      reply.hangUp()
      return true
    case 'wrong JSON':
      reply.json('{"jsonrpc":"2.0", oops')
      reply.end()
      return true
    case 'wrong JSON in an event':
      reply.event('{oops}')
      reply.end()
      return true
    case 'status 401':
      reply.refuse(401, 'who are you?')
      return true
    case 'status 500':
      reply.refuse(500, 'out of order')
      return true
    case 'session expired':
      if (!once()) return false
      if (session) sessions.delete(session.id)
      reply.refuse(404, 'no such session')
      return true
    case 'stream taken up again':
      reply.event({ method: 'notifications/progress', params: { progressToken, progress: 1 } }, marker)
      unsent.set(marker, id)
      await wait(5)
      reply.reset()
      return true
    case 'hangs mid-stream':
      await twoSteps()
      return hang(marker, id, reply, session)
    case 'hangs':
      return hang(marker, id, reply, session)
    default:
      return false
  }
}

/** Until the client cancels in the way of its era, or its connection breaks. */
function hang(marker, id, reply, session) {
  hanging.set(marker, { session, id })
  reply.onceClosed(() => hanging.delete(marker))
  return true
}

/** True: this handshake was to be broken, and nothing more comes of it. */
export async function breaks(path, message, reply) {
  const broken = brokenHandshakes.get(path)
  if (!broken || broken.count-- <= 0) return false
  return fault(broken.kind, { ...message, params: { arguments: { marker: randomUUID() } } }, reply)
}
