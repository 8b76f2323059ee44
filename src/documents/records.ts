export * from './collections.ts'
