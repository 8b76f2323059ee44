export { parsePath } from '../../query/path.ts'
