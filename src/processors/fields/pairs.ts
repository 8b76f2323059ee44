export { halvesOf } from '../../query/compile.ts'
