/** A collector of OpenTelemetry: takes OTLP over HTTP as protobuf (opentelemetry-proto 1.x) and reads spans and histograms out of it. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export interface SeenSpan {
  name: string
  /** 2: server, 3: client. */
  kind: number
  traceId: string
  spanId: string
  /** Empty: the trace begins with it. */
  parentId: string
  traceState: string
  /** 2: an error. */
  status: number
  attributes: Record<string, string | number | boolean>
}

interface SeenPoint {
  name: string
  unit: string
  count: number
  bounds: number[]
  attributes: Record<string, string | number | boolean>
}

interface Collector {
  url: string
  spans: SeenSpan[]
  /** Points of histograms. */
  points: SeenPoint[]
  /** Attributes of the sender. */
  resource: Record<string, string | number | boolean>
  headers: Record<string, unknown>[]
}

/** A collector for the time of a test. `status`: what it answers to everything. */
export async function collector(status = 200): Promise<Collector> {
  const seen: Collector = { url: '', spans: [], points: [], resource: {}, headers: [] }
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    seen.headers.push(request.headers)
    for (const group of fields(body, 1)) {
      for (const resource of fields(group, 1)) Object.assign(seen.resource, attributesOf(fields(resource, 1)))
      const items = fields(group, 2).flatMap((scope) => fields(scope, 2))
      if (request.url === '/v1/traces') seen.spans.push(...items.map(spanOf))
      else seen.points.push(...items.flatMap(pointsOf))
    }
    response.writeHead(status, { 'content-type': 'application/x-protobuf' }).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  seen.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return seen
}

function spanOf(bytes: Buffer): SeenSpan {
  const [status = Buffer.alloc(0)] = fields(bytes, 15)
  return {
    name: textAt(bytes, 5),
    kind: Number(values(bytes).find(([field]) => field === 6)?.[1]),
    traceId: fields(bytes, 1)[0]?.toString('hex') ?? '',
    spanId: fields(bytes, 2)[0]?.toString('hex') ?? '',
    parentId: fields(bytes, 4)[0]?.toString('hex') ?? '',
    traceState: textAt(bytes, 3),
    status: Number(values(status).find(([field]) => field === 3)?.[1] ?? 0),
    attributes: attributesOf(fields(bytes, 9)),
  }
}

function pointsOf(metric: Buffer): SeenPoint[] {
  return fields(metric, 9)
    .flatMap((histogram) => fields(histogram, 1))
    .map((point) => ({
      name: textAt(metric, 1),
      unit: textAt(metric, 3),
      count: Number(fields(point, 4)[0]?.readBigUInt64LE()),
      bounds: fields(point, 7).flatMap(doubles),
      attributes: attributesOf(fields(point, 9)),
    }))
}

function doubles(bytes: Buffer): number[] {
  return Array.from({ length: bytes.length / 8 }, (_, at) => bytes.readDoubleLE(at * 8))
}

function attributesOf(pairs: Buffer[]): Record<string, string | number | boolean> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const [[field, value] = [0, Buffer.alloc(0)]] = values(fields(pair, 2)[0] ?? Buffer.alloc(0))
      if (Buffer.isBuffer(value)) return [textAt(pair, 1), field === 4 ? value.readDoubleLE() : String(value)]
      return [textAt(pair, 1), field === 2 ? value === 1n : Number(value)]
    }),
  )
}

function textAt(bytes: Buffer, field: number): string {
  return String(fields(bytes, field)[0] ?? '')
}

/** The values of a field that are bytes. */
function fields(bytes: Buffer, wanted: number): Buffer[] {
  return values(bytes).flatMap(([field, value]) =>
    field === wanted && Buffer.isBuffer(value) ? [value] : [],
  )
}

/** The fields of a message in their order (protobuf.dev, "Encoding"). */
function values(bytes: Buffer): [field: number, value: bigint | Buffer][] {
  const found: [number, bigint | Buffer][] = []
  let at = 0
  const varint = (): bigint => {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++] ?? 0
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
  }
  while (at < bytes.length) {
    const key = Number(varint())
    if ((key & 7) === 0) found.push([key >> 3, varint()])
    else {
      const length = { 1: 8, 5: 4 }[key & 7] ?? Number(varint())
      found.push([key >> 3, bytes.subarray(at, at + length)])
      at += length
    }
  }
  return found
}
