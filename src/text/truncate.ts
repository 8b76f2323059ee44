/** Where `shorten.ts` was before. */
export * from './shorten.ts'
