/**
 * Server instructions: how to work with a handle. Clients cut instructions at 2 KB, so this stays well below and comes
 * before anything the servers say themselves.
 */
export const INSTRUCTIONS = `A result too large to read comes back as a preview with a cache_id; all of it is kept. Do not repeat the \
call to see more: ask for the part you need by cache_id, with proxy_filter (records, counts, sums), proxy_search (text) or proxy_explore \
(fields). Their own long answers have a cache_id as well. If you know beforehand what you need, give these three the tool and its \
arguments instead: only the answer comes back. When a cache_id is unknown, do not retry it; call the tool again.`

const FINDING: Readonly<Record<string, string>> = {
  call: `The tools of the connected servers are not listed: find them with retrieve_tools, by what you want to do, and run them with \
call_tool. Do that before you say that something cannot be done.`,
  dynamic: `The tools of the connected servers are not listed at first: retrieve_tools finds them by what you want to do, and adds them \
to your tools. Do that before you say that something cannot be done.`,
}

const DISPATCHING = `proxy-dispatch stands for all connected servers: search by what you want to do before you say that something cannot be done, \
then call. A result too large to read comes back as a preview with a cache_id: ask for the part you need by filter, search_result or explore; do not \
repeat the call. For large payloads, for several steps, or when you need a part only, take resultToFile and read it back with readresult, or pass it on: \
as argumentsFile, or as {"$from": "<cache_id>"} in arguments. Small results are simplest as they come.`

/** Ours, for how the tools of the servers are offered. `routing`: how tools that are not listed are run. */
export function ourInstructions(routing?: 'call' | 'dynamic' | 'dispatch'): string {
  if (routing === 'dispatch') return DISPATCHING
  return routing === undefined ? INSTRUCTIONS : `${FINDING[routing]}\n\n${INSTRUCTIONS}`
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
