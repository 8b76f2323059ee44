export * from '../../query/levels.ts'
