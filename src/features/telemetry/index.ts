/**
 * Traces and metrics by the OpenTelemetry semantic conventions for MCP (semantic-conventions-genai, docs/gen-ai/mcp.md). The trace of a
 * client comes in `_meta` of its request, and goes on in `_meta` of the requests to servers (SEP-414: `traceparent`, `tracestate`, `baggage`).
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { packageVersion } from '../../config/identity.ts'
import { holdersOf } from '../../config/modules.ts'
import type { Config } from '../../config/schema.ts'
import { callerOf, type Logger } from '../../observe/log.ts'
import { createRedactor, fingerprint, secretsOf } from '../../observe/redact.ts'
import { LargeResult, metaOf, type Result } from '../../protocol/content.ts'
import { messageOf, ProxyError, RpcError } from '../../protocol/errors.ts'
import type { Client, Exchange, Sent } from '../../protocol/exchange.ts'
import type { JsonObject } from '../../protocol/json.ts'
import type { Request } from '../../protocol/message.ts'
import type { Backend } from '../../server/legacy.ts'

export interface Telemetry {
  /** The same backend; what it answers is traced and measured. */
  watching(backend: Backend): Backend
  /** Sends what is left, for at most two seconds. */
  close(): Promise<void>
}

interface TelemetryParts {
  logger: Logger
  /** Milliseconds by a monotonic clock. */
  elapsed: () => number
}

/** Milliseconds that a collector may take at the end of the proxy. */
const LAST_MS = 2_000
/** Characters of names and texts that others write. */
const LONGEST = 500

/** Seconds: the buckets that the conventions advise. */
const BUCKETS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300]

/** Methods that are a value of a metric. A client may send any other, so the others are one value. */
const METHODS: ReadonlySet<string> = new Set([
  'completion/complete',
  'elicitation/create',
  'logging/setLevel',
  'prompts/get',
  'prompts/list',
  'resources/list',
  'resources/read',
  'resources/subscribe',
  'resources/templates/list',
  'resources/unsubscribe',
  'roots/list',
  'sampling/createMessage',
  'tools/call',
  'tools/list',
])
const OTHER = '_OTHER'

/** Rejects with ProxyError PACKAGE_MISSING where the packages are not installed. */
export async function openTelemetry(
  { settings, servers, modules }: Config,
  { logger, elapsed }: TelemetryParts,
): Promise<Telemetry> {
  const sdk = await openSdk(settings.telemetry, (reason) =>
    logger.warn({ reason }, 'traces or metrics could not be sent to the collector'),
  )
  const redactor = createRedactor(secretsOf([...servers, ...holdersOf(modules)]))
  const transport = settings.transport === 'stdio' ? 'pipe' : 'tcp'
  const durations = {
    server: sdk.histogram('mcp.server.operation.duration', 'Time from a request of a client to its result.'),
    client: sdk.histogram('mcp.client.operation.duration', 'Time from a request to a server to its result.'),
  }
  const sessions = sdk.histogram('mcp.server.session.duration', 'Time that a client was connected.')
  const tokens = sdk.counter(
    'mcp_rlm_proxy.tokens',
    'Tokens of results, as servers sent them and as models read them.',
  )
  const since = new WeakMap<Client, number>()

  /** One span and one measurement around the work. A rejection of the work passes. */
  async function operation(
    side: 'server' | 'client',
    { request, about, parent }: { request: Request; about: Attributes; parent: Context },
    work: (span: Span, context: Context) => Promise<Result>,
  ): Promise<Result> {
    const target = targetOf(request)
    const { method } = request
    const common = { 'mcp.method.name': method.slice(0, LONGEST), ...about }
    const [, name] = target ?? []
    const span = sdk.tracer.startSpan(
      [method, name].join(' ').trim().slice(0, LONGEST),
      {
        kind: sdk.kinds[side],
        attributes: { ...common, ...described(request), ...(target && { [target[0]]: target[1] }) },
      },
      parent,
    )
    const began = elapsed()
    let fault: Attributes = {}
    try {
      const result = await work(span, sdk.trace.setSpan(parent, span))
      if (!(result instanceof LargeResult) && result.isError === true) fault = { 'error.type': 'tool_error' }
      return result
    } catch (error) {
      fault = faultOf(error)
      span.setStatus({ code: sdk.failed, message: redactor.text(messageOf(error)).slice(0, LONGEST) })
      throw error
    } finally {
      if (fault['error.type'] !== undefined) {
        span.setAttributes(fault)
        if (fault['error.type'] === 'tool_error') span.setStatus({ code: sdk.failed })
      }
      span.end()
      // A name that no server knows is no value of a metric: a client may make up any number of them.
      const named = target !== undefined && target[0] !== URI && !('rpc.response.status_code' in fault)
      durations[side].record((elapsed() - began) / 1000, {
        ...common,
        'mcp.method.name': METHODS.has(method) ? method : OTHER,
        ...(named && { [target[0]]: target[1] }),
        ...fault,
      })
    }
  }

  function described({ method, params }: Request): Attributes {
    const uri = params?.uri
    return {
      ...(method === 'tools/call' && { 'gen_ai.operation.name': 'execute_tool' }),
      ...(typeof uri === 'string' && { [URI]: redactor.text(uri).slice(0, LONGEST) }),
    }
  }

  /** Each request of the exchange that goes to a server or to the client. */
  function followed(exchange: Exchange, span: Span, context: Context): Exchange {
    const { ask, onSaved, onKept } = exchange
    const sending = (
      { server, request, local, protocolVersion }: Sent,
      send: (request: Request, onId: (id: string | number) => void) => Promise<Result>,
    ): Promise<Result> => {
      const about = {
        [SERVER]: server,
        'network.transport': local ? 'pipe' : 'tcp',
        ...(protocolVersion !== undefined && { 'mcp.protocol.version': protocolVersion }),
      }
      return operation('client', { request, about, parent: context }, (own, inside) =>
        send(sdk.inject(request, inside), (id) => own.setAttributes({ 'jsonrpc.request.id': String(id) })),
      )
    }
    return {
      ...exchange,
      sending,
      ...(ask && {
        ask: (request, signal, server) => {
          const about = { ...clientOf(exchange.client), ...(server !== undefined && { [SERVER]: server }) }
          // The server may say in which of its spans it asks.
          const parent = sdk.extract(request, context)
          return operation('client', { request, about, parent }, (_, inside) =>
            ask(sdk.inject(request, inside), signal, server),
          )
        },
      }),
      onSaved(savings) {
        const { originalTokens, deliveredTokens } = savings
        for (const [kind, count] of Object.entries({ original: originalTokens, delivered: deliveredTokens }))
          if (count !== undefined) {
            span.setAttributes({ [`mcp_rlm_proxy.tokens.${kind}`]: count })
            tokens.add(count, { 'mcp_rlm_proxy.tokens.kind': kind })
          }
        onSaved?.(savings)
      },
      onKept(handle) {
        span.setAttributes({ 'mcp_rlm_proxy.kept': true })
        onKept?.(handle)
      },
    }
  }

  const clientOf = (client: Client): Attributes => ({
    'mcp.protocol.version': client.protocolVersion,
    'network.transport': transport,
  })

  return {
    watching: (backend) => ({
      ...backend,
      handler(exchange) {
        const { method, params, client } = exchange
        const request = { method, params }
        return operation(
          'server',
          { request, about: clientOf(client), parent: sdk.extract(request, sdk.root) },
          (span, context) => {
            // Every reader of the id of a session can use it, and some clients put their person into their name.
            if (client.era === 'legacy') span.setAttributes({ 'mcp.session.id': fingerprint(client.id) })
            span.setAttributes({ 'mcp_rlm_proxy.client': callerOf(client).client })
            return backend.handler(followed(exchange, span, context))
          },
        )
      },
      opened(client) {
        if (client.era === 'legacy') since.set(client, elapsed())
        backend.opened(client)
      },
      closed(client) {
        const began = since.get(client)
        if (began !== undefined) sessions.record((elapsed() - began) / 1000, clientOf(client))
        backend.closed(client)
      },
    }),
    close: sdk.close,
  }
}

const SERVER = 'mcp_rlm_proxy.server'
const URI = 'mcp.resource.uri'

/** The target of a request, where it has few values: the attribute and its value. */
function targetOf({ method, params }: Request): [attribute: string, value: string] | undefined {
  const attribute = { 'tools/call': 'gen_ai.tool.name', 'prompts/get': 'gen_ai.prompt.name' }[method]
  const name = params?.name
  return attribute === undefined || typeof name !== 'string' ? undefined : [attribute, name.slice(0, LONGEST)]
}

function faultOf(error: unknown): Attributes {
  if (error instanceof RpcError)
    return { 'error.type': String(error.code), 'rpc.response.status_code': String(error.code) }
  return { 'error.type': error instanceof ProxyError ? error.code : OTHER }
}

// The used part of the packages of OpenTelemetry, which an installation does not have.

type Attributes = Record<string, string | number | boolean>
/** The carrier of a trace within a process. */
type Context = object

interface Span {
  setAttributes(attributes: Attributes): unknown
  setStatus(status: { code: number; message?: string }): unknown
  end(): void
}

interface Api {
  ROOT_CONTEXT: Context
  SpanKind: { SERVER: number; CLIENT: number }
  SpanStatusCode: { ERROR: number }
  trace: { setSpan(context: Context, span: Span): Context }
}

interface Tracer {
  startSpan(name: string, options: { kind: number; attributes: Attributes }, parent: Context): Span
}

interface Core {
  W3CTraceContextPropagator: new () => {
    inject(context: Context, carrier: JsonObject, setter: object): void
    extract(context: Context, carrier: JsonObject, getter: object): Context
  }
}

interface Exporter {
  export(items: unknown, done: (result: { code: number; error?: Error }) => void): void
}

type ExporterClass = new (options: object) => Exporter

interface Meter {
  createHistogram(name: string, options: object): { record(value: number, attributes: Attributes): void }
  createCounter(name: string, options: object): { add(value: number, attributes: Attributes): void }
}

const PACKAGES = [
  '@opentelemetry/api',
  '@opentelemetry/core',
  '@opentelemetry/resources',
  '@opentelemetry/sdk-trace',
  '@opentelemetry/sdk-metrics',
  '@opentelemetry/exporter-trace-otlp-proto',
  '@opentelemetry/exporter-metrics-otlp-proto',
]

async function load() {
  try {
    const [api, core, resources, traces, metrics, traceExport, metricExport] = await Promise.all(
      PACKAGES.map((name) => import(name)),
    )
    return {
      api: api as Api,
      core: core as Core,
      resources: resources as { resourceFromAttributes(attributes: Attributes): object },
      traces: traces as {
        TracerProvider: new (
          options: object,
        ) => {
          getTracer(name: string, version: string): Tracer
          shutdown(): Promise<void>
        }
        BatchSpanProcessor: new (options: object) => object
        ParentBasedSampler: new (options: object) => object
        TraceIdRatioBasedSampler: new (ratio: number) => object
      },
      metrics: metrics as {
        MeterProvider: new (
          options: object,
        ) => {
          getMeter(name: string, version: string): Meter
          shutdown(): Promise<void>
        }
        PeriodicExportingMetricReader: new (options: object) => object
      },
      TraceExporter: (traceExport as { OTLPTraceExporter: ExporterClass }).OTLPTraceExporter,
      MetricExporter: (metricExport as { OTLPMetricExporter: ExporterClass }).OTLPMetricExporter,
    }
  } catch {
    throw new ProxyError(
      'PACKAGE_MISSING',
      'telemetry needs packages of OpenTelemetry that are not installed or cannot be loaded',
      `Install them where mcp-rlm-proxy is installed (with -g for a global installation): npm install ${PACKAGES.join(' ')}`,
    )
  }
}

/** The keys of the trace of a request: members of `_meta` without a prefix (SEP-414). */
const TRACE_KEYS = ['traceparent', 'tracestate']

const getter = {
  keys: (carrier: JsonObject) => Object.keys(carrier),
  get: (carrier: JsonObject, key: string) => {
    const value = Object.hasOwn(carrier, key) ? carrier[key] : undefined
    return typeof value === 'string' ? value : undefined
  },
}
const setter = {
  set(carrier: JsonObject, key: string, value: string) {
    carrier[key] = value
  },
}

/** @param failed told once for each time that the collector does not take what it is sent */
async function openSdk(options: Config['settings']['telemetry'], failed: (reason: string) => void) {
  const { api, core, resources, traces, metrics, TraceExporter, MetricExporter } = await load()
  const { endpoint, headers, serviceName, sampleRatio, metricsSeconds } = options
  const version = packageVersion()
  const resource = resources.resourceFromAttributes({
    'service.name': serviceName,
    'service.version': version,
    'service.instance.id': `${process.pid}-${Date.now().toString(36)}`,
  })
  let isTaken = true
  const exporter = (Class: ExporterClass, signal: string): Exporter => {
    const made = new Class({
      ...(endpoint !== undefined && { url: `${endpoint.replace(/\/+$/, '')}/v1/${signal}` }),
      ...(headers && { headers }),
    })
    const send = made.export.bind(made)
    made.export = (items, done) =>
      send(items, (result) => {
        if (result.code !== 0 && isTaken) failed(messageOf(result.error ?? 'no reason was given'))
        isTaken = result.code === 0
        done(result)
      })
    return made
  }
  const tracers = new traces.TracerProvider({
    resource,
    sampler: new traces.ParentBasedSampler({ root: new traces.TraceIdRatioBasedSampler(sampleRatio) }),
    spanProcessors: [new traces.BatchSpanProcessor({ exporter: exporter(TraceExporter, 'traces') })],
  })
  const meters = new metrics.MeterProvider({
    resource,
    readers: [
      new metrics.PeriodicExportingMetricReader({
        exporter: exporter(MetricExporter, 'metrics'),
        exportIntervalMillis: metricsSeconds * 1000,
        exportTimeoutMillis: Math.min(metricsSeconds * 1000, 30_000),
      }),
    ],
  })
  const meter = meters.getMeter('mcp-rlm-proxy', version)
  const propagator = new core.W3CTraceContextPropagator()
  return {
    root: api.ROOT_CONTEXT,
    trace: api.trace,
    kinds: { server: api.SpanKind.SERVER, client: api.SpanKind.CLIENT },
    failed: api.SpanStatusCode.ERROR,
    tracer: tracers.getTracer('mcp-rlm-proxy', version),
    histogram: (name: string, description: string) =>
      meter.createHistogram(name, {
        description,
        unit: 's',
        advice: { explicitBucketBoundaries: BUCKETS },
      }),
    counter: (name: string, description: string) =>
      meter.createCounter(name, { description, unit: '{token}' }),
    /** The trace that a request says it belongs to, or `fallback`. */
    extract: ({ params }: Request, fallback: Context): Context => {
      const meta = metaOf(params)
      return meta === undefined ? fallback : propagator.extract(fallback, meta, getter)
    },
    /** The request, which says that it belongs to this trace. `baggage` goes on as it came. */
    inject(request: Request, context: Context): Request {
      const kept = Object.entries(metaOf(request.params) ?? {}).filter(([key]) => !TRACE_KEYS.includes(key))
      const _meta: JsonObject = Object.fromEntries(kept)
      propagator.inject(context, _meta, setter)
      return { ...request, params: { ...request.params, _meta } }
    },
    async close(): Promise<void> {
      const sent = Promise.allSettled([tracers.shutdown(), meters.shutdown()])
      await Promise.race([sent, sleep(LAST_MS, undefined, { ref: false })])
    },
  }
}
