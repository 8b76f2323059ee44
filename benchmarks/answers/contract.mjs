/**
 * The terms that the parts of the benchmark agree on. Nothing here, in `payloads/` or in `questions/` uses the product: the gold must be
 * right even where the product is wrong.
 *
 * @typedef {string[]} Way
 * Keys from a record (or the root) inwards. `[]` stands for every element of a list or every value of a map, `_key` for the key of a
 * record in its map. `['labels', '[]', 'name']` is the names of all labels. `[]` (no key) is the thing itself.
 *
 * @typedef {object} Collection
 * @property {Way} at                from the root to the list or map; no key for the root itself
 * @property {boolean} keyed         records of a map
 * @property {unknown[]} records     in document order; records of a map of objects are copies with `_key` added
 *
 * @typedef {object} Payload
 * @property {string} name           file name, with `minified` or `pretty` added for JSON
 * @property {'json'|'ndjson'|'csv'|'log'|'markdown'|'html'|'text'} kind
 * @property {string} text           what the server returns, as one text block
 * @property {string} source         what it comes from: all forms of one file share it (the cluster of the bootstrap)
 * @property {unknown} [data]        parsed JSON
 * @property {Collection[]} collections   the largest first; of NDJSON, CSV and log (lines as records) one, at `[]`
 * @property {string[]} [lines]      of log and text
 * @property {{title: string, level: number, text: string}[]} [sections]  of Markdown and HTML
 *
 * @typedef {object} Condition       must hold for some value at `field`
 * @property {Way} field
 * @property {'='|'!='|'>'|'>='|'<'|'<='|'contains'} op
 * @property {string|number|boolean} value
 *
 * @typedef {object} Ask             the question as a reader understands it: what the words say and nothing more
 * @property {Way} [collection]      which list or map is meant; absent for text, and for a value of the document itself (`want` from the root)
 * @property {Condition[]} [where]   all must hold
 * @property {Way} [want]            the field that answers
 * @property {'count'|'sum'|'average'|'min'|'max'} [aggregate]
 * @property {Way} [of]              what is summed or averaged
 * @property {Way} [by]              what is grouped by; the answer is a count for each value (with `k`: of the k most frequent)
 * @property {{field: Way, descending: boolean}} [order]
 * @property {number} [k]            how many of the order
 * @property {string} [words]        what is looked for in text (needle: verbatim; relevance: a question in words). With a collection: the
 * records (lines, in a log) that hold it anywhere, to be counted or to give their `want`
 * @property {'fields'|'records'} [structure]   names of the fields of the records, or how many records
 * @property {{payload: string, collection: Way, on: Way, equals: Way, want: Way}} [join]
 * the value at `on` of the found records is looked up. The result is the records of the other collection (of the payload of that name)
 * with the same value at `equals`, and their `want`
 *
 * @typedef {{value: unknown} | {number: number} | {set: unknown[]} | {list: unknown[]} | {table: [unknown, number][]} | {contains: string} | {none: true}} Gold
 * `value`: exactly it. `number`: within a ten-thousandth. `set`: all of it and nothing else, in any order. `list`: in this order.
 * `table`: each group with its count. `contains`: the answer is a passage, row or line that holds this text. `none`: no such thing exists.
 *
 * @typedef {object} Question
 * @property {string} id
 * @property {'lookup'|'filter'|'count'|'group'|'sum'|'average'|'top-k'|'needle'|'join'|'structure'|'absent'|'relevance'|'log'} type
 * @property {string} payload        name of the payload
 * @property {string} text           in words, with field names as a user would say them
 * @property {Ask} ask
 * @property {Gold} gold             seen by `score.mjs` alone
 *
 * @typedef {object} Session         one conversation; all that goes into the model's context passes here and is counted
 * @property {(name: string, args: object) => Promise<Reply>} call   one trip
 * @property {number} trips
 *
 * @typedef {object} Reply
 * @property {string} text
 * @property {boolean} isError
 *
 * @typedef {{answer: unknown} | {none: true} | {unanswered: string}} Answer
 * The reply of the agent. It gives an answer in the shape of the gold (value, number, array, array of pairs, passage). Or it says that
 * none exists, or that it cannot tell and why. An agent that has seen a part only does not guess.
 *
 * @typedef {object} System          one way to give a model access to a result
 * @property {string} name
 * @property {(payloads: Payload[]) => Promise<{definitions: string, open(payload: Payload): Promise<Session>, answer(question: Question, session: Session, policy: 'naive'|'expert'): Promise<Answer>, close(): Promise<void>}>} start
 *   `definitions`: the text a model has in its context for these tools (definitions as JSON, and the instructions)
 */

/** The types in the order of the tables. */
export const TYPES = [
  'lookup',
  'filter',
  'count',
  'group',
  'sum',
  'average',
  'top-k',
  'needle',
  'join',
  'structure',
  'absent',
  'relevance',
  'log',
]

/** A way in the words of a user: `user.login`, `labels.name`. */
export function say(way) {
  return way.filter((key) => key !== '[]').join('.')
}
