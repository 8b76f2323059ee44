export { duration, looseNumber, plainNumber, quantity } from '../../query/quantities.ts'
