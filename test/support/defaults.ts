/** What parts are given when a configuration says nothing: each default stands in the schema alone. */
import { parseConfig } from '../../src/config/load-program.ts'
import { keeperLimits } from '../../src/gateway/keeper.ts'
import { KEEPER_LIMITS } from '../../src/store/result-store.ts'

export const SETTINGS = parseConfig({}).settings

/** The numbers of a keeper. */
export const KEEPER_DEFAULTS = { ...KEEPER_LIMITS, ...keeperLimits(SETTINGS) }
