/** The parts of `npm run clients` under test, with types. They are programs in JavaScript. */
import { fileURLToPath } from 'node:url'

interface Notes {
  first: unknown
  last: unknown
  known: Map<string, unknown>
  results: { step: number; text: string; handle: string | undefined }[]
  missing: { step: number; why: string }[]
  found: string[]
  waited: number
}

interface Parts {
  startModel(steps: object[], row: object): Promise<{ address: string; notes: Notes; close(): Promise<void> }>
  readScenario(
    name: string,
    scenario: { steps: object[] },
    notes: Notes,
    direct: { instructions: string; handleTimes: number },
  ): object | undefined
  scenarios: Record<'main', { steps: object[] }>
}

export async function parts(): Promise<Parts> {
  const folder = fileURLToPath(new URL('../../../../benchmarks/clients', import.meta.url))
  const files = ['model', 'reading', 'scenarios'].map((name) => import(`${folder}/${name}.mjs`))
  return Object.assign({}, ...(await Promise.all(files))) as Parts
}
