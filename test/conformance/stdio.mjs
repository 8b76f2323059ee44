/** The fixture over its standard input and output, for whichever era the client begins with. */
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { createFixture } from './fixture.mjs'

/**
 * @param lists what is switched on (`lists.mjs`)
 * @param only `legacy` or `modern`: the one era it knows; undefined: both
 */
export async function runStdio(lists, only) {
  if (only === 'legacy') return createFixture('legacy', lists, true).connect(new StdioServerTransport())
  serveStdio(({ era }) => createFixture(era, lists, true), { legacy: only === 'modern' ? 'reject' : 'serve' })
}
