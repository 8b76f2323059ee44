/** `proxySettings.collect`: how pages of a collection are followed. */
import * as z from 'zod'
import { integer } from '../../config/option.ts'

export const collectSchema = z.object({
  maxPages: integer('The most pages that one call fetches.', { unit: 'pages', min: 2, max: 10_000 }).default(
    200,
  ),
  maxBytes: integer('The most bytes of all pages of one collection.', {
    unit: 'bytes',
    min: 1024,
    max: 1024 * 1024 * 1024,
  }).default(64 * 1024 * 1024),
  timeoutMs: integer('How long the proxy may fetch pages of one collection.', {
    unit: 'milliseconds',
    min: 100,
    max: 3_600_000,
  }).default(120_000),
  parallel: integer('The most numbered pages that the proxy fetches at the same time.', {
    unit: 'pages',
    min: 1,
    max: 32,
  }).default(8),
})

export type CollectSettings = z.output<typeof collectSchema>
