export * from '../query/records.ts'
