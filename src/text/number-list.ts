/** Where `spans.ts` was before. */
export * from './spans.ts'
