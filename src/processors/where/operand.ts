export { isNull, type Operand, operandOf } from '../../query/compare.ts'
