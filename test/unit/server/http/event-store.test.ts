import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { EventStore, type StoredEvent } from '../../../../src/server/http/event-store.ts'
import { textPayload } from '../../../../src/server/http/outlet.ts'

const textOf = ({ payload }: StoredEvent): string => payload.pieces.join('')

/** Events as a session makes them: which stream, how large, whether it is an answer. */
const events = fc.array(
  fc.record({ stream: fc.nat(3), size: fc.integer({ min: 1, max: 200 }), answer: fc.boolean() }),
  { maxLength: 60 },
)

describe('event store', () => {
  test('replays the later events of a stream in order while nothing was evicted', () => {
    fc.assert(
      fc.property(events, fc.nat(), (added, pick) => {
        const store = new EventStore({ maxEvents: 1000, maxBytes: 1e6 })
        const kept = added.map(({ stream, size }, index) => {
          const event = store.add(stream, textPayload(`${index}`.padEnd(size)))
          return { stream, id: event.id, text: textOf(event) }
        })
        const from = kept[pick % Math.max(kept.length, 1)]
        if (!from) return
        const position = store.parse(from.id)
        expect(position).toBeDefined()
        const expected = kept.slice(kept.indexOf(from) + 1).filter(({ stream }) => stream === from.stream)
        expect(store.after(position as never).map(textOf)).toEqual(expected.map(({ text }) => text))
        expect(store.knows(from.stream)).toBe(true)
      }),
    )
  })

  test('it is never larger than its bounds, and gives up answers last', () => {
    fc.assert(
      fc.property(
        events,
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 100, max: 2000 }),
        (added, maxEvents, maxBytes) => {
          const evicted: StoredEvent[] = []
          const store = new EventStore({ maxEvents, maxBytes, onEvict: (event) => evicted.push(event) })
          for (const [index, { stream, size, answer }] of added.entries()) {
            const before = evicted.length
            store.add(stream, textPayload('x'.repeat(size)), answer ? { answers: index } : {})
            expect(store.size).toBeLessThanOrEqual(maxEvents)
            expect(store.bytes).toBeLessThanOrEqual(maxBytes)
            const answersGone = evicted.slice(before).some(({ answers }) => answers !== undefined)
            const left = [0, 1, 2, 3].flatMap((each) => store.after({ stream: each, seq: 0 }))
            if (answersGone) expect(left.every(({ answers }) => answers !== undefined)).toBe(true)
          }
        },
      ),
    )
  })

  test('an answer that is too large leaves an error under its id', () => {
    const store = new EventStore({ maxEvents: 10, maxBytes: 4000 })
    store.add(1, textPayload('x'.repeat(1001)), { answers: 7 })
    store.add(1, textPayload('x'.repeat(1001)))
    const [event, ...more] = store.after({ stream: 1, seq: 0 })
    expect(JSON.parse(textOf(event as StoredEvent))).toMatchObject({ id: 7, error: { code: -32_000 } })
    expect(more).toEqual([])
  })

  test('takes no id but its own', () => {
    const store = new EventStore({ maxEvents: 10, maxBytes: 4000 })
    const { id } = store.add(1, textPayload('x'))
    const ahead = store.idOf({ stream: 1, seq: 99 })
    // The name of the store is drawn, so the case of its letters may say nothing.
    const ofAnother = `${id.startsWith('a') ? 'b' : 'a'}${id.slice(1)}`
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.constantFrom(ahead, `${id}0`, ` ${id}`, ofAnother)), (text) => {
        expect(store.parse(text)).toBeUndefined()
      }),
    )
    expect(store.parse(id)).toEqual({ stream: 1, seq: 1 })
    expect(new EventStore({ maxEvents: 10, maxBytes: 4000 }).parse(id)).toBeUndefined()
  })
})
