/** Verbs that say what is done, not to what: most tools have one of them, and most questions that no tool answers, too. */
import { stemOf } from './words.ts'

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
