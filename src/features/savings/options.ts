import { flag } from '../../config/option.ts'

/** `proxySettings`: who is told what a result saved. */
export const savingsSettings = {
  savingsInReplies: flag(
    'Write the tokens that a reply saved into its `_meta`. Some clients show `_meta` to their model.',
  ).default(false),
}
