/** The smallest files of their kind. */
import { crc32, deflateSync } from 'node:zlib'

/** One red pixel (PNG, ISO/IEC 15948), in base64. */
export const PNG = png([255, 0, 0]).toString('base64')

/** Eight samples of silence (RIFF WAVE, 8 bits, mono), in base64. */
export const WAV = wav(Buffer.alloc(8, 128)).toString('base64')

function png(rgb) {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(1, 0)
  header.writeUInt32BE(1, 4)
  header.set([8, 2], 8)
  const row = deflateSync(Buffer.from([0, ...rgb]))
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  const chunks = [chunk('IHDR', header), chunk('IDAT', row), chunk('IEND', Buffer.alloc(0))]
  return Buffer.concat([signature, ...chunks])
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  return Buffer.concat([uint32(data.length, 'BE'), body, uint32(crc32(body), 'BE')])
}

function wav(samples) {
  const rate = 8000
  const format = Buffer.alloc(16)
  format.writeUInt16LE(1, 0)
  format.writeUInt16LE(1, 2)
  format.writeUInt32LE(rate, 4)
  format.writeUInt32LE(rate, 8)
  format.writeUInt16LE(1, 12)
  format.writeUInt16LE(8, 14)
  const parts = [
    'WAVE',
    'fmt ',
    uint32(format.length, 'LE'),
    format,
    'data',
    uint32(samples.length, 'LE'),
    samples,
  ]
  const body = Buffer.concat(parts.map((part) => Buffer.from(part)))
  return Buffer.concat([Buffer.from('RIFF'), uint32(body.length, 'LE'), body])
}

function uint32(value, order) {
  const bytes = Buffer.alloc(4)
  if (order === 'BE') bytes.writeUInt32BE(value)
  else bytes.writeUInt32LE(value)
  return bytes
}
