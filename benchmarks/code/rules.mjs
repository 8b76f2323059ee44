/**
 * Programs for questions of InfiAgent-DABench, by rule. The names of the answers (`mean_fare`, `p_value`) say what to compute. The
 * question and its constraints give the columns, a derived column, a limit for outliers, and when a word is the answer. A question with
 * something that no rule reads (a filter, a group, a model) gets no program.
 */

/** Functions that programs use, by name. Each names the others that it needs. */
const HELPERS = {
  mean: ['const mean = (x) => x.reduce((sum, one) => sum + one, 0) / x.length'],
  quantile: [
    'const quantile = (x, q) => { const s = [...x].sort((a, b) => a - b), at = (s.length - 1) * q, low = Math.floor(at); return s[low] + (at - low) * ((s[low + 1] ?? s[low]) - s[low]) }',
  ],
  median: [
    'const median = (x) => { const s = [...x].sort((a, b) => a - b), half = s.length >> 1; return s.length % 2 ? s[half] : (s[half - 1] + s[half]) / 2 }',
  ],
  std: [
    'const std = (x, less = 1) => { const m = mean(x); return Math.sqrt(x.reduce((sum, one) => sum + (one - m) ** 2, 0) / (x.length - less)) }',
    'mean',
  ],
  moment: [
    'const moment = (x, k) => { const m = mean(x); return mean(x.map((one) => (one - m) ** k)) }',
    'mean',
  ],
  skew: ['const skew = (x) => moment(x, 3) / moment(x, 2) ** 1.5', 'moment'],
  skewOfSample: [
    'const skewOfSample = (x) => (Math.sqrt(x.length * (x.length - 1)) / (x.length - 2)) * skew(x)',
    'skew',
  ],
  kurtosis: ['const kurtosis = (x) => moment(x, 4) / moment(x, 2) ** 2 - 3', 'moment'],
  kurtosisOfSample: [
    'const kurtosisOfSample = (x) => ((x.length - 1) / ((x.length - 2) * (x.length - 3))) * ((x.length + 1) * kurtosis(x) + 6)',
    'kurtosis',
  ],
  pearson: [
    'const pearson = (pairs) => { const mu = mean(pairs.map(([u]) => u)), mv = mean(pairs.map(([, v]) => v)), s = (f) => pairs.reduce((sum, [u, v]) => sum + f(u - mu, v - mv), 0); return s((u, v) => u * v) / Math.sqrt(s((u) => u * u) * s((_, v) => v * v)) }',
    'mean',
  ],
  // The tail of Student's distribution, by the continued fraction of the incomplete beta function (Numerical Recipes, 6.4).
  tails: [
    'const tails = (r, n) => { const df = n - 2, x = Math.max(0, 1 - r * r), a = df / 2, b = 0.5; const g = (z) => { const c = [76.18009172947146, -86.50532032941677, 24.01409824083091, -1.231739572450155, 0.001208650973866179, -0.000005395239384953]; let y = z, t = z + 5.5, s = 1.000000000190015; t -= (z + 0.5) * Math.log(t); for (const one of c) s += one / ++y; return -t + Math.log((2.5066282746310005 * s) / z) }; if (x === 0) return 0; if (x === 1) return 1; const front = (u, p, q) => Math.exp(g(p + q) - g(p) - g(q) + p * Math.log(u) + q * Math.log(1 - u)); const part = (u, p, q) => { let c = 1, d = 1 / (1 - ((p + q) * u) / (p + 1)), h = d; for (let m = 1; m < 500; m++) { let e = (m * (q - m) * u) / ((p + 2 * m - 1) * (p + 2 * m)); d = 1 / (1 + e * d); c = 1 + e / c; h *= d * c; e = (-(p + m) * (p + q + m) * u) / ((p + 2 * m) * (p + 2 * m + 1)); d = 1 / (1 + e * d); c = 1 + e / c; h *= d * c } return h }; return x < (a + 1) / (a + b + 2) ? (front(x, a, b) * part(x, a, b)) / a : 1 - (front(1 - x, b, a) * part(1 - x, b, a)) / b }',
  ],
  normalCdf: [
    'const normalCdf = (z) => { const x = Math.abs(z) / Math.SQRT2, t = 1 / (1 + x / 2); const e = t * Math.exp(-x * x - 1.26551223 + t * (1.00002368 + t * (0.37409196 + t * (0.09678418 + t * (-0.18628806 + t * (0.27886807 + t * (-1.13520398 + t * (1.48851587 + t * (-0.82215223 + t * 0.17087277))))))))); return z > 0 ? 1 - e / 2 : e / 2 }',
  ],
  // Acklam's approximation, with one step of Halley.
  normalInverse: [
    'const normalInverse = (p) => { const a = [-39.69683028665376, 220.9460984245205, -275.9285104469687, 138.357751867269, -30.66479806614716, 2.506628277459239], b = [-54.47609879822406, 161.5858368580409, -155.6989798598866, 66.80131188771972, -13.28068155288572], c = [-0.007784894002430293, -0.3223964580411365, -2.400758277161838, -2.549732539343734, 4.374664141464968, 2.938163982698783], d = [0.007784695709041462, 0.3224671290700398, 2.445134137142996, 3.754408661907416]; const tail = (q) => (((((c[0] * q + c[1]) * q + c[2]) * q + c[3]) * q + c[4]) * q + c[5]) / ((((d[0] * q + d[1]) * q + d[2]) * q + d[3]) * q + 1); if (p < 0.02425) return tail(Math.sqrt(-2 * Math.log(p))); if (p > 0.97575) return -tail(Math.sqrt(-2 * Math.log(1 - p))); const q = p - 0.5, r = q * q; return ((((((a[0] * r + a[1]) * r + a[2]) * r + a[3]) * r + a[4]) * r + a[5]) * q) / (((((b[0] * r + b[1]) * r + b[2]) * r + b[3]) * r + b[4]) * r + 1) }',
  ],
  // Royston 1995 (AS R94), as SciPy's shapiro.
  shapiro: [
    'const shapiro = (x) => { const s = [...x].sort((u, v) => u - v), n = s.length, m = s.map((_, i) => normalInverse((i + 1 - 0.375) / (n + 0.25))), mm = m.reduce((t, one) => t + one * one, 0), u = 1 / Math.sqrt(n), poly = (c, v) => c.reduceRight((t, one) => t * v + one, 0); const last = m[n - 1] / Math.sqrt(mm) + poly([0, 0.221157, -0.147981, -2.07119, 4.434685, -2.706056], u), before = m[n - 2] / Math.sqrt(mm) + poly([0, 0.042981, -0.293762, -1.752461, 5.682633, -3.582633], u), phi = (mm - 2 * m[n - 1] ** 2 - 2 * m[n - 2] ** 2) / (1 - 2 * last ** 2 - 2 * before ** 2); const a = m.map((one, i) => (i === n - 1 ? last : i === n - 2 ? before : i === 0 ? -last : i === 1 ? -before : one / Math.sqrt(phi))); const mu = mean(s), w = a.reduce((t, one, i) => t + one * s[i], 0) ** 2 / s.reduce((t, one) => t + (one - mu) ** 2, 0), l = Math.log(n); const [centre, spread, y] = n > 11 ? [poly([-1.5861, -0.31082, -0.083751, 0.0038915], l), Math.exp(poly([-0.4803, -0.082676, 0.0030302], l)), Math.log(1 - w)] : [poly([0.544, -0.39978, 0.025054, -0.0006714], n), Math.exp(poly([1.3822, -0.77857, 0.062767, -0.0020322], n)), -Math.log(0.459 * n - 2.273 - Math.log(1 - w))]; return 1 - normalCdf((y - centre) / spread) }',
    'mean',
    'normalCdf',
    'normalInverse',
  ],
  // D'Agostino and Pearson, as SciPy's normaltest.
  normaltest: [
    'const normaltest = (x) => { const n = x.length, y = skew(x) * Math.sqrt(((n + 1) * (n + 3)) / (6 * (n - 2))), b = (3 * (n * n + 27 * n - 70) * (n + 1) * (n + 3)) / ((n - 2) * (n + 5) * (n + 7) * (n + 9)), w = Math.sqrt(2 * (b - 1)) - 1, delta = 1 / Math.sqrt(0.5 * Math.log(w)), alpha = Math.sqrt(2 / (w - 1)), zs = delta * Math.log(y / alpha + Math.sqrt((y / alpha) ** 2 + 1)); const e = (3 * (n - 1)) / (n + 1), v = (24 * n * (n - 2) * (n - 3)) / ((n + 1) ** 2 * (n + 3) * (n + 5)), t = (kurtosis(x) + 3 - e) / Math.sqrt(v), q = ((6 * (n * n - 5 * n + 2)) / ((n + 7) * (n + 9))) * Math.sqrt((6 * (n + 3) * (n + 5)) / (n * (n - 2) * (n - 3))), g = 6 + (8 / q) * (2 / q + Math.sqrt(1 + 4 / (q * q))), h = 1 + t * Math.sqrt(2 / (g - 4)), zk = (1 - 2 / (9 * g) - Math.sign(h) * Math.cbrt((1 - 2 / g) / Math.abs(h))) / Math.sqrt(2 / (9 * g)); return Math.exp(-(zs ** 2 + zk ** 2) / 2) }',
    'skew',
    'kurtosis',
  ],
  // A split as scikit-learn makes it: NumPy's Mersenne Twister, and a shuffle from its end.
  split: [
    'const split = (n, part, seed) => { const mt = new Uint32Array(624); mt[0] = seed; for (let i = 1; i < 624; i++) mt[i] = Math.imul(1812433253, mt[i - 1] ^ (mt[i - 1] >>> 30)) + i; let at = 624; const next = () => { if (at === 624) { for (let i = 0; i < 624; i++) { const y = (mt[i] & 0x80000000) | (mt[(i + 1) % 624] & 0x7fffffff); mt[i] = mt[(i + 397) % 624] ^ (y >>> 1) ^ (y & 1 ? 0x9908b0df : 0) } at = 0 } let y = mt[at++]; y ^= y >>> 11; y ^= (y << 7) & 0x9d2c5680; y ^= (y << 15) & 0xefc60000; return (y ^ (y >>> 18)) >>> 0 }; const order = Array.from({ length: n }, (_, i) => i); for (let i = n - 1; i > 0; i--) { let mask = i; for (const by of [1, 2, 4, 8, 16]) mask |= mask >>> by; let j; do j = next() & mask; while (j > i); [order[i], order[j]] = [order[j], order[i]] } const tests = Math.ceil(n * part); return { test: order.slice(0, tests), train: order.slice(tests) } }',
  ],
  // Least squares by the normal equations of centred columns.
  fitted: [
    'const fitted = (sets) => { const k = sets[0].length, mu = Array.from({ length: k }, (_, i) => mean(sets.map((one) => one[i]))), c = sets.map((one) => one.map((v, i) => v - mu[i])), m = Array.from({ length: k - 1 }, (_, i) => Array.from({ length: k }, (_, j) => c.reduce((t, one) => t + one[i] * one[j], 0))); for (let i = 0; i < k - 1; i++) { for (let r = 0; r < k - 1; r++) { if (r === i) continue; const f = m[r][i] / m[i][i]; for (let j = i; j < k; j++) m[r][j] -= f * m[i][j] } } const w = m.map((row, i) => row[k - 1] / row[i]), b = mu[k - 1] - w.reduce((t, one, i) => t + one * mu[i], 0); return { w, b, of: (one) => w.reduce((t, v, i) => t + v * one[i], b) } }',
    'mean',
  ],
  // With the standard deviation of all, as SciPy's zscore.
  isFar: [
    'const isFar = (x, limit) => { const m = mean(x), s = std(x, 0); return (one) => Math.abs(one - m) / s > limit }',
    'mean',
    'std',
  ],
  isOut: [
    'const isOut = (x, factor) => { const [low, high] = [quantile(x, 0.25), quantile(x, 0.75)], reach = factor * (high - low); return (one) => one < low - reach || one > high + reach }',
    'quantile',
  ],
}

/** Words that no rule reads. The words that a rule has read are taken out of the text before. */
const UNREAD =
  /\b(?:each|every|group\w*|among|filter\w*|those|who|after|before|prun\w*|normali[sz](?:e|ed|ing|ation)|standardi[sz]\w*|scal\w*|new|creat\w*|generat\w*|engineer\w*|test set|training|train|t-test|percent\w*|ratio|rate|duration|impute\w*|imputation|fill\w*|replac\w*|predict\w*|model\w*|regress\w*|countr\w+ with|per(?! capita)|exclud\w*|transform\w*|log|convert\w*|unique|total (?!number of outliers)|sum|highest|lowest|top|bins?|categor\w*|year (?!\d{4}\b)|years|month|day|hour|spearman|kendall|kolmogorov|anderson|jarque|anova|chi|weighted|rolling|first \d+|where|whose|when|versus|vs|more than \d+|at least|above|below|male|female|cluster\w*|encod\w*|drop\w*)\b/i

/** Phrases that do not say which rows are meant. */
const HARMLESS = [
  /(?:ignor|exclud|remov|drop)\w* (?:any |all |the |those )*(?:rows? |records? |pairs? |values? |entries )*(?:with |that (?:have|are) |which are |where )?(?:the )?[^.]{0,60}?(?:missing|null|nan|na|empty)[^.]*/gi,
  /(?:missing|null|nan|na)(?: or (?:missing|null|nan|empty))? (?:values? |data |entries |rows )*(?:[^.]{0,40} )?(?:should|are|will|must)(?: to)? be (?:ignored|excluded|dropped|removed)[^.]*/gi,
  /without [^.]{0,60}(?:transform|filter|clean|preprocess|round)[^.]*/gi,
  /(?:do not|without excluding) [^.]*/gi,
  /p-values? (?:is |are )?(?:above|below)/gi,
  /built-in|pre-built/gi,
  /(?:before|after|prior to) (?:the |any |performing |doing )*(?:calculat|comput|analy|perform)\w*/gi,
  /convert\w* [^.]{0,80}?(?:integer|float|numeric|int64|numbers?)\b[^.]*/gi,
  /[^.]*(?:who|that|which) have (?:a )?(?:recorded|valid|non-null|non-missing)[^.]*/gi,
  /(?:for |of |in )?each (?:value|player's|of the columns|data ?point|observation|entry|element|of these|of the|variable|column|feature|and|pair)/gi,
  /creat\w* a new data ?frame[^.]*/gi,
  /compar\w*/gi,
  /for each\b(?=\.)/gi,
  /(?:the )?transformed (?=average|avg)/gi,
  /creat\w* a (?:scatter|plot|hist|box|chart|graph)\w*[^.]*/gi,
  /each (?:passenger|row|record|player|individual|person|site|country|day|hotel) (?:had|has|have|in the)/gi,
  /transform\w* [^.]{0,60}HH:MM:SS[^.]*/gi,
  /mean of (?:the )?(?:test|values)/gi,
  /(?:two|2)-tailed test|significance level|null hypothesis/gi,
  /(?:normally|normal) distribut\w+|normality/gi,
]

/** The program for a question, or nothing where no rule is sure. @param columns names of the file's columns */
export function programFor({ question, constraints, format }, columns) {
  const slots = slotsOf(format)
  if (slots.length === 0) return undefined
  const text = `${question} ${constraints}`
  const derived = derivedIn(text, columns)
  const known = derived ? [...columns, derived.name] : columns
  const regression = regressionFor({ question, constraints, format }, columns)
  if (regression) return regression
  const left = unread(`${question} ${constraints}`, known, derived)
  // Numbers inside of texts.
  if (UNREAD.test(left) || /object \(string\)/i.test(text)) return undefined
  const named = subjectsIn(question, constraints, columns, derived)
  const context = {
    text: HARMLESS.slice(-20).reduce(
      (one, pattern) => (/do not/.test(pattern.source) ? one.replaceAll(pattern, ' ') : one),
      text,
    ),
    format,
    derived,
    named,
    decimals: decimalsIn(`${format} ${constraints} ${question}`),
  }
  const entries = slots.map((slot) => entryFor(slot, context))
  if (entries.some((one) => one === undefined)) return undefined
  // Two answers that would be the same: something that tells them apart was not read.
  const codes = new Set(entries.map(({ column, code, test }) => JSON.stringify([column, code, test])))
  if (codes.size < entries.length) return undefined
  return written(entries, context)
}

/** The error of a linear regression on a part of the rows that a seed chooses. */
function regressionFor({ question, constraints, format }, columns) {
  const text = `${question} ${constraints}`
  const slots = slotsOf(format)
  const seed = /(?:random[ _]?(?:state|seed)|seed)[^.\d]{0,20}(\d+)/i.exec(text)?.[1]
  if (
    !/linear regression/i.test(text) ||
    seed === undefined ||
    /scal|normaliz|standardiz|imput|encod|transform|dummy|polynomial/i.test(text)
  )
    return undefined
  const [, share] = /(\d\d)(?:%| ?[-:/] ?| percent)[^.]{0,60}train/i.exec(text) ?? []
  const part = share === undefined ? 0.2 : (100 - Number(share)) / 100
  const target = columnsIn(
    /predict (?:the )?(.*?)(?: based| using| from| with|\.|$)/i.exec(question)?.[1] ?? '',
    columns,
  )[0]
  const sources = columnsIn(
    /(?:based on|using|from) (?:the )?(.*?)(?:\.|$)/i.exec(
      question.slice(question.search(/predict/i)),
    )?.[1] ?? '',
    columns,
  ).filter((name) => name !== target)
  if (target === undefined || sources.length === 0) return undefined
  const measures = slots.map((slot) => {
    const words = plainWords(slot.replaceAll('_', ' '))
    if (/ rmse | root mean /.test(words)) return [slot, 'Math.sqrt(mse)']
    if (/ mse | mean squared? error /.test(words)) return [slot, 'mse']
    if (/ r2 | r squared | rsquared /.test(words))
      return [slot, '1 - mse / mean(actual.map((one) => (one - mean(actual)) ** 2))']
    return undefined
  })
  if (measures.length === 0 || measures.includes(undefined)) return undefined
  const decimals = decimalsIn(`${format} ${constraints} ${question}`)
  const fields = [...sources, target]
  return [
    `const rows = await d.rows({ fields: ${JSON.stringify(fields)} })`,
    'const number = (one) => (one === null || one === undefined || String(one).trim() === "" ? NaN : Number(String(one).replaceAll(",", "")))',
    `const sets = rows.map((row) => ${JSON.stringify(fields)}.map((name) => number(row[name]))).filter((one) => one.every(Number.isFinite))`,
    ...['mean', 'split', 'fitted'].map((name) => HELPERS[name][0]),
    `const { train, test } = split(sets.length, ${part}, ${seed})`,
    'const model = fitted(train.map((at) => sets[at])), actual = test.map((at) => sets[at].at(-1))',
    'const mse = mean(test.map((at) => (model.of(sets[at]) - sets[at].at(-1)) ** 2))',
    `return { ${measures.map(([slot, code]) => `${JSON.stringify(slot)}: Number((${code}).toFixed(${decimals(slot)}))`).join(', ')} }`,
  ].join('\n')
}

/** `@name[...]` of a format. */
function slotsOf(format) {
  return [...format.matchAll(/@([\w.]+)\s*\[/g)].map(([, name]) => name)
}

function unread(text, columns, derived) {
  let left = derived ? text.replaceAll(derived.said, ' ').replaceAll(derived.name, ' ') : text
  for (const name of columns.toSorted((one, other) => other.length - one.length))
    if (name.length > 1) left = left.replaceAll(name, ' ')
  for (const pattern of HARMLESS) left = left.replaceAll(pattern, ' ')
  if (derived)
    left = left.replaceAll(
      /\b(?:new|creat\w*|generat\w*|engineer\w*|sum\w*|add\w*|ratio|for each \w+|each row|calculated|total)\b/gi,
      ' ',
    )
  if (/outlier/i.test(text))
    left = left.replaceAll(
      /\b(?:above|below|after|before|remov\w*|drop\w*|new|more than|test|total|where|outside)\b[^.,;]{0,3}/gi,
      ' ',
    )
  if (/consider the (?:relationship|correlation)/i.test(text))
    left = left.replaceAll(/\b(?:above|below|where|percent\w*)\b/gi, ' ')
  if (/missing|null/i.test(text)) left = left.replaceAll(/percent\w*|total/gi, ' ')
  return left
}

// Columns.

const plainWords = (text) =>
  ` ${text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()} `

/** Columns that a text names, in its order: those in quotes where there are some, else word for word; none within a longer one. */
function columnsIn(text, columns) {
  const quoted = columns.filter((name) =>
    [`"${name}"`, `'${name}'`, `“${name}”`].some((one) => text.includes(one)),
  )
  if (quoted.length > 0) return quoted.toSorted((one, other) => text.indexOf(one) - text.indexOf(other))
  const letters = columns.filter(
    (name) => /^[A-Z]$/.test(name) && new RegExp(`\\b${name}[- ](?:coordinate|column)`).test(text),
  )
  if (letters.length > 0) return letters
  let left = plainWords(text)
  const named = []
  for (const column of columns.toSorted((one, other) => other.length - one.length)) {
    const words = plainWords(column)
    if (words.trim().length < 3 || !left.includes(words)) continue
    named.push([left.indexOf(words), column])
    left = left.replaceAll(words, ` ${'#'.repeat(words.length - 2)} `)
  }
  return named.toSorted(([one], [other]) => one - other).map(([, column]) => column)
}

/** The columns of the question, and those of the constraints where the question names none. A derived column replaces its sources. */
function subjectsIn(question, constraints, columns, derived) {
  const inQuestion = columnsIn(question, columns)
  const named = inQuestion.length > 0 ? inQuestion : columnsIn(constraints, columns)
  if (!derived) return named
  const rest = question.replaceAll(derived.said, ' ')
  const others = columnsIn(rest, columns).filter((name) => !derived.of.includes(name))
  const between = /correlation|relationship/i.test(question) ? others : []
  return [derived.name, ...between]
}

const NAME = `["'“]([^"'”]+)["'”]`

/** A column that is made of two others. */
function derivedIn(text, columns) {
  const called = new RegExp(
    `(?:new )?(?:feature|column|variable)s?,? (?:named |called |labell?ed )?${NAME}`,
    'i',
  ).exec(text)?.[1]
  if (called === undefined || columns.includes(called)) return undefined
  const from = text.indexOf(called)
  const sentences = text.slice(from).split(/(?<=[a-z"'”)])\.\s/)
  const said = sentences[0] ?? ''
  const of = columnsIn(said.replaceAll(called, ' '), columns)
  if (of.length !== 2) return undefined
  const op = operatorIn(said)
  const rest = columns.reduce(
    (left, name) => left.replaceAll(name, ' '),
    said.replaceAll(/\([A-Z]\w*\)/g, ''),
  )
  if (
    op === undefined ||
    /\(|constant|percentage (?!of the)/i.test(rest.replaceAll('on-base percentage', '')) ||
    /constant/i.test(text)
  )
    return undefined
  const [a, b] = op.turned ? of.toReversed() : of
  return { name: called, said, of: [a, b], sign: op.sign }
}

function operatorIn(said) {
  if (/\bsubtract\w* .* from\b/i.test(said)) return { sign: '-', turned: true }
  if (/\b(?:difference|subtract\w*|minus)\b| - /i.test(said)) return { sign: '-' }
  if (/\b(?:multipl\w*|product)\b/i.test(said)) return { sign: '*' }
  if (/\b(?:divid\w*|ratio|quotient)\b/i.test(said)) return { sign: '/' }
  if (/\b(?:sum\w*|add\w*|combin\w*|total)\b/i.test(said)) return { sign: '+' }
  return undefined
}

// Answers.

/** The column that an answer is about: the one there is, or the one that its name names. */
function columnOf(slot, named) {
  if (named.length === 1) return named[0]
  const words = plainWords(slot.replaceAll('_', ' '))
  const meant = named.filter((name) => words.includes(plainWords(name)))
  if (meant.length === 1) return meant[0]
  const partly = named.filter((name) =>
    plainWords(name)
      .trim()
      .split(' ')
      .some((one) => one.length > 2 && words.includes(` ${one} `)),
  )
  return partly.length === 1 ? partly[0] : undefined
}

/** The measure that an answer gives, by the words of its name. */
const MEASURES = [
  [/\b(?:mean|average|avg)\b/, () => ['mean(X)', 'mean']],
  [/\bmedian\b/, () => ['median(X)', 'median']],
  [
    /\b(?:std|sd|stddev|stdev|deviation)\b/,
    ({ text }) => [/numpy|population/i.test(text) && !/pandas/i.test(text) ? 'std(X, 0)' : 'std(X)', 'std'],
  ],
  [/\bvariance\b/, () => ['std(X) ** 2', 'std']],
  [/\b(?:min|minimum)\b/, () => ['Math.min(...X)']],
  [/\b(?:max|maximum)\b/, () => ['Math.max(...X)']],
  [/\brange\b/, () => ['Math.max(...X) - Math.min(...X)']],
  [
    /\bskew(?:ness)?\b/,
    ({ text }) => (isOfSample(text) ? ['skewOfSample(X)', 'skewOfSample'] : ['skew(X)', 'skew']),
  ],
  [
    /\bkurt(?:osis)?\b/,
    ({ text }) =>
      isOfSample(text) ? ['kurtosisOfSample(X)', 'kurtosisOfSample'] : ['kurtosis(X)', 'kurtosis'],
  ],
]

/** pandas corrects for the sample; SciPy, and the coefficient of Fisher and Pearson as it is usually given, do not. */
const isOfSample = (text) => !/scipy|fisher|stats\.skew/i.test(text)

/** @returns how a value is written, what it needs, and whether it is a word */
function entryFor(slot, context) {
  const words = plainWords(slot.replaceAll('_', ' '))
  const { text, named } = context
  const has = (pattern) => pattern.test(words)
  if (/correlat|relationship|linear/i.test(text) && named.length === 2) {
    if (has(/\b(?:r2|squared|determination)\b/))
      return { slot, code: 'pearson(pairs) ** 2', needs: ['pearson'], pairs: true }
    if (has(/\b(?:p|pvalue|pval)\b/))
      return { slot, code: 'tails(pearson(pairs), pairs.length)', needs: ['pearson', 'tails'], pairs: true }
    if (has(/\b(?:type|relationship|strength|status|direction|significance|significant|result|is)\b/))
      return ruled(slot, context) ?? significant(slot, context)
    if (slot === 'correlation' && /"\w+" is a string/.test(context.format))
      return ruled(slot, context) ?? significant(slot, context)
    if (has(/\b(?:coefficient|correlation|corr|r|coeff)\b/))
      return { slot, code: 'pearson(pairs)', needs: ['pearson'], pairs: true }
  }
  const column = columnOf(slot, named) ?? (/outlier/i.test(slot) ? outlying(text, named) : undefined)
  if (column === undefined) return undefined
  const test = testIn(text)
  if (test && has(/\b(?:p|pvalue|pval)\b/)) return { slot, column, code: `${test}(X)`, needs: [test] }
  if (
    has(/\b(?:normal|normality|distribution|skew|skewness)\b/) &&
    (!has(/skew/) || optionsIn(context.format).length === 3) &&
    !has(/\b(?:p|value)\b/)
  )
    return normality(slot, column, context)
  if (has(/\b(?:missing|null|nan)\b/))
    return has(/percent|proportion/) || /percentage/i.test(context.format)
      ? { slot, column, code: '(100 * MISSING) / rows.length' }
      : { slot, column, code: 'MISSING', whole: true }
  if (/percentage of missing/i.test(text) && has(/\bpercent/))
    return { slot, column, code: '(100 * MISSING) / rows.length' }
  if (/outlier/i.test(text)) return ofOutliers(slot, column, has, context)
  return measured(slot, column, context, 'X')
}

/** The words of an answer's name but for those of the column, which may be the name of a measure (`Price Range`). */
function wordsBeside(slot, column) {
  const words = plainWords(slot.replaceAll('_', ' '))
  const without = words.replace(plainWords(column), ' ')
  return without.trim() === '' ? words : without
}

function measured(slot, column, context, of) {
  const words = wordsBeside(slot, column)
  const meant = MEASURES.filter(([word]) => word.test(words))
  if (
    meant.length !== 1 ||
    /\b(?:ids?|list|name|p|type|within|count|number|ratio|percent\w*|change|difference|high|low|higher|lowest|highest|lower|male|female|class|group|significance)\b/.test(
      words,
    ) ||
    (of === 'X' && /\b(?:new|before|after)\b/.test(words))
  )
    return undefined
  const [code, ...needs] = meant[0][1](context)
  return { slot, column, code: code.replaceAll('X', of), needs }
}

/** The column of the outliers in question, where several are named. */
function outlying(text, named) {
  const said =
    /outliers? (?:found |detected |present )?in (?:the )?["']?([^"'.,]{1,60})/i.exec(text)?.[1] ?? ''
  const meant = named.filter((name) => plainWords(said).startsWith(plainWords(name)))
  if (meant.length === 1) return meant[0]
  const before = [
    ...text.matchAll(
      /(?:distribution|values) of (?:the )?["']?([\w. ]{1,60}?)["']? (?:column |variable )?and identify (?:any )?outliers/gi,
    ),
  ].flatMap(([, one]) => named.filter((name) => plainWords(one) === plainWords(name)))
  return before.length === 1 ? before[0] : undefined
}

function ofOutliers(slot, column, has, context) {
  const { text } = context
  const isFar = /z-?\s?score/i.test(text) && !/IQR|interquartile|quartile/i.test(text)
  const isOut = /IQR|interquartile|quartile/i.test(text)
  if (isFar === isOut) return undefined
  const limit = isFar
    ? (/(?:threshold(?: value)? (?:of|is|as|=)?|greater than|above|exceed\w*|over|higher than|[>±]) ?(?:\+?\/?-? ?)(\d(?:\.\d+)?)/i.exec(
        text,
      )?.[1] ?? 3)
    : (/(\d(?:\.\d+)?) ?(?:\*|x|×|times)? ?(?:the )?(?:IQR|interquartile)/i.exec(text)?.[1] ?? 1.5)
  const test = isFar ? `isFar(X, ${limit})` : `isOut(X, ${limit})`
  const needs = [isFar ? 'isFar' : 'isOut']
  const kept = `X.filter((one) => !OUT(one))`
  const out = `X.filter((one) => OUT(one))`
  const value = (code) => ({ slot, column, code, needs, test, whole: true })
  if (has(/\b(?:left|remaining|remain)\b/)) return value('rows.length - OUTLIERS.length')
  const measure = measured(slot, column, context, 'SET')
  if (measure) {
    const isOfAll = has(/\b(?:original|before|with)\b/)
    const set = isOfAll
      ? 'X'
      : has(/\boutliers?\b/) && !has(/\b(?:without|no|removed|removal|after|excluding)\b/)
        ? out
        : kept
    const isAfter =
      /(?:after (?:the )?(?:outlier )?remov\w*|of the cleaned|then calculate|new mean|recalculate)/i.test(
        text,
      )
    if (
      set === kept &&
      !isAfter &&
      !has(/\b(?:new|after|without|removal|removed|cleaned|no|filtered|updated)\b/)
    )
      return undefined
    return {
      ...measure,
      code: measure.code.replaceAll('SET', `(${set})`),
      needs: [...measure.needs, ...needs],
      test,
    }
  }
  if (has(/\b(?:range|low|high|lower|upper|percentage)\b/)) return undefined
  if (has(/\b(?:list|values|ids?|rows|indices|names?)\b/) && !has(/\b(?:count|number|num|total)\b/))
    return undefined
  if (has(/\boutliers?\b/)) return value('OUTLIERS.length')
  return undefined
}

/** Of two words the one that denies, and the other. */
function yesAndNo(options) {
  const no = options.find((one) => /\b(?:not?|non|none|false)\b|^not|^non/i.test(one.replaceAll('_', ' ')))
  const yes = options.find((one) => one !== no)
  return options.length === 2 && no !== undefined ? { yes, no } : undefined
}

/** JavaScript that gives one of two words. */
const choice = (condition, { yes, no }) => `${condition} ? ${JSON.stringify(yes)} : ${JSON.stringify(no)}`

const testIn = (text) =>
  /shapiro/i.test(text) ? 'shapiro' : /normaltest|agostino/i.test(text) ? 'normaltest' : undefined

/** "normal" or not, by a test or by a limit for the skewness. */
function normality(slot, column, { text, format }) {
  const options = /boolean/i.test(format) ? ['True', 'False'] : optionsIn(format)
  const words = yesAndNo(options)
  const word = (code, need) => ({ slot, column, code, needs: [need], word: true })
  const test = testIn(text)
  if (test && words) {
    const alpha = /(?:alpha\)?|level|p-value)[^.]{0,40}?(?:of|than|<|>) ?(0\.\d+)/i.exec(text)?.[1] ?? '0.05'
    return word(choice(`${test}(X) > ${alpha}`, words), test)
  }
  const limit =
    /skewness[^.]{0,80}?between -?(\d(?:\.\d+)?) (?:and|to) \+?\1/i.exec(text)?.[1] ??
    /absolute[^.]{0,40}skewness[^.]{0,40}(?:less than|below|<) (\d(?:\.\d+)?)/i.exec(text)?.[1]
  if (limit === undefined || /kurtosis|p-value/i.test(text)) return undefined
  const need = isOfSample(text) ? 'skewOfSample' : 'skew'
  if (words) return word(choice(`Math.abs(${need}(X)) < ${limit}`, words), need)
  const [right, left] = ['right', 'left'].map((way) => options.find((one) => one.toLowerCase().includes(way)))
  const middle = options.find((one) => one !== right && one !== left)
  if (options.length !== 3 || right === undefined || left === undefined) return undefined
  const symmetric = choice(`${need}(X) < -${limit}`, { yes: left, no: middle })
  return word(`${need}(X) > ${limit} ? ${JSON.stringify(right)} : ${symmetric}`, need)
}

/** Words in quotes behind "either" or "can be". */
function optionsIn(format) {
  const said = /(?:either|can be|be one of|value:?|string:?) ((?:.(?!where "))*)/i.exec(format)?.[1] ?? ''
  return [...new Set([...said.matchAll(/["']([\w -]+)["']/g)].map(([, one]) => one))]
}

/** "Consider the relationship to be linear if the p-value is less than 0.05 and the absolute value of r is …" */
const RULE =
  /consider (?:the|a) (?:relationship|correlation) (?:to be |as |to )?["']?([\w -]+?)["']? if ([^.]+(?:\.\d+[^.]*)*)/gi

const CONDITION =
  /(p-value|absolute value of (?:the correlation coefficient|r(?:-value)?)|(?:the )?(?:r(?:[- ]value)?|correlation coefficient)) (?:\(?r\)? )?is (greater than or equal to|less than or equal to|greater than|less than) (-?\d(?:\.\d+)?)/gi

const SIGNS = {
  'greater than or equal to': '>=',
  'less than or equal to': '<=',
  'greater than': '>',
  'less than': '<',
}

function ruled(slot, { text, format }) {
  const options = optionsIn(format)
  const rules = [...text.matchAll(RULE)].map(([, word, when]) => [word.trim(), conditions(when)])
  const option = (word) =>
    options.find((one) => plainWords(one).replaceAll(' ', '') === plainWords(word).replaceAll(' ', ''))
  const read = rules.map(([word, when]) => [option(word), when])
  if (read.length === 0 || read.some(([word, when]) => word === undefined || when === undefined))
    return undefined
  const others = options.filter((one) => !read.some(([word]) => word === one))
  if (others.length > 1) return undefined
  const last = others[0] ?? read.at(-1)[0]
  const code = read.map(([word, when]) => `${when} ? ${JSON.stringify(word)} : `).join('')
  return {
    slot,
    code: `${code}${JSON.stringify(last)}`,
    needs: ['pearson', 'tails'],
    pairs: true,
    word: true,
  }
}

/** Whether the p-value is small, in the two words that a format has for it. */
function significant(slot, { text, format }) {
  const alpha = /(?:alpha\)?|level|p-value)[^.]{0,40}?(?:of|is less than|<|less than) ?(0\.\d+)/i.exec(
    text,
  )?.[1]
  const words = yesAndNo(
    /boolean/i.test(format)
      ? /\btrue\b/.test(format)
        ? ['true', 'false']
        : ['True', 'False']
      : optionsIn(format),
  )
  if (alpha === undefined || words === undefined || /absolute/i.test(text)) return undefined
  const code = choice(`tails(pearson(pairs), pairs.length) < ${alpha}`, words)
  return { slot, code, needs: ['pearson', 'tails'], pairs: true, word: true }
}

function conditions(when) {
  const found = [...when.matchAll(CONDITION)]
  if (found.length === 0 || found.length !== when.split(/ and /i).length || / or (?!equal)/.test(when))
    return undefined
  return found
    .map(([, what, sign, limit]) => {
      const value = /^p/.test(what)
        ? 'tails(pearson(pairs), pairs.length)'
        : /absolute/.test(what)
          ? 'Math.abs(pearson(pairs))'
          : 'pearson(pairs)'
      return `${value} ${SIGNS[sign.toLowerCase()]} ${limit}`
    })
    .join(' && ')
}

// The program.

const NUMBERS = {
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  first: 1,
  second: 2,
  third: 3,
  fourth: 4,
}

/** Decimals of the values of a question: of a name where it says so, else of all. */
function decimalsIn(text) {
  const of = (said) => {
    const word =
      /(\d|one|two|three|four|five|six|first|second|third|fourth)(?:th|rd|nd)? (?:decimal|digits after)/i.exec(
        said,
      )?.[1]
    return word === undefined ? undefined : (NUMBERS[word.toLowerCase()] ?? Number(word))
  }
  const all =
    of(text) ?? (/(?:nearest|whole|positive) (?:whole )?(?:number|integer)|an? integer/i.test(text) ? 0 : 2)
  return (slot) => {
    const inside = new RegExp(`@${slot}\\s*\\[([^\\]]*)`).exec(text)?.[1] ?? ''
    const token = inside.trim()
    const own =
      token === ''
        ? undefined
        : [
            ...text.matchAll(
              new RegExp(`["']${token.replaceAll(/[^\w ]/g, '.')}["'][^"@]*?(?:decimal|digits)`, 'gi'),
            ),
          ]
            .map(([said]) => of(said))
            .find((one) => one !== undefined)
    return of(inside) ?? own ?? all
  }
}

function written(entries, { text, named, derived, decimals }) {
  const all = [...new Set(entries.flatMap(({ column, pairs }) => (pairs ? named : [column])))]
  const fields = [...new Set(all.flatMap((name) => (name === derived?.name ? derived.of : [name])))]
  const value = (name) =>
    name === derived?.name
      ? `number(row[${JSON.stringify(derived.of[0])}]) ${derived.sign} number(row[${JSON.stringify(derived.of[1])}])`
      : `number(row[${JSON.stringify(name)}])`
  const needs = new Set()
  const need = (name) => {
    for (const one of HELPERS[name].slice(1)) need(one)
    needs.add(name)
  }
  for (const { needs: wanted = [], test } of entries)
    for (const one of [...wanted, ...(test ? ['std', 'mean'] : [])]) need(one)
  const columns = [...new Set(entries.flatMap(({ column }) => (column === undefined ? [] : [column])))]
  const lines = entries.map(({ slot, column, code, test, word }) => {
    const x = `x${columns.indexOf(column)}`
    const filled = code
      .replaceAll('OUTLIERS', `${x}.filter(out)`)
      .replaceAll('OUT(', 'out(')
      .replaceAll('MISSING', `rows.filter((row) => isMissing(row[${JSON.stringify(column)}])).length`)
      .replaceAll(/\bX\b/g, x)
    const inner = test
      ? `(() => { const out = ${test.replaceAll(/\bX\b/g, x)}; return ${filled} })()`
      : filled
    return `  ${JSON.stringify(slot)}: ${word ? inner : `round(${inner}, ${decimals(slot)})`},`
  })
  return [
    `const rows = await d.rows({ fields: ${JSON.stringify(fields)} })`,
    'const isMissing = (one) => one === null || one === undefined || /^\\s*(?:|NA|N\\/A|n\\/a|NaN|nan|null|NULL|None|#N\\/A)\\s*$/.test(String(one))',
    /HH:MM:SS/.test(text)
      ? 'const number = (one) => (isMissing(one) ? NaN : String(one).split(":").reduce((sum, part) => sum * 60 + Number(part), 0))'
      : 'const number = (one) => (isMissing(one) ? NaN : Number(String(one).replaceAll(",", "")))',
    ...columns.map(
      (name, at) => `const x${at} = rows.map((row) => ${value(name)}).filter((one) => Number.isFinite(one))`,
    ),
    ...(entries.some(({ pairs }) => pairs)
      ? [
          `const pairs = rows.map((row) => [${named.map(value).join(', ')}]).filter((pair) => pair.every(Number.isFinite))`,
        ]
      : []),
    ...[...needs].map((name) => HELPERS[name][0]),
    'const round = (one, places) => Number(one.toFixed(places))',
    'return {',
    ...lines,
    '}',
  ].join('\n')
}
