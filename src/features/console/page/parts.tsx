/** The parts of the pages: numbers in words, tables, bars, notes and buttons. All text of others is a text node. */
import { type ComponentChildren, Fragment } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { go, type Refusal } from './client.ts'

// Numbers.

const whole = new Intl.NumberFormat('en')

export const count = (value: number): string => whole.format(Math.round(value))

/** `1.94 M`, `12.3 k`, `840`: three digits that tell. */
export function short(value: number): string {
  const size = Math.abs(value)
  const [by, unit] =
    size >= 999_500_000 ? [1e9, ' G'] : size >= 999_500 ? [1e6, ' M'] : size >= 10_000 ? [1e3, ' k'] : [1, '']
  if (by === 1) return count(value)
  const scaled = value / by
  return `${scaled.toFixed(Math.abs(scaled) >= 100 ? 0 : Math.abs(scaled) >= 10 ? 1 : 2)}${unit}`
}

export function bytes(value: number): string {
  const units = ['B', 'KB', 'MB', 'GB']
  let at = 0
  let left = value
  while (left >= 999.5 && at < units.length - 1) {
    left /= 1000
    at++
  }
  return `${left.toFixed(at === 0 || left >= 99.95 ? 0 : 1)} ${units[at]}`
}

export const ms = (value: number): string =>
  value >= 10_000
    ? `${(value / 1000).toFixed(1)} s`
    : value >= 100
      ? `${Math.round(value)} ms`
      : `${value.toFixed(1)} ms`

export const percent = (part: number, of: number): string =>
  of <= 0 ? '–' : `${Math.round((100 * part) / of)} %`

/** `12 s`, `5 min`, `3 h`, `4 d`. */
export function lasted(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000))
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`
  if (seconds < 172_800) return `${Math.floor(seconds / 3_600)} h`
  return `${Math.floor(seconds / 86_400)} d`
}

export const ago = (at: number, now = Date.now()): string => `${lasted(now - at)} ago`

export const clock = (at: number): string => new Date(at).toLocaleTimeString('en-GB')

export const plural = (value: number, noun: string): string =>
  `${count(value)} ${noun}${value === 1 ? '' : 's'}`

// Notes.

/** A page's head: what it is, and what can be done with all of it. */
export function Head({
  title,
  about,
  children,
}: {
  title: string
  about?: string
  children?: ComponentChildren
}) {
  return (
    <header class="head">
      <div>
        <h1>{title}</h1>
        {about && <p class="quiet">{about}</p>}
      </div>
      {children && <div class="actions">{children}</div>}
    </header>
  )
}

export function Empty({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      <div>{children}</div>
    </div>
  )
}

export function Trouble({ error }: { error: Pick<Refusal, 'message' | 'remedy'> | undefined }) {
  if (!error) return null
  return (
    <div class="trouble" role="alert">
      <p>{error.message}</p>
      {error.remedy && <p class="remedy">{error.remedy}</p>}
    </div>
  )
}

/** A note that data is being read, or why it is not. */
export function Loading({ error }: { error: Refusal | undefined }) {
  return error ? (
    <Trouble error={error} />
  ) : (
    <p class="quiet" aria-busy="true">
      Reading…
    </p>
  )
}

// Buttons.

interface ButtonProps {
  children: ComponentChildren
  onClick: () => unknown
  kind?: 'main' | 'danger' | 'plain' | 'usual'
  disabled?: boolean
  pressed?: boolean
  label?: string
}

export function Button({ children, onClick, kind, disabled, pressed, label }: ButtonProps) {
  return (
    <button
      type="button"
      class={kind ?? 'usual'}
      disabled={disabled ?? false}
      aria-pressed={pressed}
      aria-label={label}
      onClick={() => void onClick()}
    >
      {children}
    </button>
  )
}

/** A button that asks once more before it does what cannot be undone. */
export function Sure({ children, onClick }: { children: string; onClick: () => unknown }) {
  const [asked, setAsked] = useState(false)
  useEffect(() => {
    if (!asked) return
    const timer = setTimeout(() => setAsked(false), 4_000)
    return () => clearTimeout(timer)
  }, [asked])
  return (
    <Button
      kind={asked ? 'danger' : 'usual'}
      onClick={() => {
        setAsked(!asked)
        if (asked) onClick()
      }}
    >
      {asked ? `${children} – sure?` : children}
    </Button>
  )
}

export function Copy({ text, children = 'Copy' }: { text: string; children?: string }) {
  const [done, setDone] = useState(false)
  return (
    <Button
      onClick={async () => {
        await navigator.clipboard.writeText(text)
        setDone(true)
        setTimeout(() => setDone(false), 1_500)
      }}
    >
      {done ? 'Copied' : children}
    </Button>
  )
}

export function Field({
  label,
  children,
  wide,
}: {
  label: string
  children: ComponentChildren
  wide?: boolean
}) {
  return (
    <label class={wide ? 'field wide' : 'field'}>
      <span>{label}</span>
      {children}
    </label>
  )
}

export function Choice<T extends string>(props: {
  label: string
  value: T
  of: readonly T[]
  onChange: (value: T) => void
}) {
  const { label, value, of, onChange } = props
  return (
    <fieldset class="choice">
      <legend class="hidden">{label}</legend>
      {of.map((one) => (
        <Button key={one} kind="plain" pressed={one === value} onClick={() => onChange(one)}>
          {one}
        </Button>
      ))}
    </fieldset>
  )
}

// Figures.

/** Figures in a line, the first of them the one that counts. */
export function Figures({
  of,
}: {
  of: readonly { name: string; value: string; note?: string; sign?: string }[]
}) {
  return (
    <dl class="figures">
      {of.map(({ name, value, note, sign }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd data-sign={sign}>
            {value}
            {note && <small>{note}</small>}
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** A share as a bar of text height. */
export function Share({ part, of, label }: { part: number; of: number; label: string }) {
  const width = of <= 0 ? 0 : Math.max(0, Math.min(100, (100 * part) / of))
  return (
    <span class="share" title={label}>
      <span class="share-bar" style={{ width: `${width}%` }} />
    </span>
  )
}

export interface Column<T> {
  name: string
  of: (row: T) => ComponentChildren
  /** Numbers stand at the right. */
  number?: boolean
  /** Left out on narrow screens. */
  extra?: boolean
}

export function Table<T>(props: {
  caption: string
  rows: readonly T[]
  columns: readonly Column<T>[]
  keyOf: (row: T) => string | number
}) {
  const { caption, rows, columns, keyOf } = props
  const kind = ({ number, extra }: Column<T>) => [number ? 'number' : '', extra ? 'extra' : ''].join(' ')
  return (
    <div class="scroll">
      <table>
        <caption class="hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.name} scope="col" class={kind(column)}>
                {column.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map((column) => (
                <td key={column.name} class={kind(column)}>
                  {column.of(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

// A page that is a list: the calls, the results, the tools. The opened row stands beside it, by its id in the address.

export interface ListColumn<T> {
  name: string
  /** `grow` takes the room that is left; `who` and `time` are left out where there is little. */
  kind: 'time' | 'grow' | 'who' | 'number'
  of: (row: T) => ComponentChildren
}

interface ListProps<T> {
  /** In the address. */
  page: string
  label: string
  rows: readonly T[]
  columns: readonly ListColumn<T>[]
  idOf: (row: T) => string
}

export function List<T>({
  open,
  title,
  wide,
  none,
  children,
  ...list
}: ListProps<T> & {
  /** The id of what is opened. */
  open: string | undefined
  title: (row: T | undefined) => string
  /** The opened row needs more room than the list. */
  wide?: boolean
  /** In the place of a list without rows. */
  none: ComponentChildren
  /** The content of the opened row; undefined: it is not in the list. */
  children: (row: T | undefined, id: string) => ComponentChildren
}) {
  const isOpen = open !== undefined && open !== ''
  const chosen = isOpen ? list.rows.find((row) => list.idOf(row) === open) : undefined
  return (
    <div class={`split${isOpen ? ' open' : ''}${isOpen && wide ? ' wide' : ''}`}>
      {list.rows.length === 0 ? none : <Rows {...list} open={open} />}
      {isOpen && (
        <Drawer title={title(chosen)} onClose={() => go(list.page)}>
          <Fragment key={open}>{children(chosen, open)}</Fragment>
        </Drawer>
      )}
    </div>
  )
}

// Many rows: those alone are in the page that can be seen.

const ROW = 40
const AROUND = 8

function Rows<T>({ page, label, rows, columns, idOf, open }: ListProps<T> & { open: string | undefined }) {
  const onOpen = (row: T) => go(page, idOf(row))
  const place = useRef<HTMLDivElement>(null)
  const [top, setTop] = useState(0)
  const [height, setHeight] = useState(600)
  const [at, setAt] = useState<string>()
  useEffect(() => {
    const { current } = place
    if (!current) return
    const watch = new ResizeObserver(() => setHeight(current.clientHeight))
    watch.observe(current)
    return () => watch.disconnect()
  }, [])
  // A person who came by a key, or closed an open row, goes on by keys. A link or a field that has the focus keeps it.
  useEffect(() => {
    if (document.activeElement === document.body) place.current?.focus({ preventScroll: true })
  }, [open])
  const first = Math.max(0, Math.floor(top / ROW) - AROUND)
  const last = Math.min(rows.length, Math.ceil((top + height) / ROW) + AROUND)
  const marked = rows.findIndex((one) => idOf(one) === at)

  function move(to: number): void {
    const next = rows[Math.max(0, Math.min(rows.length - 1, to))]
    if (next === undefined || !place.current) return
    setAt(idOf(next))
    const y = rows.indexOf(next) * ROW
    const { scrollTop, clientHeight } = place.current
    if (y < scrollTop) place.current.scrollTop = y
    else if (y + 2 * ROW > scrollTop + clientHeight) place.current.scrollTop = y + 2 * ROW - clientHeight
  }

  function onKeyDown(event: KeyboardEvent): void {
    const page = Math.floor(height / ROW) - 1
    const steps: Record<string, number> = {
      ArrowDown: marked + 1,
      ArrowUp: marked - 1,
      PageDown: marked + page,
      PageUp: marked - page,
      Home: 0,
      End: rows.length - 1,
    }
    const step = steps[event.key]
    if (step !== undefined) move(step)
    else if (event.key === 'Enter' && rows[marked] !== undefined) onOpen(rows[marked])
    else return
    event.preventDefault()
  }

  return (
    <div
      class="rows"
      role="grid"
      aria-label={label}
      aria-rowcount={rows.length + 1}
      tabIndex={0}
      aria-activedescendant={marked < 0 ? undefined : rowId(at)}
      ref={place}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      onKeyDown={onKeyDown}
    >
      <div class="row rows-head" role="row" aria-rowindex={1}>
        {columns.map(({ name, kind }) => (
          <span key={name} role="columnheader" class={`cell ${kind}`}>
            {name}
          </span>
        ))}
      </div>
      <div role="rowgroup" class="rows-body" style={{ height: `${rows.length * ROW}px` }}>
        {rows.slice(first, last).map((one, nth) => {
          const id = idOf(one)
          return (
            <div
              key={id}
              id={rowId(id)}
              role="row"
              aria-rowindex={first + nth + 2}
              aria-selected={id === open}
              class={`row${id === at ? ' marked' : ''}`}
              style={{ transform: `translateY(${(first + nth) * ROW}px)` }}
              onClick={() => {
                setAt(id)
                onOpen(one)
              }}
            >
              {columns.map(({ name, kind, of }) => (
                <span key={name} role="gridcell" class={`cell ${kind}`}>
                  {of(one)}
                </span>
              ))}
            </div>
          )
        })}
      </div>
    </div>
  )
}

/** An id of a page has no blanks. */
const rowId = (id: string | undefined) => `row-${encodeURIComponent(id ?? '')}`

/** Something that was opened, beside or above the list that it is from. Escape closes it. */
function Drawer({
  title,
  onClose,
  children,
}: {
  title: string
  onClose: () => void
  children: ComponentChildren
}) {
  const close = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const before = document.activeElement as HTMLElement | null
    close.current?.querySelector('button')?.focus()
    const onKey = (event: KeyboardEvent) => event.key === 'Escape' && onClose()
    addEventListener('keydown', onKey)
    return () => {
      removeEventListener('keydown', onKey)
      before?.focus()
    }
  }, [])
  return (
    <aside class="drawer" aria-label={title}>
      <div class="drawer-head" ref={close}>
        <h2>{title}</h2>
        <Button onClick={onClose} label="Close">
          Close
        </Button>
      </div>
      <div class="drawer-body">{children}</div>
    </aside>
  )
}

/** Text as it is, in a box that scrolls. */
export function Code({ text, label }: { text: string; label: string }) {
  return (
    <pre class="code" tabIndex={0} role="region" aria-label={label}>
      {text}
    </pre>
  )
}

export const pretty = (value: unknown): string => JSON.stringify(value, null, 2) ?? ''

// Differences of two texts, line by line (longest common subsequence; long texts by their ends alone).

const MOST_CELLS = 4_000_000

export function Difference({ before, after, label }: { before: string; after: string; label: string }) {
  const lines = differ(before.split('\n'), after.split('\n'))
  if (lines.every(({ sign }) => sign === ' ')) return <p class="quiet">Nothing is different.</p>
  const shown = lines.filter((_, at) =>
    lines.slice(Math.max(0, at - 3), at + 4).some(({ sign }) => sign !== ' '),
  )
  return (
    <pre class="code difference" tabIndex={0} role="region" aria-label={label}>
      {shown.map(({ sign, text }, at) => (
        <span
          key={at}
          class={sign === '+' ? 'added' : sign === '-' ? 'removed' : ''}
        >{`${sign} ${text}\n`}</span>
      ))}
    </pre>
  )
}

interface Line {
  sign: '+' | '-' | ' '
  text: string
}

function differ(before: string[], after: string[]): Line[] {
  const as = (sign: Line['sign'], texts: string[]): Line[] => texts.map((text) => ({ sign, text }))
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start++
  let end = 0
  const room = Math.min(before.length, after.length) - start
  while (end < room && before[before.length - 1 - end] === after[after.length - 1 - end]) end++
  const [a, b] = [before.slice(start, before.length - end), after.slice(start, after.length - end)]
  const middle = a.length * b.length > MOST_CELLS ? [...as('-', a), ...as('+', b)] : common(a, b)
  return [...as(' ', before.slice(0, start)), ...middle, ...as(' ', before.slice(before.length - end))]
}

function common(a: string[], b: string[]): Line[] {
  const width = b.length + 1
  const longest = new Uint32Array((a.length + 1) * width)
  const at = (i: number, j: number): number => longest[i * width + j] ?? 0
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      longest[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
  const lines: Line[] = []
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ sign: ' ', text: a[i++] ?? '' })
      j++
    } else if (i < a.length && (j >= b.length || at(i + 1, j) >= at(i, j + 1)))
      lines.push({ sign: '-', text: a[i++] ?? '' })
    else lines.push({ sign: '+', text: b[j++] ?? '' })
  }
  return lines
}
