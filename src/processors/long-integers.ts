export { besideToTheDigit, longInteger } from '../query/quantities.ts'
