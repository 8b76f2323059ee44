/** Words of tool definitions and of questions for tools, made comparable. */

import porter2 from 'wink-porter2-stemmer'
import { eachWord, pieces } from '../text/tokenize.ts'

/**
 * Words that say nothing of what a tool does: articles and pronouns, and what people wrap a question in. `all`, `new` or
 * `not` stay: names of tools have them.
 */
export const stopWords: ReadonlySet<string> = new Set(
  `a about above across again already also although always am an and another any anybody anyone anything anyway are around as at be became
  appreciate grateful hope hopefully hoping wonder wondering great nice glad okay ok sorry cheers dear folks guys guess
  because become becomes been before being both but by can cannot could d did do does doing done don during each either else etc even ever
  every everybody everyone everything few for from further gave gets getting give gives given goes going gonna good got gotta had has
  have having he hello help her here hers hey hi him himself his how however i if in instead into is it its itself just kindly like ll look
  looks lot lots m made make makes making many may maybe me might mine more most much must my myself need needed needing needs neither never
  nobody none nor nothing of often oh on once one ones only onto or other others otherwise our ours out over own perhaps please possible
  possibly quite rather re really right s sake same shall she should since so some somebody somehow someone something
  somewhere soon still such sure t tell than thank thanks that the their theirs them themselves then there therefore these they thing
  things think this those though through thus to together too toward towards try trying two three four five six seven eight nine ten
  under unless until upon us use used uses using usually ve very via want wanted wants was we well were what whatever when whenever where
  whether which while who whoever whole whom whose why will wish with within without won would yes yet you your yours`.split(
    /\s+/,
  ),
)

/** Forms that no rule of endings leads back. */
const irregular: ReadonlyMap<string, string> = new Map(
  `write wrote written|send sent|buy bought|pay paid|run ran|take took taken|find found|go went gone|see saw seen|bring brought|
  keep kept|leave left|lose lost|meet met|say said|sell sold|spend spent|speak spoke spoken|throw threw thrown|tell told|break broke broken|
  build built|choose chose chosen|draw drew drawn|drive drove driven|fall fell fallen|forget forgot forgotten|hold held|hide hid hidden|
  know knew known|show shown|person people|child children|index indices|matrix matrices|vertex vertices|analysis analyses|criterion criteria|
  begin began begun|freeze froze frozen|get got gotten|give gave given|make made|catch caught|teach taught|understand understood|win won|
  rise rose risen|steal stole stolen|wake woke woken|ride rode ridden|do did done|have had has|be is are was were been|
  die dying|lie lying|tie tying`
    .split('|')
    .flatMap((line) => {
      const [base = '', ...forms] = line.trim().split(' ')
      return forms.map((form): [string, string] => [form, base])
    }),
)

const longestWord = 40
/** Stems that are remembered: those of all definitions fit, those of hostile ones do not fill the memory. */
const mostRemembered = 50_000
const remembered = new Map<string, string>()

/** The Porter2 stem of an English word in lower case; what is no such word stays as it is. */
export function stemOf(word: string): string {
  const known = remembered.get(word)
  if (known !== undefined) return known
  if (!plain.test(word)) return word
  const base = baseOf(word)
  const stem = noEnding.test(base) ? base : porter2(base)
  if (word.length <= longestWord && remembered.size < mostRemembered) remembered.set(word, stem)
  return stem
}

/** What is stemmed for a word: its regular form in American spelling. Its end alone is another one than the stem's. */
export function baseOf(word: string): string {
  return plain.test(word) ? american(regularOf(word)) : word
}

/** The form that has a stem by rule; most words are one. The first three letters are those of `baseOf`. */
export function regularOf(word: string): string {
  return irregular.get(word) ?? word
}

const plain = /^[a-z]+$/

/** Ends as no ending does that Porter2 takes away or changes: a third of all words need not be sent through its rules. */
const noEnding = /(?:[abfhjkopquvwxz]|[^n]t|[^o]n|[^eo]r|[^aul]l|[^i]c|[^s]m|[^e]d|[^n]g)$/

/** One spelling of what is spelled in two ways. No English is needed of it, only that both become the same. */
function american(word: string): string {
  if (!/is|our|ogue|ence/.test(word)) return word
  return word
    .replace(/(?<=[a-z]{3})is(?=(?:e|ed|er|ers|es|ing|ation|ations)$)/, 'iz')
    .replace(/(?<=[a-z]{2})our(?=s?$)/, 'or')
    .replace(/(?<=og)ue(?=s?$)/, '')
    .replace(/(?<=en)ce(?=s?$)/, 'se')
}

/**
 * The stems of a text in their order, those of identifiers piece by piece (`listPullRequests`, `list-pull_requests`),
 * without words that say nothing.
 */
export function wordsOf(text: string): string[] {
  const stems: string[] = []
  eachWord(text, (start, end) => eachPart(text.slice(start, end), (part) => stems.push(stemOf(part))))
  return stems
}

/** Calls `take` with the pieces of one word as it stands in a text, in lower case; not with those that say nothing. */
export function eachPart(written: string, take: (part: string) => void): void {
  const whole = unaccented(written)
  const parts = pieces(whole)
  if (parts.length === 0) takePart(whole, take)
  for (let nth = 0; nth < parts.length; nth++) takePart(parts[nth] as string, take)
}

function takePart(part: string, take: (part: string) => void): void {
  const word = part.slice(0, longestWord).toLowerCase()
  if (!stopWords.has(word)) take(word)
}

/** `búsqueda` as `busqueda`, which is how many write it: accents go, signs that make another letter in other scripts stay. */
function unaccented(word: string): string {
  return /[^\0-\x7f]/.test(word)
    ? word
        .normalize('NFD')
        .replace(/[\u0300-\u036f]/g, '')
        .normalize('NFC')
    : word
}

// Verbs that say what is done, not to what: most tools have one of them, and most questions that no tool
// answers, too.

const actions: ReadonlySet<string> = new Set(
  `accept access activate add adjust allow analyze append apply approve archive ask assign attach authorize begin book browse build buy calculate call cancel
  capture change check choose clean clear click clone close collect combine compare compile complete compose compute configure confirm connect consume convert copy
  count create cut define delete deliver deny describe design destroy detect determine disable discard disconnect discover dispatch display download draft drag draw drop duplicate
  edit emit enable end enter enumerate erase evaluate examine execute explain export extract fetch fill filter find finish fix format generate get grant group handle
  hide identify import improve include increase inspect insert install invoke join keep launch learn list load locate lock log look manage mark match measure merge modify
  monitor move navigate notify obtain open order organize parse paste pause perform persist pick place plan play post predict prepare press prevent print process produce prove
  provide publish pull purchase purge push put query raise read rearrange receive recommend record recover refresh register reject release reload remove
  rename render reorder repair replace reply report request reserve reset resize resolve respond restart restore resume retrieve return reverse review revoke rotate run save scan
  schedule search see select sell send set share show sign simulate solve sort split start stop store submit subscribe suggest summarize suspend switch sync take
  test throw toggle track train transfer transform translate trigger turn type uninstall unlock update upgrade upload validate verify view visit wait watch
  work wrap write`
    .split(/\s+/)
    .map(stemOf),
)

export function isAction(stem: string): boolean {
  return actions.has(stem)
}
