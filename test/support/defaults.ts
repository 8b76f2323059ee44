/** The defaults of an empty configuration: each of them stands in the schema alone. */
import { parseConfig } from '../../src/config/load-program.ts'
import { resultStoreLimits } from '../../src/gateway/result-store.ts'
import { RESULT_STORE_LIMITS } from '../../src/store/result-store.ts'

export const SETTINGS = parseConfig({}).settings

/** The numbers of a result store. */
export const RESULT_STORE_DEFAULTS = { ...RESULT_STORE_LIMITS, ...resultStoreLimits(SETTINGS) }
