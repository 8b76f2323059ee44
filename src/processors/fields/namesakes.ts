export { namesakes } from '../../query/explain.ts'
