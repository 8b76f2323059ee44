/** Generated text made of lines: tables, events and logs. */
import { START } from './vocabulary.mjs'

const range = (count, make) => Array.from({ length: count }, (_, at) => make(at))
const two = (number) => String(number).padStart(2, '0')
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const LEVELS = ['INFO', 'DEBUG', 'WARNING', 'ERROR', 'CRITICAL']

/** Moments one after the other, some seconds apart. */
function moments(count, random) {
  let seconds = START + random.below(86_400)
  return range(count, () => {
    seconds += 1 + Math.floor(120 * random.next() ** 3)
    return new Date(seconds * 1000 + random.below(1000))
  })
}

/** One cell of CSV by RFC 4180. */
export const cell = (value) =>
  /[",\r\n]/.test(String(value)) ? `"${String(value).replaceAll('"', '""')}"` : String(value)

/** Sales, with quotes, commas and line breaks in cells. */
export function sales(count, random, say) {
  const rows = range(count, (at) => [
    `S-${count * 10 + at}`,
    say.iso(START + random.below(365 * 86_400)).slice(0, 10),
    say.person(),
    random.pick(['North', 'South', 'East', 'West']),
    random.often(0.3)
      ? `${say.capital(say.phrase())}, "${say.adjective()}" edition`
      : say.capital(say.phrase()),
    random.between(1, 40),
    say.money(2, 1500).toFixed(2),
    random.often(0.2) ? `${say.sentence()}\n${say.sentence()}` : '',
  ])
  return [['sale_id', 'date', 'customer', 'region', 'product', 'units', 'amount', 'remark'], ...rows]
    .map((row) => row.map(cell).join(','))
    .join('\r\n')
}

/** Events, one JSON object a line. */
export function events(count, random, say) {
  return `${moments(count, random)
    .map((time, at) =>
      JSON.stringify({
        time: time.toISOString(),
        level: say.zipf(['info', 'debug', 'warn', 'error']),
        event_id: `ev_${say.hex(6)}${at}`,
        service: say.zipf(['checkout', 'search', 'login', 'mailer', 'billing']),
        user: { id: random.between(1, 400), country: say.zipf(['DE', 'JP', 'BR', 'US', 'KE', 'FR']) },
        duration_ms: Math.floor(4000 * random.next() ** 4),
        ok: random.often(0.9),
        message: say.sentence(),
      }),
    )
    .join('\n')}\n`
}

/** The log of a Python application, with a stack trace now and then. */
export function python(count, random, say) {
  const loggers = range(8, () => `app.${say.noun()}.${say.noun()}`)
  return `${moments(count, random)
    .flatMap((time) => {
      const level = say.zipf(LEVELS)
      const stamp = time.toISOString().replace('T', ' ').replace('.', ',').replace('Z', '')
      const line = `${stamp} ${level} ${say.zipf(loggers)}: ${say.sentence()} request_id=${say.hex(10)} took=${random.below(900)}`
      const trace =
        level === 'CRITICAL'
          ? [
              'Traceback (most recent call last):',
              `  File "/srv/app/${say.noun()}.py", line ${random.between(10, 900)}, in ${say.noun()}`,
              `ValueError: ${say.phrase()}`,
            ]
          : []
      return [line, ...trace]
    })
    .join('\n')}\n`
}

export function logfmt(count, random, say) {
  return `${moments(count, random)
    .map(
      (time) =>
        `time=${time.toISOString()} level=${say.zipf(['info', 'warn', 'error'])} host=web-${random.between(1, 6)} method=${say.zipf(['GET', 'POST', 'PUT'])} path=/api/${say.noun()}/${random.below(500)} status=${say.zipf([200, 304, 404, 500, 201])} duration=${random.below(2000)} message="${say.sentence()}"`,
    )
    .join('\n')}\n`
}

export function syslog(count, random, say) {
  return `${moments(count, random)
    .map((time) => {
      const stamp = `${MONTHS[time.getUTCMonth()]} ${String(time.getUTCDate()).padStart(2)} ${time.toISOString().slice(11, 19)}`
      return `${stamp} host-${random.between(1, 5)} ${say.zipf(['sshd', 'cron', 'kernel', 'systemd', 'dockerd'])}[${random.between(100, 9000)}]: ${say.sentence()}`
    })
    .join('\n')}\n`
}

export function access(count, random, say) {
  const visitors = range(Math.max(5, count / 12), () => say.ip())
  return `${moments(count, random)
    .map((time) => {
      const stamp = `${two(time.getUTCDate())}/${MONTHS[time.getUTCMonth()]}/${time.getUTCFullYear()}:${time.toISOString().slice(11, 19)} +0000`
      const path = `/${say.noun()}/${random.often(0.3) ? `${say.noun()}-${say.hex(5)}.html` : say.noun()}${random.often(0.1) ? `?page=${random.below(40)}` : ''}`
      return `${say.zipf(visitors)} - - [${stamp}] "${say.zipf(['GET', 'POST', 'HEAD'])} ${path} HTTP/1.1" ${say.zipf([200, 304, 404, 301, 500])} ${random.often(0.95) ? random.below(90_000) : '-'} "-" "Mozilla/5.0 (X11; Linux x86_64)"`
    })
    .join('\n')}\n`
}
