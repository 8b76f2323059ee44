import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  arrivedIn,
  beginsAt,
  EDGE_BYTES,
  GrowingBytes,
  MessageBytes,
  partOf,
} from '../../../src/protocol/stream.ts'

const LARGE = 256 * 1024

/** Bytes that tell where they are. */
function bytes(length: number): Buffer {
  const all = Buffer.alloc(length)
  for (let at = 0; at < length; at++) all[at] = (at * 31 + (at >> 8)) & 0xff
  return all
}

function* cut(all: Buffer, sizes: readonly number[]): Generator<Buffer> {
  for (let [from, index] = [0, 0]; from < all.length; index++) {
    const size = sizes[index % sizes.length] ?? 1
    yield all.subarray(from, from + size)
    from += size
  }
}

describe('the bytes of a message', () => {
  const sizes = fc.array(fc.integer({ min: 500, max: 200_000 }), { minLength: 1, maxLength: 5 })

  test('are all there, however they came', () => {
    fc.assert(
      fc.property(fc.nat(3 * LARGE), sizes, (length, parts) => {
        const all = bytes(length)
        const message = new MessageBytes(10_000_000)
        for (const part of cut(all, parts)) message.add(part)
        expect(message.length).toBe(length)
        const taken = message.take()
        expect(Buffer.concat(taken.parts).equals(all)).toBe(true)
        expect(taken.length).toBe(length)
        expect(message.length).toBe(0)
      }),
      { numRuns: 30 },
    )
  })

  test('are together on shared memory when they are many', () => {
    const message = new MessageBytes(100_000_000)
    const all = bytes(20_000_000)
    for (const part of cut(all, [65_536])) message.add(part)
    const { parts } = message.take()
    expect(parts).toHaveLength(1)
    expect(parts[0]?.buffer).toBeInstanceOf(SharedArrayBuffer)
    expect(parts[0]?.equals(all)).toBe(true)
    message.add(Buffer.from('next'))
    expect(Buffer.concat(message.take().parts).toString()).toBe('next')
    expect(parts[0]?.equals(all)).toBe(true)
  })

  test('of one that is too long the edges are left', () => {
    for (const limit of [1000, LARGE + 1000, 600_000]) {
      const message = new MessageBytes(limit)
      const all = bytes(700_000)
      for (const part of cut(all, [100, 70_000])) message.add(part)
      expect(message.tooLong).toBe(true)
      const { parts, length, edges } = message.take()
      expect(parts).toEqual([])
      expect(length).toBe(all.length)
      expect(edges?.head.equals(all.subarray(0, EDGE_BYTES))).toBe(true)
      expect(edges?.tail.equals(all.subarray(-EDGE_BYTES))).toBe(true)
      expect(message.tooLong).toBe(false)
    }
  })

  test('are moved where the room that was set aside ends', () => {
    const all = bytes(9000)
    const growing = new GrowingBytes(1000)
    for (const part of cut(all, [700, 10])) growing.append(part)
    expect(growing.whole().equals(all)).toBe(true)
    expect(growing.length).toBe(all.length)
    expect(arrivedIn(growing.buffer)).toBe(all.length)
  })

  test('can be read where they are while more of them come', () => {
    const all = bytes(20_000)
    const growing = new GrowingBytes(20_000)
    let there = 0
    for (const part of cut(all, [700, 3000])) {
      growing.append(part)
      there += part.length
      expect(arrivedIn(growing.buffer)).toBe(there)
      expect(Buffer.from(partOf(growing.buffer, 5, there)).equals(all.subarray(5, there))).toBe(true)
    }
    expect(beginsAt(growing.whole(), 0)).toBe(true)
    expect(beginsAt(growing.whole().subarray(30), 30)).toBe(true)
    expect(beginsAt(growing.whole().subarray(30), 31)).toBe(false)
  })

  test('are reported while they come, when they are many', () => {
    const told: number[] = []
    let begun = 0
    const message = new MessageBytes(2_000_000, (long) => {
      begun += 1
      expect(long.whole().equals(all.subarray(0, long.length))).toBe(true)
      return () => told.push(long.length)
    })
    const all = bytes(600_000)
    for (const part of cut(all, [100_000])) message.add(part)
    expect(told).toEqual([400_000, 500_000, 600_000])
    message.take()
    message.add(all.subarray(0, 1000))
    message.take()
    expect([begun, told.length]).toEqual([1, 3])
  })
})
