/** The deeds of the interceptors of tests: `(descriptor, params) => result`. */
const shout = (value) => {
  if (typeof value === 'string') return value.toUpperCase()
  if (Array.isArray(value)) return value.map(shout)
  if (value === null || typeof value !== 'object') return value
  const kept = new Set(['name', 'type', 'uri', 'method', 'role', '_meta'])
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, kept.has(key) ? inner : shout(inner)]),
  )
}

/** The deeds of an interceptor with a message, by name. `options.size`: characters of a huge answer. `state`: the requests so far. */
export function createDeeds(options = {}, state = { received: [] }) {
  /** The calls that wait for one more. */
  let meeting = []
  return {
    pass: ({ type }) => (type === 'mutation' ? { modified: false } : { valid: true }),
    shout: (_, { payload }) => ({ modified: true, payload: shout(payload) }),
    deny: () => ({
      valid: false,
      severity: 'error',
      messages: [{ message: 'denied by policy', severity: 'error' }],
    }),
    warn: () => ({ valid: false, severity: 'warn', messages: [{ message: 'a remark', severity: 'warn' }] }),
    other: () => ({ modified: true, payload: { somethingElse: true } }),
    answer: () => ({
      modified: true,
      _meta: { 'mcp-rlm-proxy/answer': { content: [{ type: 'text', text: 'answered by the module' }] } },
    }),
    fail: () => {
      throw new Error('the interceptor failed')
    },
    huge: ({ size }, { payload }) => ({
      modified: true,
      payload: { ...payload, filler: 'x'.repeat(size ?? options.size ?? 100_000_000) },
    }),
    hang: () => new Promise(() => {}),
    loop: () => {
      for (;;);
    },
    exit: () => process.exit(3),
    say: (_, params) => ({
      modified: true,
      payload: { content: [{ type: 'text', text: JSON.stringify(params) }] },
    }),
    seen: () => ({
      modified: true,
      payload: { content: [{ type: 'text', text: JSON.stringify(state.received) }] },
    }),
    /** Both phases, so that the order shows. */
    sign: ({ name }, { payload }) => ({
      modified: true,
      payload: { ...payload, signed: [...(payload.signed ?? []), name] },
    }),
    /** Refuses what is marked. */
    judge: (_, { payload }) => {
      const { severity } = payload
      return severity === undefined
        ? { valid: true }
        : { valid: false, severity, messages: [{ path: 'severity', message: `found ${severity}`, severity }] }
    },
    /** Refuses what has no signature. */
    signed: (_, { payload }) =>
      payload.signed ? { valid: true } : { valid: false, severity: 'error', messages: [] },
    unsigned: (_, { payload }) =>
      payload.signed ? { valid: false, severity: 'error', messages: [] } : { valid: true },
    /** Answers when two are there. */
    meet: () =>
      new Promise((resolve) => {
        meeting.push(() => resolve({ valid: true }))
        if (meeting.length < 2) return
        for (const go of meeting) go()
        meeting = []
      }),
    expire: (_, { timeoutMs }) => {
      throw Object.assign(new Error('Interceptor execution timeout'), { code: -32000, data: { timeoutMs } })
    },
    /** An uncaught error. */
    crash: () =>
      new Promise(() => {
        setTimeout(() => {
          throw new Error('crashed')
        })
      }),
    kill: () => process.kill(process.pid, 'SIGKILL'),
    who: (_, { payload }) => ({
      modified: true,
      payload: { ...payload, pid: process.pid },
    }),
    log: (_, { payload }) => ({ modified: true, payload: { ...payload, ...state } }),
  }
}
