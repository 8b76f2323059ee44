/**
 * Server instructions: how to work with a handle. Clients cut instructions at 2 KB, so this stays well below and comes
 * before anything the servers say themselves.
 */
export const INSTRUCTIONS = `Tools of several servers are offered here as {server}_{tool}. A result too large to read comes back as a \
preview: its size, its fields, a sample, and a cache_id. The whole result is kept; nothing is lost. Do not call the tool again to see \
more of it. Ask for the part you need by cache_id:
- proxy_filter: records by condition (where), fields, sort, group_by and aggregate. Counting and summing belong here.
- proxy_search: text by regex, relevance (bm25), likeness (fuzzy), or with its surroundings (context).
- proxy_explore: structure, when the preview does not show the field you need.
Each answer says how much there is in all and how to get the rest. An answer that is itself too large has a cache_id of its own and can \
be asked in the same way. When you know beforehand what you need, pass tool and arguments to these three instead of cache_id: the call is \
made, the result kept, and only the answer returned. When a cache_id is unknown, do not retry it; call the tool again.`

/** The most characters of instructions that clients keep. */
const MAX_INSTRUCTIONS = 2000

/** Ours, where the proxy's own tools are offered, and as much of the servers' own as still fits whole. */
export function joinInstructions(
  ours: boolean,
  servers: readonly { server: string; instructions: string }[],
): string {
  let text = ours ? INSTRUCTIONS : ''
  for (const { server, instructions } of servers) {
    const section = `${text === '' ? '' : '\n\n'}${server}: ${instructions.trim()}`
    if (text.length + section.length <= MAX_INSTRUCTIONS) text += section
  }
  return text
}
