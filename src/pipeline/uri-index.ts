/** What a server's list says of resources, in a form that answers at once. Made once a list and shared by all clients that see it. */
import { isObject, type JsonObject, own } from '../protocol/json.ts'
import { VIEW_MEMBERS } from '../protocol/uri-rewrite.ts'
import type { ListKind } from '../upstream/upstreams.ts'
import { parseTemplate, type UriTemplate } from './uri-template.ts'

/** Lists that name resources: those of resources, and tools, whose views are resources (MCP Apps). */
export type UriKind = Exclude<ListKind, 'prompts'>

export interface UriIndex {
  readonly uris: ReadonlySet<string>
  /** By the template as the server wrote it. */
  readonly templates: ReadonlyMap<string, UriTemplate>
}

const EMPTY: UriIndex = { uris: new Set(), templates: new Map() }

const indexes = new WeakMap<readonly JsonObject[], UriIndex>()

/** The items are a list that nobody changes: the catalogue makes a new one for every change. */
export function indexOf(kind: UriKind, items: readonly JsonObject[] | undefined): UriIndex {
  if (items === undefined || items.length === 0) return EMPTY
  const known = indexes.get(items)
  if (known) return known
  const index = READERS[kind](items)
  indexes.set(items, index)
  return index
}

const READERS: Readonly<Record<UriKind, (items: readonly JsonObject[]) => UriIndex>> = {
  resources: (items) => ({ ...EMPTY, uris: new Set(strings(items.map((item) => own(item, 'uri')))) }),
  resourceTemplates: (items) => ({
    ...EMPTY,
    templates: new Map(
      strings(items.map((item) => own(item, 'uriTemplate'))).map((text) => [text, parseTemplate(text)]),
    ),
  }),
  tools: (items) => {
    const uris = new Set(items.flatMap((item) => viewsOf(item)))
    return uris.size === 0 ? EMPTY : { ...EMPTY, uris }
  },
}

/** The resources that show what a tool answers. */
function viewsOf(holder: JsonObject): string[] {
  const meta = own(holder, '_meta')
  if (!isObject(meta)) return []
  const ui = own(meta, 'ui')
  return strings([
    isObject(ui) ? own(ui, 'resourceUri') : undefined,
    ...VIEW_MEMBERS.map((member) => own(meta, member)),
  ])
}

function strings(values: readonly unknown[]): string[] {
  return values.filter((value) => typeof value === 'string')
}
