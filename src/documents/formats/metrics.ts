/** Metrics in the text format of Prometheus (prometheus.io/docs/instrumenting/exposition_formats). */
import { type JsonObject, type JsonValue, setOwn } from '../../protocol/json.ts'
import { indexLines } from '../../text/lines.ts'
import { exactNumber } from './cells.ts'
import { defineFormat } from './define.ts'

const SAMPLE =
  /^([A-Za-z_:][\w:]*)(?:\{((?:[^"}]|"(?:[^"\\]|\\.)*")*)\})? +([-+]?(?:[\d.]+(?:e[-+]?\d+)?|Inf|NaN))(?: (-?\d+))?\s*$/i
const LABEL = /([A-Za-z_]\w*)="((?:[^"\\]|\\.)*)"/g
const LONGEST = 8_192

/** Records `{metric, …labels, value, timestamp?}`, when every line is a sample or a comment and comments name their metric. */
function readMetrics(text: string): (() => JsonValue[]) | undefined {
  if (!/^# (?:HELP|TYPE) [A-Za-z_:]/m.test(text.slice(0, 4_096))) return undefined
  const lines = indexLines(text)
  let [seen, good] = [0, 0]
  const step = Math.max(1, Math.floor(lines.count / 200))
  for (let index = 0; index < lines.count; index += step) {
    const line = lines.at(index).slice(0, LONGEST)
    if (line.trim() === '' || line.startsWith('#')) continue
    seen += 1
    if (SAMPLE.test(line)) good += 1
  }
  if (good < 2 || good < seen * 0.95) return undefined
  return () => {
    const records: JsonValue[] = []
    for (let index = 0; index < lines.count; index++) {
      const line = lines.at(index)
      if (line.trim() === '' || line.startsWith('#')) continue
      records.push(record(line.slice(0, LONGEST)) ?? { _line: line })
    }
    return records
  }
}

function record(line: string): JsonObject | undefined {
  const match = SAMPLE.exec(line)
  if (!match) return undefined
  const [, metric = '', labels = '', value = '', timestamp] = match
  const made: JsonObject = { metric }
  for (const [, name = '', held = ''] of labels.matchAll(LABEL))
    setOwn(
      made,
      name === 'metric' || name === 'value' ? `label_${name}` : name,
      held.replace(/\\(["\\])/g, '$1'),
    )
  made.value = exactNumber(value) ?? value
  if (timestamp !== undefined) made.timestamp = exactNumber(timestamp) ?? timestamp
  return made
}

/** Never takes a text without `# HELP` or `# TYPE`. */
export const metrics = defineFormat({
  name: 'metrics',
  family: 'table',
  detect: readMetrics,
  read: (_, read) => read(),
})
