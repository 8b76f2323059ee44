export * from '../../query/prune.ts'
