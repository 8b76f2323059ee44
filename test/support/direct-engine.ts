/** The work of the engine on files, on the calling thread. */
import type { Engine } from '../../src/engine/contract.ts'
import { exported, readFile } from '../../src/engine/export.ts'
import { countTokens } from '../../src/text/tokens.ts'

export function directEngine(): Pick<Engine, 'export' | 'readback' | 'countTokens'> {
  return {
    export: async (content, toon) => exported(content, toon),
    readback: async (content, isResult, wanted) => readFile(content, isResult, wanted),
    countTokens: async (texts) => texts.map(countTokens),
  }
}
