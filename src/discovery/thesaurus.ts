/**
 * Words that people use for what definitions of tools call otherwise: the verbs of interfaces and the things they are about. Each line
 * is a group of words that may all stand for one another, or `words > words`: those on the left may stand for those on the right.
 * A word may be in several. General English for software, nothing of any one server.
 */
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

const alike = new Map<string, Set<string>>()
for (const group of groups.trim().split('\n')) {
  const [left = '', right = left] = group.split(' > ')
  const others = right.split(' ').map(stemOf)
  for (const stem of left.split(' ').map(stemOf)) {
    const known = alike.get(stem) ?? new Set()
    alike.set(stem, known)
    for (const other of others) if (other !== stem) known.add(other)
  }
}

const none: readonly string[] = []
const lists = new Map([...alike].map(([stem, others]) => [stem, [...others] as readonly string[]]))

/** Stems that may stand for a stem. */
export function alikeTo(stem: string): readonly string[] {
  return lists.get(stem) ?? none
}
