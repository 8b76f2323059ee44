/** `readresult`: parts of a result in a file. Its answers are bounded and never become files themselves. */
import type { Readback, ReadbackResult } from '../../engine/contract.ts'
import { plainAnswer, textBlock } from '../../protocol/content.ts'
import { ProxyError } from '../../protocol/errors.ts'
import type { JsonObject } from '../../protocol/json.ts'
import { Refused } from '../../spill/confined.ts'
import { type Action, type DispatchParts, dataReply, failureReply, type Situation } from './actions.ts'
import type { DispatchParams } from './params.ts'

/** Characters of a reply that say how to go on. */
const forNext = 160

export const readresult: Action = async (params, situation, parts) => {
  const { resultFile, cache_id, op = params.pattern === undefined ? 'stat' : 'grep' } = params
  if ((resultFile === undefined) === (cache_id === undefined))
    return failureReply(
      'readresult',
      'readresult needs resultFile (a path from an earlier reply) or cache_id: {"action":"readresult","resultFile":"…","op":"head","lines":20}.',
    )
  const { maxChars, grepMaxMatches } = parts.settings.readback
  const wanted = {
    ...params,
    op,
    maxChars: Math.max(maxChars - forNext, 1),
    maxMatches: Math.min(params.limit ?? grepMaxMatches, grepMaxMatches),
  }
  try {
    const answer = await answerTo(wanted, params, situation, parts)
    if (answer === undefined) return { action: 'readresult', ...plainAnswer(goneText(cache_id ?? '')) }
    if ('error' in answer) return failureReply('readresult', answer.error)
    return reply(answer, {
      op,
      ...(resultFile === undefined ? { cache_id: cache_id ?? '' } : { resultFile }),
    })
  } catch (error) {
    if (error instanceof Refused) return failureReply('readresult', error.message)
    if (error instanceof ProxyError && error.code !== 'CANCELLED')
      return failureReply('readresult', error.text)
    throw error
  }
}

async function answerTo(
  wanted: Readback,
  { resultFile, cache_id }: DispatchParams,
  { exchange }: Situation,
  { spills, keeper, engine }: DispatchParts,
): Promise<ReadbackResult | undefined> {
  const { agent, signal } = exchange
  if (resultFile !== undefined)
    return engine.readback(await spills.read(agent, resultFile), false, wanted, signal)
  const entry = await keeper.get(agent, cache_id ?? '')
  return entry && engine.readback(entry.content, true, wanted, signal)
}

function reply(answer: Exclude<ReadbackResult, { error: string }>, heading: JsonObject): JsonObject {
  if ('byteSize' in answer) {
    const { byteSize, lineCount, tokens } = answer
    return dataReply('readresult', { ...heading, byteSize, lineCount, estimatedTokens: tokens })
  }
  const { text, next } = answer
  const shown = text === '' ? '(empty)' : text
  return {
    action: 'readresult',
    ...heading,
    ...(next !== undefined && { truncated: true }),
    content: [textBlock(next === undefined ? shown : `${shown}\n[cut; next: ${next}]`)],
  }
}

function goneText(handle: string): string {
  return `No kept result has cache_id "${handle.slice(0, 40)}": it expired or was never yours. Do not retry it; call the tool that gave it again. What is still kept: {"action":"explore"}`
}
