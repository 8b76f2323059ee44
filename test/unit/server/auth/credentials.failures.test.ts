import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createFailures, networkOf } from '../../../../src/server/auth/credentials.ts'
import { clock } from '../../downstream/auth/support.ts'

describe('failures of an address', () => {
  test('are free up to the limit, then cost the time one takes to be forgotten', () => {
    const time = clock()
    const failures = createFailures({ perMinute: 20, maxAddresses: 10, now: time.now })
    for (let n = 0; n < 20; n++) {
      expect(failures.wait('192.0.2.1')).toBe(0)
      failures.add('192.0.2.1')
    }
    expect(failures.wait('192.0.2.1')).toBe(3)
    expect(failures.wait('192.0.2.2')).toBe(0)
    time.pass(3000)
    expect(failures.wait('192.0.2.1')).toBe(0)
    failures.add('192.0.2.1')
    expect(failures.wait('192.0.2.1')).toBe(3)
    time.pass(3_600_000)
    for (let n = 0; n < 20; n++) failures.add('192.0.2.1')
    expect(failures.wait('192.0.2.1')).toBe(3)
  })

  test('a clock that goes back gives nothing and takes nothing', () => {
    const time = clock()
    const failures = createFailures({ perMinute: 1, maxAddresses: 10, now: time.now })
    failures.add('192.0.2.1')
    time.pass(-100_000)
    expect(failures.wait('192.0.2.1')).toBe(60)
  })

  test('are remembered for so many addresses, those heard of last', () => {
    const failures = createFailures({ perMinute: 1, maxAddresses: 2, now: clock().now })
    for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) failures.add(address)
    expect(['192.0.2.1', '192.0.2.2', '192.0.2.3'].map((address) => failures.wait(address))).toEqual([
      0, 60, 60,
    ])
  })
})

describe('the network of an address', () => {
  test.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::9', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['', ''],
  ])('%s: %s', (address, network) => {
    expect(networkOf(address)).toBe(network)
  })

  test('is the same for every spelling of one IPv6 network, and its first half', () => {
    fc.assert(
      fc.property(fc.ipV6(), fc.nat(0xffff), (address, last) => {
        if (address.includes('.')) return
        const network = networkOf(address)
        expect(network).toMatch(/^(?:[0-9a-f]{1,4}:){3}[0-9a-f]{1,4}::\/64$/)
        expect(networkOf(`${network.replace('::/64', '')}:1:2:3:${last.toString(16)}`)).toBe(network)
      }),
    )
  })
})
