/** The systems in the order of the tables. */
import { oracle } from './oracle.mjs'
import { proxy } from './proxy.mjs'
import { raw } from './raw.mjs'

export const SYSTEMS = [raw, proxy, oracle]
