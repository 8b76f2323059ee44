/**
 * Words that people use for what definitions of tools call otherwise: the verbs of interfaces and the things they are about. Each line
 * is a group of words that may all stand for one another, or `words > words`: those on the left may stand for those on the right.
 * A word may be in several. General English for software, nothing of any one server.
 */
import { everyday } from './everyday.ts'
import { families } from './word-families.ts'
import { stemOf } from './words.ts'

const groups = `
read get retrieve fetch load open show view display print cat see inspect examine peek obtain access pull dump
write save store persist record put keep log memorize remember
create add make new insert define build generate start open register set provision spawn initialize compose
delete remove drop erase clear strip rid unlink destroy discard purge trash wipe dispose unregister
update edit change modify alter patch set replace adjust revise amend rewrite tweak
list enumerate ls browse listing all every show index
search find locate lookup query look discover match seek hunt grep
move rename relocate transfer shift
copy duplicate clone replicate fork
send post publish deliver submit dispatch emit notify tell
download fetch get pull
upload push put attach import
export download dump save
import load ingest upload
folder directory dir path
file document doc
database db sql table
table relation
picture image photo screenshot graphic
run execute invoke call perform trigger launch start
stop halt kill terminate cancel abort end shutdown pause
restart reboot relaunch
compare diff difference differ contrast versus
history log past previous changelog audit revision
switch checkout change swap
connect link relate attach associate join relationship relation edge
disconnect unlink detach unstage
node entity vertex item object
fact observation note detail statement
column field attribute property
schema structure layout definition type describe
web url internet page site website link http online
message mail email chat text dm
info metadata detail information stat property attribute about
time clock date hour timezone now datetime
convert translate transform turn change
multiple several many batch bulk together once
user member person people account profile contact who
issue ticket bug task problem story
comment reply note remark response annotation
close finish complete end resolve done
assign delegate owner
permission access right allow permit grant role
allow permit authorize approve accept
deny reject refuse decline block
repository repo project codebase
commit revision checkin
branch ref
merge combine join integrate
review approve inspect
pull merge request pr
stage index
size large big length bytes weight
tree hierarchy nested recursive structure
pattern wildcard glob regex match
current now present active
count number total many amount quantity
summary summarize overview digest brief
thread conversation discussion
channel room group
event meeting appointment calendar schedule booking
schedule plan book reserve cron
customer client buyer
product item sku good
order purchase buy
payment charge pay transaction invoice bill
refund reimburse return
price cost rate fee quote
weather forecast temperature
map location place geocode address coordinate position where
route direction navigate navigation
server host machine instance vm node
container docker pod
deploy release rollout ship publish
service app application
error exception failure crash fault bug
metric stat measurement statistic
alert alarm notification warning incident
monitor watch observe track
log trace output
key token secret credential
password credential secret
click press tap push
type enter fill input
browser tab page
screenshot capture snapshot picture image
navigate goto visit open go browse
article post page entry
answer reply respond
think reason thought reflect
language locale translation
video movie clip
audio sound voice speech
package library module dependency
version release tag
subscribe follow watch
unsubscribe unfollow
validate check verify test
install add setup
config configuration setting option preference
label tag category
filter narrow restrict
sort order rank
team organization org group
status state condition health progress
sheet spreadsheet worksheet excel
row record entry line
cell value
text content body
draft compose
archive backup
restore recover undo revert rollback reset
lock protect freeze
share invite
job workflow pipeline build run action
rain snow sun sunny cloud wind windy storm humid humidity umbrella > weather forecast condition
warm cold hot cool degree celsius > temperature weather
lamp bulb dim bright brightness > light
song tune playlist album artist radio jazz > music media play audio
loud quiet mute > volume
heating heater thermostat > temperature climate
street road town city country postcode zip > address geocode place location
restaurant cafe hotel shop museum pharmacy nearby near > place search location
far kilometre mile commute travel trip > distance direction route
drive walk cycle > direction route
figure curve pie bar histogram diagram plot visualize visualise graph > chart graph diagram plot
colour color bold italic font > format style
speech spoken podcast interview lecture dictation minute subtitle caption > audio transcribe transcript
german french spanish english italian japanese chinese > translate language
logo draw paint illustration sketch > image generate create
blur crop thumbnail background > image
letter newsletter inbox > email mail message
read unread star flag > mark
holiday vacation leave absence > vacation
dinner lunch party reception interview invite invitation > event calendar meeting
decline accept rsvp > respond response
available availability free busy slot > freebusy availability calendar
today tomorrow yesterday monday tuesday wednesday thursday friday saturday sunday weekend week month year > date calendar
thumb smile emoji emoticon > reaction emoji
tweet hashtag follower > tweet post social
ci nightly fail failing > build workflow run job
star popular > repository
author write wrote written edit edited touch touched lately > commit history revision
deadline sprint iteration backlog kanban milestone > sprint issue board
timesheet spent worked > worklog log time
urgent assignee unassigned priority > issue priority
slow latency bottleneck > performance query metric
hang stuck wait > lock active
percentile average cpu ram usage load > metric usage statistic
outage down broken > incident alert error
stacktrace traceback regression happen > error exception
vanish disappear lapse ttl lifetime > expire
leaderboard ranking > sort rank score
port firewall inbound > firewall network rule
vm box computer hardware > instance server machine
bill spending expense budget > cost billing invoice
s3 blob > object storage bucket
temporary presigned signed > presign temporary
public private > access permission share
chargeback bank > dispute payment
money > payment price amount balance refund
monthly yearly recurring membership > subscription
client firm company business buyer > customer company contact
prospect lead opportunity > deal lead opportunity
vulnerable cve unsafe licence license > license vulnerability security
library crate gem npm pypi maven > package
dropdown checkbox radio > option select
pdf paper printout > export pdf
subfolder > directory folder
beneath underneath > parent
memory > remember store knowledge
disk drive > file storage disk
headline journalist > news
latest newest recent today > recent latest news
election won winner > search news web
url link address > url link
bullet paragraph heading section chapter > text section page
figure number total average > value statistic
hundred many bulk batch several > batch bulk multiple
chat talk private > message direct chat conversation
announce announcement > message post
phone telephone call > phone call
ask question faq > search answer question
who whom > user author member
when > time date schedule
where > location path search
why cause > reason analyze cause explain
undo mistake > revert restore refund undo
biggest largest top highest most > top sort size
oldest newest order > sort
remind reminder > reminder task timer
todo chore shopping groceries > task list item
countdown stopwatch > timer
calculate compute add sum multiply > calculate sum
python javascript code script snippet > code execute script
`

/** One line: the words that it gives for those on its left, and their stems once they were needed. */
interface Group {
  readonly words: string
  stems?: readonly string[]
}

/**
 * What stands on the left, by first letter: stems are made of one letter when a word with it is asked for, as those of all take longer
 * than anything else at the start. No rule of endings changes the first letter.
 */
const byLetter = new Map<string, [word: string, group: Group][]>()
for (const line of `${groups}${everyday}${families}`.trim().split(/\n+/)) {
  const [left = '', right = left] = line.split(' > ')
  const group: Group = { words: right }
  for (const word of left.split(' ')) {
    const letter = word.slice(0, 1)
    const before = byLetter.get(letter)
    if (before) before.push([word, group])
    else byLetter.set(letter, [[word, group]])
  }
}

const none: readonly string[] = []
const stemmed = new Map<string, Map<string, Group[]>>()
const lists = new Map<string, readonly string[]>()

/** Stems that may stand for a stem. */
export function alikeTo(stem: string): readonly string[] {
  const known = lists.get(stem)
  if (known !== undefined) return known
  const groups = groupsOf(stem)
  if (groups === undefined) return none
  const others = new Set(groups.flatMap(stemsOf))
  others.delete(stem)
  const list = [...others]
  lists.set(stem, list)
  return list
}

function groupsOf(stem: string): Group[] | undefined {
  const letter = stem.slice(0, 1)
  const entries = byLetter.get(letter)
  if (entries === undefined) return undefined
  const known = stemmed.get(letter)
  if (known !== undefined) return known.get(stem)
  const made = new Map<string, Group[]>()
  for (const [word, group] of entries) {
    const key = stemOf(word)
    const before = made.get(key)
    if (before) before.push(group)
    else made.set(key, [group])
  }
  stemmed.set(letter, made)
  return made.get(stem)
}

function stemsOf(group: Group): readonly string[] {
  group.stems ??= group.words.split(' ').map(stemOf)
  return group.stems
}
