export * from '../../query/as-sent.ts'
