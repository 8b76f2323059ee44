/**
 * Words that people use for what definitions of tools call otherwise: the verbs of interfaces and the things they are about. Each line
 * is a group; a word may stand in several. General English for software, nothing of any one server.
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
`

const alike = new Map<string, Set<string>>()
for (const group of groups.split('\n')) {
  const stems = group.split(' ').map(stemOf)
  for (const stem of stems) {
    const others = alike.get(stem) ?? new Set()
    alike.set(stem, others)
    for (const other of stems) if (other !== stem) others.add(other)
  }
}

const none: readonly string[] = []
const lists = new Map([...alike].map(([stem, others]) => [stem, [...others] as readonly string[]]))

/** Stems that may stand for a stem. */
export function alikeTo(stem: string): readonly string[] {
  return lists.get(stem) ?? none
}
