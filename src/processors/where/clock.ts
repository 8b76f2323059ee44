export { type ClockSpan, clockOf, parseClock } from '../../query/dates.ts'
