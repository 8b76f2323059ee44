/** Where the records of parsed JSON are: lists of objects, and maps of objects of like shape, also across all parents. */

const FEWEST_IN_LIST = 5
const FEWEST_IN_MAP = 8
/** Objects of which a key in most is more than chance. */
const FEWEST_ALIKE = 5
const MOST_COLLECTIONS = 6
const DEEPEST = 12
/** Ways looked at before giving up: documents that are all shape and no records. */
const MOST_WAYS = 5_000

export const isObject = (value) => value !== null && typeof value === 'object' && !Array.isArray(value)

/**
 * Whether objects look like records of one kind: most share a core of fields, and the core is most of what they hold.
 * @param {object[]} values
 */
export function alike(values) {
  const presence = new Map()
  let held = 0
  for (const value of values) {
    for (const key of Object.keys(value)) presence.set(key, (presence.get(key) ?? 0) + 1)
    held += Object.keys(value).length
  }
  const core = [...presence.values()].filter((count) => count >= 0.6 * values.length)
  const shared = core.reduce((sum, count) => sum + count, 0)
  return core.length > 0 && shared >= 0.8 * core.length * values.length && shared >= 0.5 * held
}

/** Whether these objects, all found at one way, are maps: their keys name records, not fields. */
export function areMaps(nodes) {
  const values = nodes.flatMap((node) => Object.values(node))
  if (values.length < FEWEST_IN_MAP || !values.every(isObject)) return false
  const keys = new Set(nodes.flatMap((node) => Object.keys(node)))
  // Parents that all have the same few keys have fields, not records; with some keys in most of them it is open.
  if (keys.size < FEWEST_IN_MAP || (nodes.length >= FEWEST_ALIKE && shareKey(nodes))) return false
  return alike(values)
}

/** Whether some key is in most of these objects. */
function shareKey(nodes) {
  const presence = new Map()
  for (const key of nodes.flatMap((node) => Object.keys(node)))
    presence.set(key, (presence.get(key) ?? 0) + 1)
  return [...presence.values()].some((count) => count >= 0.6 * nodes.length)
}

/** Every list or map at a way, in document order. */
export function containersAt(data, at) {
  let nodes = [data]
  for (const key of at) {
    nodes = nodes.flatMap((node) => {
      if (node === null || typeof node !== 'object') return []
      if (key === '[]') return Object.values(node)
      return Object.hasOwn(node, key) ? [node[key]] : []
    })
  }
  return nodes.filter((node) => node !== null && typeof node === 'object')
}

/** The collection at a way: its records in document order, those of maps as copies with `_key`. */
function collectionOf(at, containers, keyed) {
  const records = containers.flatMap((container) =>
    keyed ? Object.entries(container).map(([key, value]) => ({ _key: key, ...value })) : container,
  )
  return { at, keyed, records }
}

/**
 * The collections of a document, the one that holds most text first.
 * @param {unknown} data parsed JSON
 * @returns {import('../contract.mjs').Collection[]}
 */
export function collectionsOf(data) {
  const found = []
  const queue = [{ at: [], nodes: [data] }]
  for (let next = 0; next < queue.length && next < MOST_WAYS; next++) {
    const { at, nodes } = queue[next]
    if (at.length > DEEPEST) continue
    const lists = nodes.filter(Array.isArray)
    if (lists.length > 0) {
      const elements = lists.flat(1)
      if (elements.length === 0) continue
      if (elements.length >= FEWEST_IN_LIST && elements.every(isObject) && lists.length === nodes.length) {
        found.push({ ...collectionOf(at, lists, false), size: JSON.stringify(lists).length })
      }
      queue.push({ at: [...at, '[]'], nodes: elements })
      continue
    }
    const objects = nodes.filter(isObject)
    if (objects.length === 0) continue
    if (areMaps(objects)) {
      const own = objects.some((object) =>
        Object.values(object).some((value) => Object.hasOwn(value, '_key')),
      )
      if (!own) found.push({ ...collectionOf(at, objects, true), size: JSON.stringify(objects).length })
      queue.push({ at: [...at, '[]'], nodes: objects.flatMap((object) => Object.values(object)) })
      continue
    }
    const children = new Map()
    for (const object of objects) {
      for (const [key, value] of Object.entries(object)) {
        if (value === null || typeof value !== 'object' || key === '[]') continue
        if (!children.has(key)) children.set(key, [])
        children.get(key).push(value)
      }
    }
    for (const [key, values] of children) queue.push({ at: [...at, key], nodes: values })
  }
  return found
    .sort((one, other) => other.size - one.size)
    .slice(0, MOST_COLLECTIONS)
    .map(({ at, keyed, records }) => ({ at, keyed, records }))
}
