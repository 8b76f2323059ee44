/** A call of a tool, the same in both eras. */
import { call } from '../tools.mjs'
import { fault } from './faults.mjs'
import { calls } from './state.mjs'

export async function perform(message, reply, session, ask) {
  calls.all++
  const { id, params } = message
  const { progressToken } = params._meta ?? {}
  const kind = params.name === 'fault' ? params.arguments.kind : undefined
  if (kind !== undefined && (await fault(kind, message, reply, session))) return
  const progress = (step) => {
    if (progressToken !== undefined)
      reply.event({ method: 'notifications/progress', params: { ...step, progressToken } })
  }
  const real = kind === undefined ? params : { ...params, name: 'echo' }
  try {
    reply.answer({ id, result: { ...(await call(real, { progress, ask })), ...session?.more } })
  } catch (error) {
    if (error.input) reply.answer({ id, result: error.input })
    else reply.answer({ id, error: { code: error.code ?? -32603, message: error.message } })
  }
}
