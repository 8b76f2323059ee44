/** The section of PERFORMANCE.md about finding tools, from benchmarks/results/retrieval.json. */
import { markdownTable } from '../benchmarks/answers/report.mjs'

export function retrievalSection(report) {
  const {
    machine,
    tools,
    servers,
    kinds,
    languages,
    variations,
    replies,
    breakEven,
    times,
    relist,
    twins,
    ablation,
    shared,
    published,
    longReplies,
  } = report
  return `## Finding tools

${tools} tools of ${servers} servers and labelled questions about them, by the default engine. Recall (R@1, R@5, R@10) is the part of the right tools that is
among the first; MRR looks at the first right one. "Left empty" counts the questions that no tool answers and that got none. Both
halves of the questions are shown.

${table(kinds, { kind: 'questions', questions: 'number', r1: 'R@1', r5: 'R@5', r10: 'R@10', mrr: 'MRR', unanswerable: 'no tool answers', empty: 'left empty', lost: 'lost' })}

"Lost" are questions that a tool answers and that got none. Near twins are tools of one server whose names differ in one word (\`list_issues\`, \`get_issues\`): of
${twins.twinQuestions} questions that such a tool answers, ${percent(twins.apart)} find it before its twins.

Thirty other questions, each in three languages; the tools are English. The English table hardly crosses from one language into another. With the
second one over it, which \`index.languages\` chooses, most tools are found; English questions lose a little, as some words are of several languages:

${table(languages, { table: 'table', kind: 'asked in', questions: 'number', r1: 'R@1', r5: 'R@5', mrr: 'MRR', empty: 'left empty', lost: 'lost' })}

What each part of the default engine is worth, all else as it is; "twins" is the part of questions whose tool comes before its near twins:

${table(ablation, { part: 'part', r1: 'R@1', r5: 'R@5', mrr: 'MRR', empty: 'left empty', lost: 'lost', apart: 'twins' })}
${published ? onPublished(published) : ''}
Every second server gives all its tools the same eight parameters. What all tools of a server have is not read:

${table(shared, { parameters: 'such parameters', r1: 'R@1', r5: 'R@5', mrr: 'MRR', lost: 'lost' })}

The same questions and tools in other styles:

${table(variations, { variation: 'style', r1: 'R@1', r5: 'R@5', mrr: 'MRR', empty: 'left empty' })}

A reply of ${replies.tools} tools has ${replies.median} tokens of o200k in the median, ${replies.p95} in the 95th percentile, ${replies.largest} at most; the definitions of the same
tools have ${replies.definitionsMedian} in the median. Where each tool has eight parameters more, it has ${longReplies.median} (definitions: ${longReplies.definitionsMedian}). The client sees definitions of ${replies.shown} tokens, in place of ${replies.all}.

After how many calls what the definitions would have cost is spent, if each call is preceded by a search of its own (a tool that was found can
be called again without); "sent again": all that was said before goes to the model with each request. Finding costs less from the first
call up to that one:

${table(breakEven, { tools: 'tools', all: 'all definitions', shown: 'shown', reply: 'reply, median', search: 'search and call', until: 'up to call', resent: 'sent again' })}

${choices(report)}

5,000 tools (${machine}): those of the set again and again, each copy with a word of its own; and, as a word that is new takes longest, copies that are
written in partly other words each, as those of many authors are. The ratio is to cutting the same definitions into words by a plain loop. A
process that has just started has parsed its definitions from JSON and knows nothing else; of its CPU half is that of the compiler's threads, which
work beside it. The first question at once is one that did not wait: in a proxy words are stemmed meanwhile, and it takes what any question takes:

${table(times, { what: 'what', median: 'median', ratio: 'ratio', p95: '95th percentile' })}
${relist ? afterChanges(relist) : ''}`
}

const percent = (part) => `${Math.round(100 * part)} %`

/** Sets that others published are not kept here: `--published` measures them. */
function onPublished(rows) {
  return `
The same on questions that others published (\`npm run bench -- retrieval --published DIR\`), for which nothing here was made:

${table(rows, { set: 'set', tools: 'tools', part: 'part', r1: 'R@1', r5: 'R@5', mrr: 'MRR', apart: 'twins' })}
`
}

/** Reports that were recorded before this was measured have none. */
function afterChanges(relist) {
  return `
A server adds a tool and says so (\`list_changed\`). How long a client that asks through the proxy for what the tool does has to wait until it is found, in
milliseconds, from the end of the call that added it:

${table(relist, { tools: 'tools of the server', median: 'median', worst: 'worst' })}
`
}

/** The choices that were tried, and what follows from them. */
function choices({ weights, questions, adaptive, batching, related, learning }) {
  return `What the fields of a definition are worth:

${table(weights, { weights: 'weights', r1: 'R@1', r5: 'R@5', mrr: 'MRR', empty: 'left empty' })}

Questions added to the descriptions, made by rule from names and parameters, or given (the labelled ones of the first half, asked those of the
second). They find no more, so there are none:

${table(questions, { questions: 'questions', r1: 'R@1', r5: 'R@5', mrr: 'MRR', empty: 'left empty' })}

As many tools as the scores deserve (\`"topK": "adaptive"\`, 0.5 of the best), against a fixed number. It finds more than five do for as many tokens in the median, and
less for each token in all, as some replies are long: five stay the default.

${table(adaptive, { limit: 'limit', found: 'right tools found', tools: 'tools, mean', tokens: 'tokens, median', per1000: 'right tools in 1,000 tokens' })}

Two things to do, in pairs of questions; tokens are those of what is written and of the reply. \`queries\` finds what two calls find, in one:

${table(batching, { way: 'asked as', calls: 'calls', found: 'right tools found', tools: 'tools, mean', tokens: 'tokens, median' })}

Tools that share parameters or a server with those that were found, in place of what follows by words. They are no better than as many more by
words, so they are not shown; "several" are the questions that have several right tools:

${table(related, { way: 'shown', found: 'right tools found', several: 'of several', tokens: 'tokens, median' })}

Learning from use (\`index.learn\`): after each question of the first half its right tool was called, where it was among five. It moves tools up where the same is asked
again, in more words; of questions that were not asked before as many find their tool first as without it, within a point:

${table(learning, { questions: 'questions', learned: 'learned', r1: 'R@1', r5: 'R@5', mrr: 'MRR' })}`
}

function table(rows, columns) {
  const names = Object.keys(columns)
  return markdownTable([Object.values(columns), ...rows.map((row) => names.map((name) => shown(row[name])))])
}

function shown(value) {
  if (value === null || value === undefined) return ''
  return typeof value === 'number' ? value.toLocaleString('en') : value
}
