import { flag } from '../../config/option.ts'

/** `proxySettings`: who is told what a result saved. */
export const savingsSettings = {
  savingsInReplies: flag(
    'Write into `_meta` of each reply how many tokens it saved. Some clients show `_meta` to their model.',
  ).default(false),
}
