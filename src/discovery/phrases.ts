/**
 * Verbs of two words: `call off` is neither a call nor off. In a question they stand for the one verb that they mean, so that tools are
 * not found by their parts.
 */
import { stemOf } from './words.ts'

const phrases = `
call off > cancel
sign off > approve
kick off > start
switch off > off
power off > off
log off > logout
put off > postpone
tick off > complete
check off > complete
cross off > complete
hand off > assign
shut down > stop
close down > stop
take down > remove
tear down > delete
write down > write
note down > write
jot down > write
scale down > scale
narrow down > filter
break down > split
lock down > lock
cool down > cool
slow down > slow
start up > start
boot up > start
bring up > start
spin up > create
stand up > create
set up > create
back up > backup
look up > search
sign up > register
clean up > clean
tidy up > clean
speed up > optimize
wake up > wake
follow up > reply
scale up > scale
hang up > end
sum up > summarize
add up > sum
free up > free
warm up > warm
heat up > heat
fill up > fill
open up > open
roll back > rollback
push back > postpone
send back > return
pay back > refund
money back > refund
bring back > restore
put back > restore
go back > back
throw away > delete
`

/** Words that may stand between the two: `shut the old machine down`. */
const mostBetween = 2

/** What each verb means by what follows it, all as stems. */
const meanings = new Map<string, Map<string, string>>()
for (const line of phrases.trim().split('\n')) {
  const [phrase = '', meaning = ''] = line.split(' > ')
  const [verb = '', particle = ''] = phrase.split(' ').map(stemOf)
  const known = meanings.get(verb) ?? new Map<string, string>()
  meanings.set(verb, known.set(particle, stemOf(meaning)))
}

/** The stems of a question, in their order, with one for each verb of two words. */
export function withoutPhrases(words: readonly string[]): string[] {
  const left = [...words]
  for (let at = 0; at < left.length; at++) {
    const known = meanings.get(left[at] as string)
    if (known === undefined) continue
    for (let after = at + 1; after <= at + 1 + mostBetween && after < left.length; after++) {
      const meaning = known.get(left[after] as string)
      if (meaning === undefined) continue
      left[at] = meaning
      left.splice(after, 1)
      break
    }
  }
  return left
}
