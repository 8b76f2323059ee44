/** How much the endurance tests do: a little with all tests, all of it with `npm run test:endurance`. */
const whole = process.env.ENDURANCE === 'whole'

/** How often each fault strikes; even, for two clients share them. */
export const TIMES = whole ? 20 : 2
/** Sessions one after the other; more than the 80 that are there at first. */
export const SESSIONS = whole ? 1000 : 100
/** Agents at once. */
export const AGENTS = whole ? 64 : 32
