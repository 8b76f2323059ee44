/** The systems in the order of the tables. */
import { chunks } from './chunks.mjs'
import { head, headTail } from './cut.mjs'
import { grep } from './grep.mjs'
import { oracle } from './oracle.mjs'
import { proxy } from './proxy.mjs'
import { raw } from './raw.mjs'

export const SYSTEMS = [raw, head, headTail, grep, chunks, proxy, oracle]
