/** Where `search.ts` was before. */
export * from './search.ts'
