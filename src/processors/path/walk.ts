export * from '../../query/walk.ts'
