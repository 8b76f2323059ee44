export * from '../query/refusal.ts'
