/** How the values of a column lie beside an operand, worked out once for each distinct value. */
import type { Column } from '../column.ts'
import { several } from '../path/walk.ts'
import { Remembered } from '../remembered.ts'
import { order } from './comparing.ts'
import { parseDate } from './dates.ts'
import type { Operand } from './operand.ts'

/** -1, 0 or 1 by code, as `order` tells; `unordered` where the two have no order, and where there is not one scalar. */
export type Orders = Int8Array

/** In place of -1, 0 or 1. */
export const unordered = 2

const known = new Remembered<Orders>(4)

/** How each distinct value of the column stands to the operand; remembered for the last few. */
export function ordersOf(column: Column, operand: Operand): Orders {
  return known.of(column, JSON.stringify(operand), () => {
    const orders = new Int8Array(column.size).fill(unordered)
    const day = operand.date && !operand.date.yearless ? operand.date : undefined
    const instants = day && instantsOf(column)
    for (let code = 0; code < orders.length; code++) {
      const time = instants ? (instants[code] as number) : Number.NaN
      if (day && !Number.isNaN(time)) orders[code] = time < day.from ? -1 : time >= day.to ? 1 : 0
      else orders[code] = signOf(column, code, operand)
    }
    return orders
  })
}

function signOf(column: Column, code: number, operand: Operand): number {
  const value = column.scalar(code)
  if (value === several || value === undefined) return unordered
  const sign = Math.sign(order(value, operand))
  return Number.isNaN(sign) ? unordered : sign
}

/** `2024-05-01T10:00:00Z` has 20 characters; a shorter text may be another thing than a date. */
const shortest = 20

/** Milliseconds since 1970 of each code whose value is a date with its year, NaN of all others. */
function instantsOf(column: Column): Float64Array {
  return column.derived('instants', () => {
    const instants = new Float64Array(column.size)
    for (let code = 0; code < instants.length; code++) {
      const value = column.scalar(code)
      const date = typeof value === 'string' && value.length >= shortest ? parseDate(value) : undefined
      instants[code] = date && !date.yearless ? date.from : Number.NaN
    }
    return instants
  })
}
