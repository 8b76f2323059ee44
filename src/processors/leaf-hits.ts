/** Where `hits.ts` was before. */
export * from './hits.ts'
