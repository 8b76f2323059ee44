export * from '../../query/dates.ts'
