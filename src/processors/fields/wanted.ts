export * from '../../query/wanted.ts'
