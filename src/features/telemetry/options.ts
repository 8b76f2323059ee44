/** `proxySettings.telemetry`: traces and metrics by OpenTelemetry. */
import * as z from 'zod'
import { flag, integer, number, text } from '../../config/option.ts'

export const telemetrySchema = z.object({
  enabled: flag(
    'Send traces and metrics to an OpenTelemetry collector, and pass the trace of a client on to servers. Needs packages of OpenTelemetry.',
  ).default(false),
  endpoint: text(
    'The address of the collector, which takes OTLP over HTTP as protobuf: `http://localhost:4318`. Not set: OTEL_EXPORTER_OTLP_ENDPOINT, else that address.',
  ).optional(),
  headers: z
    .record(z.string().min(1), z.string())
    .meta({ description: 'HTTP headers sent to the collector, secrets best as ${NAME}.' })
    .optional(),
  serviceName: text('The name of this proxy in traces and metrics: `service.name`.').default('mcp-rlm-proxy'),
  sampleRatio: number(
    'The share of traces that the proxy sends if the client sends none. A client that sends a trace decides for itself.',
    { min: 0, max: 1 },
  ).default(1),
  metricsSeconds: integer('How often the proxy sends metrics.', {
    unit: 'seconds',
    min: 1,
    max: 86_400,
  }).default(60),
})
