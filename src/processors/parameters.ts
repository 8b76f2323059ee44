/** What models may write: the parameters of every step, and of the three tools that are made of them. */
import * as z from 'zod'
import { choice, count, joined, names, sentences, text } from './lenient.ts'
import { searchStepParams } from './search-params.ts'

export const selectParams = z.object({
  path: text(
    'Part to work on, any depth: "items", "$.definitions", "$..node", "items[0:10]", "[?@.price > 5]". What it reaches are the records. A root list or map needs none.',
  ),
})

export const whereParams = z.object({
  where: sentences(
    'Conditions, all must hold: ["state = open", "comments > 5", "title ~ regex", "labels has bug"]. Also != >= !~ contains, in (a, b), between a and b, starts with, is null, exists, not …, or. Dates 2024-05 and sizes 10MB work.',
  ),
})

export const aggregateParams = z.object({
  group_by: joined(
    'One row a value: "state", "user.login", "created_at:month" (year, month, day, hour), or several.',
  ),
  aggregate: joined(
    'What to compute, over all or per group: "count" (default), "sum(price)", "avg(x)", "min(x)", "max(x)", "median(x)", "distinct(x)". Several: separate by commas.',
  ),
})

export const sortParams = z.object({
  sort: joined('Order: "-comments" (descending), "state, -created_at".'),
})

export const projectionParams = z.object({
  fields: names(
    'Fields to keep: ["name", "user.login", "labels[].name", "*.price"]. Nested ones become flat keys.',
  ),
  exclude: names('Fields to leave out, nested too: ["body", "user.avatar_url"].'),
  mode: choice(['include', 'exclude'], 'What `fields` means: include (default) or exclude.'),
})

export const structureParams = z.object({
  max_depth: count('How many levels of nested fields to show. Default 3.', 1),
})

/** In a search, `mode` is that of the search: fields are included, or excluded with `exclude`. */
export const fieldsParams = projectionParams.omit({ mode: true })

const offset = count('Rows to skip; default 0. Each answer names the next offset.')

export const filterParams = z.object({
  ...selectParams.shape,
  ...whereParams.shape,
  ...aggregateParams.shape,
  ...sortParams.shape,
  ...projectionParams.shape,
  offset,
  limit: count('Most rows to show; default 50, or what fits. Counts are always over everything.', 1),
})

export const searchParams = z.object({
  ...searchStepParams.shape,
  ...selectParams.shape,
  ...fieldsParams.shape,
  offset,
})

export const exploreParams = z.object({ ...selectParams.shape, ...structureParams.shape, offset })
