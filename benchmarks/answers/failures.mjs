/** Questions that were not answered rightly, told in full: what the product is improved with. */

const SHOWN = 1200

/** @param {object[]} rows of a run @param {number} most */
export function printFailures(rows, most) {
  const order = ['wrong', 'unanswered']
  const failed = rows
    .filter(
      ({ outcome, system }) => outcome !== 'right' && (system.startsWith('proxy') || most > rows.length),
    )
    .sort((one, other) => order.indexOf(one.outcome) - order.indexOf(other.outcome))
  for (const row of failed.slice(0, most)) console.log(story(row))
}

function story({ system, outcome, id, question, answer, calls }) {
  const lines = [
    `=== ${outcome}: ${id} · ${system}`,
    question.text,
    `ask    ${JSON.stringify(question.ask)}`,
    `gold   ${short(JSON.stringify(question.gold), 400)}`,
    `answer ${short(JSON.stringify(answer), 400)}`,
  ]
  for (const { name, args, text, tokens, ms } of calls) {
    lines.push(
      `--> ${name} ${JSON.stringify(args)}  [${tokens} tokens, ${Math.round(ms)} ms]`,
      indented(name.startsWith('proxy_') ? short(text, SHOWN) : short(text, 700)),
    )
  }
  return `${lines.join('\n')}\n`
}

function indented(text) {
  return text.replace(/^/gm, '    ')
}

function short(text, length) {
  return text.length <= length ? text : `${text.slice(0, length)} …[${text.length} characters in all]`
}
