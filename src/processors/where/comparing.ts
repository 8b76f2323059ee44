export { contains, equals, has, order, type Strictness } from '../../query/compare.ts'
