/** The fields a projection is asked for, in the spellings of other languages: renamed, by pattern, several of one object. */

import { fitsGlob } from '../../text/patterns/glob.ts'
import { aggregateNamed } from '../language/aggregates.ts'
import { functionNamed } from '../language/functions.ts'
import { formatPath, named } from './path.ts'
import type { Records } from './records.ts'

/** A field as a model names it, and what it is to be called. */
export interface Wanted {
  reference: string
  as?: string
}

/** The fields to show, and the fields to leave out: `-body`. */
export interface WantedFields {
  shown: Wanted[]
  left: string[]
}

/** Fields that one pattern may stand for. */
const MOST_MATCHES = 200

/** Reads `a as b`, `b: a`, `{a, b: .c.d}`, `user{login id}`, `user.*`, `*_at`, `-body`. */
export function readWanted(fields: readonly string[], records: Records | undefined): WantedFields {
  const isField = (name: string): boolean => records?.names().has(name) ?? false
  const read: WantedFields = { shown: [], left: [] }
  for (const [at, written] of rejoined(withoutBraces(fields), records).entries()) {
    const plain = (at === 0 ? written.replace(/^select\s+(?=\S)/i, '') : written).trim()
    if (isField(plain)) read.shown.push({ reference: plain })
    else if (/^[-!]\s*[\w$@["]/.test(plain) && !/^-\d[\d.]*\s+as\s/i.test(plain))
      read.left.push(plain.slice(1).trim())
    else for (const one of grouped(plain)) read.shown.push(...renamed(one, records))
  }
  return read
}

/** Parts that a name with commas of its own was cut into at most. */
const MOST_PARTS = 8

/**
 * Names that were cut at commas, where the parts of one field are that field again: `In general, is it rude?`. An order, a part of a date or
 * another name may stand around it.
 */
export function rejoined(names: readonly string[], records: Records | undefined): readonly string[] {
  if (!records || names.length < 2) return names
  const own = new Map<string, string>()
  for (const name of records.names().keys()) if (name.includes(',')) own.set(asWritten(name), name)
  if (own.size === 0) return names
  const read: string[] = []
  for (let at = 0; at < names.length; ) {
    let [length, text] = [1, names[at] as string]
    for (let count = Math.min(MOST_PARTS, names.length - at); count > 1; count--) {
      const together = names.slice(at, at + count).join(',')
      const [, before = '', bare = '', after = ''] =
        /^([-!]\s*)?(.*?)(\s+(?:asc|desc|as\s+\S+)|:\w+)?$/is.exec(together) ?? []
      const name = own.get(bare)
      if (name === undefined) continue
      ;[length, text] = [count, `${before}${name}${after}`]
      break
    }
    read.push(text)
    at += length
  }
  return read
}

/** `["a, b"]` and `x["a, b"]` as `a,b` and `x.a,b`. */
function asWritten(name: string): string {
  return name
    .replaceAll(/\[("(?:[^"\\]|\\.)*")\]/g, (_, key: string) => `.${JSON.parse(key)}`)
    .replace(/^\./, '')
    .replaceAll(/,\s*/g, ',')
}

/** `{a, b}` is cut at its comma before it comes here. */
function withoutBraces(fields: readonly string[]): string[] {
  const [first = '', last = ''] = [fields[0], fields.at(-1)]
  if (!first.startsWith('{') || !last.endsWith('}')) return [...fields]
  return fields
    .map((field, at) => (at === 0 ? field.slice(1) : field))
    .map((field, at, all) => (at === all.length - 1 ? field.slice(0, -1) : field))
    .map((field) => field.trim())
    .filter((field) => field !== '')
}

/** `user{login id}` and `user(login,id)` as `user.login`, `user.id`; what stands before a blank is a field of its own. */
function grouped(written: string): string[] {
  const [, before = '', name, bracket, inner] =
    /^(?:(.*\S)\s+)?([\w$@.[\]*-]+)\s*([{(])\s*([\w$@.,\s*-]+?)\s*[})]$/s.exec(written) ?? []
  if (name === undefined || inner === undefined || (bracket === '(' && isCall(name))) return [written]
  const inside = inner.split(/[\s,]+/).filter((part) => part !== '')
  return [...before.split(/[\s,]+/).filter((part) => part !== ''), ...inside.map((part) => `${name}.${part}`)]
}

/** `lower(title)` is a call, not the field `lower.title`. */
function isCall(name: string): boolean {
  return functionNamed(name) !== undefined || aggregateNamed(name) !== undefined || /^case$/i.test(name)
}

/** A number, or a text in quotes as SQL has them. */
const CONSTANT = /^(?:[-+]?\d+(?:\.\d+)?|'[^']*')$/

function renamed(written: string, records: Records | undefined): Wanted[] {
  const [, source, alias] = /^(.+?)\s+as\s+["'`]?([\w .-]+?)["'`]?$/is.exec(written) ?? []
  // A value with a name of its own is the same in each row.
  if (source !== undefined && alias !== undefined && CONSTANT.test(source.trim()))
    return [{ reference: `coalesce(${source.trim()})`, as: alias }]
  if (source !== undefined && alias !== undefined) return [{ reference: source.trim(), as: alias }]
  const [, name, field] = /^["']?([\w -]+)["']?\s*:\s*(\S.*)$/s.exec(written) ?? []
  if (
    name !== undefined &&
    field !== undefined &&
    !hasColon(records, `${name}:${/^[\w-]*/.exec(field)?.[0]}`)
  )
    return [{ reference: field.trim().replace(/^\.(?=\w)/, ''), as: name.trim() }]
  // `total = price * qty`, as LINQ and R have it.
  const [, result, formula] = /^([\p{L}_][\w ]*?)\s*=\s*(?![=~])(\S.*[-+*/(].*)$/su.exec(written) ?? []
  // `state = in-progress` of a field is a condition.
  const isField = (name: string): boolean =>
    records !== undefined && (records.names().has(name) || records.names().has(formatPath([named(name)])))
  if (result !== undefined && formula !== undefined && !isField(result))
    return [{ reference: formula, as: result }]
  const bare = written.replace(/^\.(?=[\w[])/, '')
  const matching = records && /\*/.test(bare.replaceAll(/\[\*?\]/g, '')) ? matches(bare, records) : []
  return matching.length > 0 ? matching.map((reference) => ({ reference })) : [{ reference: bare }]
}

/** True where some field has such a name: `media:content` is no renaming. */
function hasColon(records: Records | undefined, name: string): boolean {
  return [...(records?.names().keys() ?? [])].some((known) => known.includes(name))
}

/** The names that a pattern stands for; none where it goes through a map, because its keys are data. */
function matches(pattern: string, records: Records): string[] {
  const plain = pattern.replace(/^\$?\.?/, '').replaceAll(/\[\*?\]/g, '')
  const wanted = plain.toLowerCase().split('.')
  if (wanted.every((part) => part === '*')) return []
  const names = [...records.names().keys()]
  if (names.some((name) => name.includes('.*') && plain.startsWith(name.slice(0, name.indexOf('.*') + 1))))
    return []
  return names
    .filter((name) => {
      const steps = name.includes('[') ? [name] : name.split('.')
      return (
        steps.length === wanted.length &&
        wanted.every((part, at) => fitsGlob((steps[at] ?? '').toLowerCase(), part))
      )
    })
    .slice(0, MOST_MATCHES)
}
