/**
 * Server instructions: how to work with a handle. Clients cut instructions at 2 KB, so this stays well below and comes
 * before anything the servers say themselves.
 */
export const INSTRUCTIONS = `A result too large to read comes back as a preview with a cache_id; all of it is kept. Do not repeat the \
call to see more: ask for the part you need by cache_id, with proxy_filter (records, counts, sums), proxy_search (text) or proxy_explore \
(fields). Their own long answers have a cache_id as well. If you know beforehand what you need of a tool that only \
reads, give these three the tool and its arguments instead. Only the answer comes back. When a cache_id is unknown, do not retry it; call the tool again.`

/** How the tools of the servers are offered in the exposure `retrieve`. */
export interface Finding {
  routing: 'call' | 'dynamic'
  /** One call tool, or one for each effect. */
  variants: 'single' | 'readWriteDestructive'
  /** Above 0: all tools are listed while they are small. */
  listWithinTokens: number
}

const DISPATCHING = `proxy-dispatch stands for all connected servers: search by what you want to do before you say that something cannot be done, \
then call. A result too large to read comes back as a preview with a cache_id. Do not repeat the call: ask for the part you need by filter, \
search_result or explore. For large payloads, for several steps, or when you need a part only, take resultToFile and read it back with readresult, or pass it on: \
as argumentsFile, or as {"$from": "<cache_id>"} in arguments. Small results are simplest as they come.`

function finding({ routing, variants, listWithinTokens }: Finding): string {
  const runner = variants === 'readWriteDestructive' ? 'the tool that its call_with names' : 'call_tool'
  const how = routing === 'call' ? `run one with ${runner}` : 'it adds them to your tools'
  const [when, missing] =
    listWithinTokens > 0 ? ['may not be listed', 'When one is missing'] : ['are not listed', 'First']
  return `The tools of the connected servers ${when}. ${missing} call retrieve_tools with what you want to do, in words; ${how}. \
Do that before you say that something cannot be done.`
}

/** Ours, for how the tools of the servers are offered. `passthrough`: all are listed. */
export function ourInstructions(offered: 'passthrough' | 'dispatch' | Finding): string {
  if (offered === 'dispatch') return DISPATCHING
  return offered === 'passthrough' ? INSTRUCTIONS : `${finding(offered)}\n\n${INSTRUCTIONS}`
}

/** The most characters of instructions that clients keep. */
const MAX_INSTRUCTIONS = 2000

/** Ours, empty where the proxy's own tools are not offered, and as much of the servers' own as still fits whole. */
export function joinInstructions(
  ours: string,
  servers: readonly { server: string; instructions: string }[],
): string {
  let text = ours
  for (const { server, instructions } of servers) {
    const section = `${text === '' ? '' : '\n\n'}${server}: ${instructions.trim()}`
    if (text.length + section.length <= MAX_INSTRUCTIONS) text += section
  }
  return text
}
