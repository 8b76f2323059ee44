export * from '../../query/locate.ts'
