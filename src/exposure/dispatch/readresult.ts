/** `readresult`: parts of a result in a file. Its answers are bounded and never become files themselves. */

import { textBlock } from '../../protocol/content.ts'
import { ProxyError } from '../../protocol/errors.ts'
import { Refused } from '../../spill/confined.ts'
import type { Action, DispatchParts, Situation } from './actions.ts'
import type { DispatchParams } from './params.ts'
import { dataReply, failureReply } from './reply.ts'

export const readresult: Action = async (params, situation, parts) => {
  const { resultFile, cache_id, op = params.pattern === undefined ? 'stat' : 'grep' } = params
  if ((resultFile === undefined) === (cache_id === undefined))
    return failureReply(
      'readresult',
      'readresult needs resultFile (a path from an earlier reply) or cache_id: {"action":"readresult","resultFile":"…","op":"head","lines":20}.',
    )
  try {
    const content = await contentOf(params, situation, parts)
    if (content === undefined) return failureReply('readresult', goneText(cache_id ?? ''))
    const { maxChars, grepMaxMatches } = parts.settings.readback
    const wanted = { ...params, op, maxChars, maxMatches: grepMaxMatches }
    const answer = await parts.engine.readback(content, wanted, situation.exchange.signal)
    const heading = { op, ...(resultFile === undefined ? { cache_id: cache_id ?? '' } : { resultFile }) }
    if ('error' in answer) return failureReply('readresult', answer.error)
    if ('byteSize' in answer) {
      const { byteSize, lineCount, tokens } = answer
      return dataReply('readresult', { ...heading, byteSize, lineCount, estimatedTokens: tokens })
    }
    const next = answer.next === undefined ? '' : `\n[cut; next: ${answer.next}]`
    return {
      action: 'readresult',
      ...heading,
      ...(next !== '' && { truncated: true }),
      content: [textBlock(answer.text + next)],
    }
  } catch (error) {
    if (error instanceof Refused) return failureReply('readresult', error.message)
    if (error instanceof ProxyError && error.code !== 'CANCELLED')
      return failureReply('readresult', error.text)
    throw error
  }
}

async function contentOf(
  { resultFile, cache_id }: DispatchParams,
  { exchange }: Situation,
  { spills, keeper, engine }: DispatchParts,
): Promise<Uint8Array<SharedArrayBuffer> | undefined> {
  if (resultFile !== undefined) return spills.read(exchange.agent, resultFile)
  const entry = await keeper.get(exchange.agent, cache_id ?? '')
  return entry && (await engine.export(entry, false, exchange.signal)).content
}

function goneText(handle: string): string {
  return `No kept result has cache_id "${handle.slice(0, 40)}": it expired or was never yours. Do not retry it; call the tool that gave it again.`
}
