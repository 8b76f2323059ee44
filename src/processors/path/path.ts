export * from '../../query/path.ts'
