/** 2^32 by the golden ratio: products with it are spread evenly. */
const SPREAD = 0x9e3779b1

/**
 * Places all over `count`, at least `least` of them where there are as many. There is one in each part of equal length, in another spot of
 * it each time. At equal distances one may meet only the records without labels, where each fourth has none.
 */
export function* placesOver(count: number, least: number): Generator<number> {
  const length = Math.max(1, Math.floor(count / least))
  for (let nth = 0; nth * length < count; nth++) {
    const at = nth * length + ((Math.imul(nth, SPREAD) >>> 16) % length)
    if (at < count) yield at
  }
}
