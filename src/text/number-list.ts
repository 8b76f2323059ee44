/** Whole numbers from 0 to 2³² - 1, as many as come: four bytes each. */
export class NumberList {
  #numbers = new Uint32Array(64)
  #length = 0

  get length(): number {
    return this.#length
  }

  /** How many there are with this one. */
  add(number: number): number {
    if (this.#length === this.#numbers.length) {
      const larger = new Uint32Array(this.#length * 2)
      larger.set(this.#numbers)
      this.#numbers = larger
    }
    this.#numbers[this.#length++] = number
    return this.#length
  }

  /** All of them, without spare room. */
  array(): Uint32Array {
    return this.#numbers.slice(0, this.#length)
  }
}
