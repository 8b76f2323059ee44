/** How much the endurance tests do. They take minutes: `npm run test:endurance` runs them, and no other command. */

/** How often each fault strikes; even, for two clients share them. */
export const TIMES = 20
/** Sessions one after the other; more than the 80 that are there at first. */
export const SESSIONS = 1000
/** Agents at once. */
export const AGENTS = 64
