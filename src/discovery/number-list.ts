/** A list of whole numbers that is filled, read and filled again: it makes no garbage, and takes four bytes a number. */
export class NumberList {
  /** The numbers, `length` of them; what follows is of earlier fillings. */
  values = new Int32Array(4096)
  length = 0

  push(value: number): void {
    if (this.length === this.values.length) {
      const longer = new Int32Array(2 * this.length)
      longer.set(this.values)
      this.values = longer
    }
    this.values[this.length++] = value
  }
}
