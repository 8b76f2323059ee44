import { expect, test } from 'vitest'
import { recognise } from '../../../../src/documents/opening/detect.ts'

const lines = [
  'IP 10.0.0.5.58278 > 93.184.216.34.443: Flags [S.], seq 295907057, ack 58, win 65535, length 398',
  'ARP, Request who-has 10.0.0.241 tell 10.0.0.6, length 28',
  'IP 10.0.0.3.50914 > 8.8.8.8.53: 40454+ A? example.com. (51)',
  'IP6 fe80::1.546 > ff02::1:2.547: dhcp6 solicit',
  'IP host.example.com.https > box.local.5555: Flags [.], ack 1, length 0',
  'IP 10.0.0.1 > 10.0.0.2: ICMP echo request, id 1, seq 1, length 64',
]

const read = (time: (nth: number) => string) => {
  const { format, json } = recognise(lines.map((line, nth) => `${time(nth)} ${line}`).join('\n'))
  return { format, records: json?.() as Record<string, unknown>[] | undefined }
}

test('packets with their time, places, flags and length', () => {
  const { format, records } = read((nth) => `10:00:0${nth}.874963`)
  expect(format).toBe('log')
  expect(records).toMatchObject([
    {
      time: '10:00:00.874963',
      message: lines[0],
      protocol: 'IP',
      source: '10.0.0.5',
      source_port: 58278,
      destination: '93.184.216.34',
      destination_port: 443,
      flags: 'S.',
      length: 398,
    },
    { protocol: 'ARP', length: 28 },
    { protocol: 'IP', source: '10.0.0.3', destination: '8.8.8.8', destination_port: 53 },
    { protocol: 'IP6', source: 'fe80::1', destination: 'ff02::1:2', destination_port: 547 },
    { source: 'host.example.com.https', destination: 'box.local.5555', flags: '.', length: 0 },
    { source: '10.0.0.1', destination: '10.0.0.2', length: 64 },
  ])
  expect(records?.[2]).not.toHaveProperty('length')
})

test('a day before the time changes nothing', () => {
  const { records } = read((nth) => `2025-11-03 10:00:0${nth}.874963`)
  expect(records?.[0]).toMatchObject({ time: '2025-11-03 10:00:00.874963', source: '10.0.0.5', length: 398 })
})

test('a time before other words makes no log', () => {
  const text = lines.map((_, nth) => `10:00:0${nth} IP is what we spoke of`).join('\n')
  expect(recognise(text).format).not.toBe('log')
})
