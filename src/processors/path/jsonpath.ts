export * from '../../query/jsonpath.ts'
