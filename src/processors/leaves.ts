/** Where `searchable.ts` was before. */
export * from './searchable.ts'
