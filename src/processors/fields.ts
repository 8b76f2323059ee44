export { type Field, resolveExactly, resolveField } from '../query/fields.ts'
