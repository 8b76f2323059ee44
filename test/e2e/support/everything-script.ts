/** All that the everything server can do, as steps of a client: requests, and what has to come before the next one. */
import type { Answers, Message } from './recorder.ts'

export interface Step {
  method: string
  params?: Record<string, unknown>
  /** Asks for progress. */
  progress?: boolean
  /** The step is over only when such a message came; by default when the answer did. */
  until?: (message: Message) => boolean
  /** Puts what an earlier answer said into the params. */
  from?: (last: Message['result']) => Record<string, unknown>
}

export const CAPABILITIES = {
  roots: { listChanged: true },
  sampling: {},
  elicitation: { form: {}, url: {} },
  tasks: { requests: { elicitation: { create: {} }, sampling: { createMessage: {} } } },
}

const FORM = { name: 'Ada', check: true, integer: 7, untitledSingleSelectEnum: 'Joey' }
const SAMPLE = {
  role: 'assistant',
  model: 'none',
  content: { type: 'text', text: 'A sample.' },
  stopReason: 'endTurn',
}
const TASK = {
  ttl: 60_000,
  pollInterval: 100,
  createdAt: '2026-01-01T00:00:00Z',
  lastUpdatedAt: '2026-01-01T00:00:00Z',
}

/** A client that answers at once; when the server asks for a task, with one that is done when first asked about. */
export const answers: Answers = (method, params) => {
  const taskId = params.taskId ?? `task of ${method}`
  if ('task' in params) return { task: { taskId, status: 'working', ...TASK } }
  switch (method) {
    case 'roots/list':
      return { roots: [{ uri: 'file:///work', name: 'work' }, { uri: 'file:///home' }] }
    case 'sampling/createMessage':
      return SAMPLE
    case 'elicitation/create':
      return elicited(params)
    case 'tasks/get':
      return { taskId, status: 'completed', ...TASK }
    case 'tasks/result': {
      const result = String(taskId).includes('sampling') ? SAMPLE : { action: 'accept', content: FORM }
      return { ...result, _meta: { 'io.modelcontextprotocol/related-task': { taskId } } }
    }
    default:
      return undefined
  }
}

function elicited({ mode, requestedSchema }: Record<string, unknown>): Record<string, unknown> {
  if (mode === 'url') return { action: 'accept' }
  const { properties = {} } = (requestedSchema ?? {}) as { properties?: Record<string, unknown> }
  const content = 'interpretation' in properties ? { interpretation: 'technical' } : FORM
  return { action: 'accept', content }
}

const call = (name: string, args: object = {}, more: Partial<Step> = {}): Step => ({
  method: 'tools/call',
  params: { name, arguments: args },
  ...more,
})
const complete = (ref: object, name: string, value: string, context?: object): Step => ({
  method: 'completion/complete',
  params: { ref, argument: { name, value }, ...(context && { context }) },
})
const said = (method: string, part = '') => {
  return (message: Message) =>
    message.method === method && JSON.stringify(message.params ?? {}).includes(part)
}
const logged = (part: string) => said('notifications/message', part)

const WATCHED = 'demo://resource/dynamic/text/1'
const DATA = 'data:text/plain;base64,aGVsbG8='
const prompt = (name: string): object => ({ type: 'ref/prompt', name })
const template = (kind: string): object => ({
  type: 'ref/resource',
  uri: `demo://resource/dynamic/${kind}/{resourceId}`,
})
const related = (result: Message['result']): Record<string, unknown> => ({
  taskId: (result?.task as { taskId: string } | undefined)?.taskId ?? result?.taskId,
})

const TOOLS: readonly Step[] = [
  call('echo', { message: 'hello' }),
  call('echo', {}),
  call('get-sum', { a: 2, b: 3.5 }),
  call('get-sum', { a: 'two' }),
  call('get-env'),
  call('get-tiny-image'),
  call('get-annotated-message', { messageType: 'error', includeImage: true }),
  call('get-annotated-message', { messageType: 'debug' }),
  call('get-structured-content', { location: 'Chicago' }),
  call('get-structured-content', { location: 'Nowhere' }),
  call('get-resource-links', { count: 4 }),
  call('get-resource-reference', { resourceType: 'Text', resourceId: 2 }),
  call('get-resource-reference', { resourceType: 'Blob', resourceId: 3 }),
  call('get-resource-reference', { resourceType: 'Blob', resourceId: -1 }),
  call('get-roots-list'),
  call('trigger-sampling-request', { prompt: 'Say something.', maxTokens: 10 }),
  call('trigger-sampling-request-async', { prompt: 'Take your time.' }),
  call('trigger-elicitation-request'),
  call('trigger-elicitation-request-async'),
  call('trigger-url-elicitation', { url: 'https://example.org/a', elicitationId: 'one' }),
  call('trigger-url-elicitation', { url: 'https://example.org/b', elicitationId: 'two', errorPath: true }),
  call('trigger-long-running-operation', { duration: 0.2, steps: 4 }, { progress: true }),
  call('trigger-long-running-operation', { duration: 0.1, steps: 2 }),
  call(
    'gzip-file-as-resource',
    { name: 'a.gz', data: DATA },
    { until: said('notifications/resources/list_changed') },
  ),
  { method: 'resources/read', params: { uri: 'demo://resource/session/a.gz' } },
  call(
    'gzip-file-as-resource',
    { name: 'b.gz', data: DATA, outputType: 'resource' },
    {
      until: said('notifications/resources/list_changed'),
    },
  ),
  call('gzip-file-as-resource', { data: 'ftp://example.org' }),
]

const TASKS: readonly Step[] = [
  call('simulate-research-query', { topic: 'tides' }),
  {
    method: 'tools/call',
    params: {
      name: 'simulate-research-query',
      arguments: { topic: 'python', ambiguous: true },
      task: { ttl: 60_000 },
    },
  },
  { method: 'tasks/get', from: related },
  { method: 'tasks/list' },
  { method: 'tasks/result', from: related },
  { method: 'tasks/get', params: { taskId: 'none' } },
  { method: 'tasks/cancel', params: { taskId: 'none' } },
]

const PROMPTS: readonly Step[] = [
  { method: 'prompts/get', params: { name: 'simple-prompt' } },
  { method: 'prompts/get', params: { name: 'args-prompt', arguments: { city: 'Paris', state: 'Texas' } } },
  { method: 'prompts/get', params: { name: 'args-prompt' } },
  {
    method: 'prompts/get',
    params: { name: 'completable-prompt', arguments: { department: 'Sales', name: 'Eve' } },
  },
  {
    method: 'prompts/get',
    params: { name: 'resource-prompt', arguments: { resourceType: 'Blob', resourceId: '4' } },
  },
  {
    method: 'prompts/get',
    params: { name: 'resource-prompt', arguments: { resourceType: 'None', resourceId: '4' } },
  },
  complete(prompt('completable-prompt'), 'department', 'S'),
  complete(prompt('completable-prompt'), 'name', '', { arguments: { department: 'Sales' } }),
  complete(prompt('resource-prompt'), 'resourceType', 'T'),
  complete(prompt('resource-prompt'), 'resourceId', 'x'),
  complete(template('text'), 'resourceId', '12'),
  complete(template('blob'), 'resourceId', 'no'),
]

const SUBSCRIPTIONS: readonly Step[] = [
  { method: 'logging/setLevel', params: { level: 'debug' } },
  { method: 'resources/subscribe', params: { uri: WATCHED }, until: logged('Received Subscribe') },
  call('toggle-subscriber-updates', {}, { until: said('notifications/resources/updated') }),
  call('toggle-subscriber-updates'),
  { method: 'resources/unsubscribe', params: { uri: WATCHED }, until: logged('Received Unsubscribe') },
  call('toggle-simulated-logging', {}, { until: said('notifications/message') }),
  call('toggle-simulated-logging'),
  { method: 'logging/setLevel', params: { level: 'emergency' } },
  // Below the level: its note is not sent, and none must be when the next request is answered.
  { method: 'resources/subscribe', params: { uri: WATCHED } },
  { method: 'ping' },
]

/** The server asks for the roots a while after it was greeted, and a proxy greets it when it is needed. */
export const OPENING: Step = { method: 'resources/list', until: logged('Roots updated') }

const READS: readonly Step[] = ['text/1', 'blob/2', 'text/none'].map((path) => ({
  method: 'resources/read',
  params: { uri: `demo://resource/dynamic/${path}` },
}))

/** Lists come first, so that the SDK knows the schemas, and last, for some have changed. */
const LISTS: readonly Step[] = ['tools', 'prompts', 'resources', 'resources/templates'].map((list) => ({
  method: `${list}/list`,
}))

/** @param resources URIs of all that is listed */
export function steps(resources: readonly string[]): Step[] {
  const listed = resources.map((uri) => ({ method: 'resources/read', params: { uri } }))
  return [...TOOLS, ...LISTS, ...PROMPTS, ...listed, ...READS, ...SUBSCRIPTIONS, ...TASKS, ...LISTS]
}
