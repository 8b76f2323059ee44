/**
 * jq: a whole program as the parameters of a filter, `.items[] | select(.n > 5) | {id, who: .user.login}`. A program that this does not
 * read to its end is not read at all: its condition alone is found in `jq.ts`. JMESPath writes what is shown much the same: `items[].{id: id}`.
 */
import { enclosed, splitAt } from '../scanner.ts'
import { withoutCommand } from './jq.ts'
import type { SelectParams } from './sql.ts'

/** The question in a program; undefined where it is none, only a condition, or not all of it can be said by parameters. */
export function readProgram(text: string): SelectParams | undefined {
  const source = withoutCommand(text)
  if (source === undefined || !BEGINNING.test(source)) return undefined
  const program = new Program()
  return program.take(stagesOf(source)) ? program.params() : undefined
}

const BEGINNING = /^(?:[.[\w$]\S*\s*\||\[\s*\.|(?:map|group_by|sort_by|unique_by|limit)\b|[\w.[\]*]+\.[[{])/

/** A name with what leads to it, from the record: `.user.login`, `.labels[].name`, `."a b"`. */
const PLACE = /^\.?(?:[\w$@-]+|"[^"]+"|\[\*?\]|\[-?\d+\]|\["[^"]+"\]|\.|\?)+$/
const PLAIN = /^[\w$]+$/

/** True for comparisons alone, which read values leniently. Others are run as jq. */
function isPlain(condition: string): boolean {
  return !/\|(?!\s*length\s*(?:[=<>!]|$))|\w\(/.test(condition.replaceAll(/"[^"]*"/g, '""'))
}

function stagesOf(source: string): string[] {
  const apart = source.replace(/(?<=[\w\]])\.(?=\{[^{}]*\}$|\[[^[\]]*[A-Za-z,][^[\]]*\]$)/, ' | ')
  return splitAt(apart, ['|'], { strict: true }).flatMap((part, at) => {
    const inner = at === 0 ? enclosed(part, '[') : enclosed(part)
    return inner === undefined ? [part] : ['[', ...stagesOf(inner), ']']
  })
}

/** The argument of a call: of `sort_by(.a)` with the name `sort_by`, `.a`. */
function argument(stage: string, name: string): string | undefined {
  return stage.startsWith(`${name}(`) ? enclosed(stage.slice(name.length)) : undefined
}

class Program {
  #path = ''
  #isList = false
  /** The next stages are about each element. */
  #isMapped = false
  readonly #where: string[] = []
  #fields: string[] | undefined
  #groups: string[] | undefined
  #unique = false
  #aggregates: string[] | undefined
  #sort: string[] = []
  #limit: number | undefined

  /** False: a stage is not read. */
  take(stages: readonly string[]): boolean {
    return stages.every((stage) => this.#take(stage))
  }

  /** Undefined for a path, or a condition alone, which are read where they stand. */
  params(): SelectParams | undefined {
    const path = this.#path.replace(/^\.(?!\.)/, '').replaceAll('?', '')
    const fields = this.#aggregates ? undefined : this.#fields
    if (!fields && !this.#groups && !this.#aggregates && this.#sort.length === 0 && this.#limit === undefined)
      return undefined
    return {
      ...(path !== '' && path !== '[]' && { path }),
      ...(this.#where.length > 0 && { where: this.#where }),
      ...(fields && !this.#groups && { fields }),
      ...(this.#groups && { group_by: this.#groups }),
      ...(this.#aggregates && { aggregate: this.#aggregates }),
      ...(this.#sort.length > 0 && { sort: this.#sort }),
      ...(this.#limit !== undefined && { limit: this.#limit }),
    }
  }

  #take(stage: string): boolean {
    if (stage === '[') {
      this.#isList = true
      return true
    }
    if (/^(?:\]|\.|\.\[\]|values|tojson|@(?:tsv|csv|json|text))$/.test(stage)) return this.#opened(stage)
    const inner = argument(stage, 'map')
    if (inner !== undefined) {
      const [, ...more] = stagesOf(inner)
      if (!this.#groups && more.some((one) => !/^(?:select\(|[.{])/.test(one))) return false
      this.#isList = true
      this.#isMapped = true
      return this.#groups ? this.#shown(inner) : this.take(stagesOf(inner))
    }
    const condition = argument(stage, 'select')
    if (condition !== undefined)
      return isPlain(condition) && !this.#fields && !this.#groups && this.#where.push(condition.trim()) > 0
    return this.#ordered(stage) || this.#reduced(stage) || this.#placed(stage) || this.#shown(stage)
  }

  /** The elements of what the path leads to. */
  #opened(stage: string): boolean {
    if (stage === '.[]' && this.#isFresh()) this.#path += '[]'
    return true
  }

  /** True while nothing is said but where the records are. */
  #isFresh(): boolean {
    return this.#where.length === 0 && !this.#fields && !this.#groups && this.#sort.length === 0
  }

  #ordered(stage: string): boolean {
    const by = argument(stage, 'sort_by') ?? argument(stage, 'max_by') ?? argument(stage, 'min_by')
    if (by !== undefined) {
      const signed = splitAt(by, [',']).map((one) => /^(-?)\s*(.*)$/s.exec(one) ?? [])
      if (!signed.every(([, , name = '']) => name.startsWith('.') && PLACE.test(name))) return false
      const isMost = stage.startsWith('max_by')
      this.#sort = signed.map(
        ([, sign, name = '']) => ((sign === '-') === isMost ? '' : '-') + this.#field(name),
      )
      if (!stage.startsWith('sort_by')) this.#limit = 1
      return true
    }
    if (stage === 'reverse' && this.#sort.length > 0) {
      this.#sort = this.#sort.map((name) => (name.startsWith('-') ? name.slice(1) : `-${name}`))
      return true
    }
    const [, most, rest] = /^limit\((\d+);(.*)\)$/s.exec(stage) ?? []
    const [, first] = /^\.\[0?:(\d+)\]$/.exec(stage) ?? []
    const isFirst = stage === 'first' || stage === '.[0]'
    if ((!isFirst && first === undefined && most === undefined) || this.#limit !== undefined) return false
    this.#limit = Number(most ?? first ?? 1)
    this.#isList = true
    return rest === undefined || this.take(stagesOf(rest))
  }

  /** The value that is computed of all: `length`, `add`, `group_by(.a)`. */
  #reduced(stage: string): boolean {
    const by = argument(stage, 'group_by') ?? argument(stage, 'unique_by')
    const [only, another] = this.#fields ?? []
    if (by !== undefined) {
      const names = splitAt(by, [','])
      if (this.#groups || !names.every((name) => PLACE.test(name))) return false
      this.#groups = names.map((name) => this.#field(name))
      return true
    }
    if (stage === 'length') {
      if (!this.#isList || (this.#groups && !this.#unique)) return false
      this.#aggregates = [this.#unique ? `distinct(${this.#groups?.join(', ')})` : 'count']
      this.#groups = undefined
      return true
    }
    if (only === undefined || another !== undefined || this.#groups || !this.#isList) return false
    if (stage === 'unique') {
      this.#groups = [only]
      this.#unique = true
    } else if (/^(?:add|min|max)$/.test(stage))
      this.#aggregates = [`${stage === 'add' ? 'sum' : stage}(${only})`]
    else if (/^add\s*\/\s*length$/.test(stage)) this.#aggregates = [`avg(${only})`]
    else return false
    return true
  }

  /** A place: on the way to the records, or the one field to show. */
  #placed(stage: string): boolean {
    // JMESPath begins without a dot; later a word alone is a function.
    if (!PLACE.test(stage) || (!stage.startsWith('.') && (this.#path !== '' || this.#isList))) return false
    if (this.#groups) return false
    if (!this.#isFresh() || this.#isMapped || this.#path.endsWith('[]')) this.#fields = [this.#field(stage)]
    else this.#path += stage
    return true
  }

  /** The fields that are shown of each record: `{id, who: .user.login}`, `[.id, .name]`, `.id, .name`, `"\(.id): \(.name)"`. */
  #shown(stage: string): boolean {
    const object = enclosed(stage, '{')
    const within = object ?? enclosed(stage, '[')
    const parts = /^"/.test(stage)
      ? [...stage.matchAll(/\\\((\.[^()|]+)\)/g)].map(([, place = '']) => place)
      : splitAt(within ?? stage, [','])
    const isBare = within === undefined && !parts.every((part) => part.startsWith('.'))
    if (parts.length === 0 || isBare || (this.#fields && !this.#groups)) return false
    const columns = parts.map((part) => this.#column(part, object !== undefined))
    if (columns.includes(undefined)) return false
    const shown = columns.filter((one) => one !== undefined)
    if (this.#groups) this.#aggregates = shown.filter((one) => one !== '')
    else this.#fields = shown
    return true
  }

  /** One column, with its name; empty for what a group is known by anyway. */
  #column(part: string, isNamed: boolean): string | undefined {
    const [, quoted, bare, value] = /^(?:"([^"]+)"|([\w$]+))\s*:\s*(.+)$/s.exec(part) ?? []
    const name = isNamed ? (quoted ?? bare) : undefined
    const source = (isNamed ? value : undefined) ?? part
    const told = enclosed(source) ?? source
    const as = name === undefined ? '' : ` as ${PLAIN.test(name) ? name : JSON.stringify(name)}`
    if (this.#groups) {
      const [, key = ''] = /^\.\[0\](\..+)$/s.exec(told) ?? []
      if (key !== '') {
        const field = this.#field(key)
        const isOther = name !== undefined && name !== field && this.#groups.includes(field)
        if (isOther) this.#groups = this.#groups.map((one) => (one === field ? field + as : one))
        return ''
      }
      if (told === 'length') return `count${as}`
      const [, of = '', how = ''] =
        /^map\((\.[^()|]+)\)\s*\|\s*(add|min|max|add\s*\/\s*length)$/.exec(told) ?? []
      if (how === '') return undefined
      return `${/^add$/.test(how) ? 'sum' : how.includes('/') ? 'avg' : how}(${this.#field(of.trim())})${as}`
    }
    const [, counted] = /^(\.[^()|]+?)\s*\|\s*length$/.exec(told) ?? []
    if (counted !== undefined) return `length(${this.#field(counted)})${as}`
    if (!PLACE.test(told)) return undefined
    const field = this.#field(told)
    return field === name ? field : field + as
  }

  /** A field, as parameters call it. */
  #field(place: string): string {
    return place
      .trim()
      .replace(/^\.(?=.)/, '')
      .replaceAll('?', '')
  }
}
