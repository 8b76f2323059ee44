import { stemOf } from './words.ts'

/**
 * Everyday words, by fields of life and work, and what definitions of tools call the same: `words > words`, those on the left may
 * stand for those on the right, never the other way round. What any speaker of English would expect, nothing of any one server.
 */
export const everyday = `
owe owed owing debt debtor arrears outstanding overdue unpaid > receivable payable due invoice
supplier vendor > supplier vendor payable contact
earning revenue turnover income profit loss > profit revenue report sale
bookkeeping ledger bookkeeper accountant > account journal accounting transaction
salary wage payslip payday > payroll pay employee
staff employee worker coworker colleague teammate boss hire > employee user member person
voucher promo coupon rebate reduction > coupon discount promotion
plan membership > subscription
vat gst > tax
estimate offer proposal > quote proposal
receipt > payment charge
proof > evidence
fund cash > balance payment account
pay paid settle > payment pay invoice
sell sold selling > sale order sell
stock warehouse supply unit > inventory stock quantity
shipment parcel shipped delivery courier > shipment fulfillment tracking delivery order
buyer shopper purchaser > customer buyer
catalogue catalog assortment > product catalog
share equity portfolio investment asset > holding position portfolio instrument stock
trade ticker security stock > instrument symbol quote trade
candle ohlc chart > historical price
crypto coin bitcoin ethereum > crypto coin token wallet
exchange forex > currency rate convert
agenda diary > calendar event schedule
postpone reschedule delay > modify update reschedule event
noon midnight clock > time
snooze wake > timer alarm reminder
shift duty rota roster > oncall schedule shift
due deadline overdue > due date deadline
lately recently recent newest > recent latest change history
old older previous earlier ago > history past previous
announce > message notify send broadcast
hear listen receive > subscribe receive listen
forward > forward send
inbox mailbox > mail email message
recipient sender > email message
moderator admin administrator privilege rank > role permission member
kick expel evict > ban kick remove member
survey questionnaire poll quiz > form survey poll response
slide deck powerpoint keynote > presentation slide
letter memo essay report writeup > document doc
workbook > spreadsheet workbook excel
door window blind curtain shutter garage gate > cover lock device entity
oven fridge kettle fan plug socket appliance gadget sensor > device entity switch
room kitchen bedroom bathroom downstairs upstairs garden > area room floor
louder loud quieter quiet softer > volume
warm warmer hot hotter heat cold colder cooler cool > temperature climate
hoover sweep mop floor dust > vacuum clean
dark darker brighter bright dimmer > brightness light
switch toggle flip > turn toggle switch
song track tune music > track song music playback
next > next skip
beat bpm pace rhythm speed > tempo bpm speed
melody chord harmony pitch > note midi
synth synthesizer piano guitar bass > instrument load
singer band musician > artist
concert gig > event ticket
shape mesh cube sphere solid > object mesh model
sculpt 3d > model mesh
mockup wireframe prototype artboard frame > design frame layout figma
icon logo svg asset > icon asset image
palette theme > color variable style
apartment accommodation lodging villa cottage rent stay overnight > stay property rental accommodation
journey trip itinerary > route trip travel direction
train bus tram subway metro bike bicycle car foot > transit mode travel direction distance
altitude sea > elevation
airport station downtown > direction place airport
hurricane flood tornado earthquake typhoon warning > alert weather warning
constellation planet moon > astronomy
suite flaky red broken break broke > failed fail failure
retry rerun again > retry rerun
source code > code source repository
manual guide howto tutorial doc > documentation docs
function class symbol > symbol function code
sandbox staging environment env > environment workspace
endpoint api > endpoint request transaction
slow slowly long duration latency > slow duration performance explain
speed fast faster optimize tune accelerate > optimize performance index
site website homepage link > url site page crawl
scrape crawl extract harvest > scrape extract crawl
signin login logon authenticate > login authenticate auth
popup modal prompt > dialog
hotkey shortcut keyboard > key press
traffic ajax xhr > request network
manifest yaml > resource yaml
replica > scale
cpu ram > resource usage memory
program process app task software > process program application running
pid exit quit > process terminate kill
machine computer laptop local > system process machine
terminal shell bash > command terminal shell process execute
serverless lambda > function lambda invoke
bucket blob s3 > object bucket
spend spending cost spent expensive cheap > cost price usage
wipe destroy erase > drop delete
whitelist allowlist firewall > access allow list rule
embedding similarity similar nearest neighbour neighbor semantic > vector similarity search
pub sub pubsub broadcast > publish channel subscribe
academic scholar scientific science research researcher article journal literature > paper article publication
vault notebook journal diary > note
forget memorize remember recall > memory knowledge entity observation
ride bike swim workout exercise training jog hike cycling > activity workout
pulse heartbeat > heart rate
gps > route gpx location
calorie meal food diet eat > nutrition food meal
doctor patient hospital symptom > medical patient health
tab > tab sheet
macro vba > macro vba code
red green yellow highlight shade > color format fill
dropdown allowed only restrict limit > validation limit restrict
formula sum average > formula calculate
alarm alarms siren > alert alarm
outage incident disaster emergency > incident
problem trouble issue wrong > issue error problem
fix fixed solve solved > resolve resolved fix
crash crashed crashing > crash error exception
root reason cause why > cause analyze analysis
view viewed visit visitor audience > view analytics traffic visit
chart plot graph > chart graph
rename name title > rename name title
folder > folder directory
size big heavy huge > size info
newest last latest > latest recent last
hidden secret > secret hidden
spare free available > available free
vote upvote like thumb > vote reaction like
follower friend > follower contact user
hashtag trend trending > trend trending hashtag
tweet > tweet
reel footage film > video recording clip
subtitle caption transcript > transcript caption subtitle
narrate narration spoken > speech voice audio
translate translation > translate
dial ring phone call > call phone
sms whatsapp > message
contract agreement nda > contract document agreement
lawyer court legal > legal case
candidate recruit cv > candidate resume
vacancy opening position > job position
course lesson student pupil teacher homework > course student assignment
grade exam > grade assessment
novel > book library
recipe cook ingredient > recipe ingredient
game player > game player score
squad league fixture > team match league
patch hotfix update upgrade > update upgrade version
backup snapshot > backup snapshot
certificate ssl tls https > certificate domain
domain dns subdomain hostname > domain dns record
ping reachable uptime alive > health status ping
bandwidth throughput > traffic network usage
variant > experiment flag feature
toggle flag rollout > flag feature
hypothesis probability forecast predict > forecast predict
mean median > statistic aggregate metric
join combine union > join merge
unique distinct duplicate > unique duplicate distinct
column field > column field schema
structure shape layout > structure schema layout
filter only where > filter
empty blank missing null > empty clear
random dice shuffle > random shuffle
password passphrase pin > password secret credential
encrypt decrypt cipher hash > encrypt decrypt hash
zip unzip tar compress archive > archive compress zip extract
print printer > print
barcode qr > scan code
photo picture selfie > image photo picture
wallpaper avatar profile > avatar image profile
sleep wait > wait pause sleep timeout
undo redo > undo revert
bookmark favorite favourite pin > star bookmark favorite pin
unfinished > draft
asset liability solvency > balance sheet
contest contested disputed complain > dispute
statement > query sql
boot power > start
developer tenant human > user account member
contributor collaborator maintainer participant attendee > member user collaborator
backend feed > datasource source
passage snippet fragment piece portion > block text section snippet
marker mark highlight > annotation mark
swap substitute > replace
shrink enlarge bigger smaller > resize scale
pick choose > select choose
mouse pointer cursor > hover drag click
owned possess belong > holding owner
callback > webhook hook
tile widget > panel
cockpit > dashboard
guideline regulation compliance > policy rule
movement > transaction transfer move
offline unavailable > offline stop
kind genre > type category
heading > title
boilerplate scaffold > template create
refresh > reload refresh restart
silence hush > silence mute
consent agree > approve accept
timetable > schedule
renew extend prolong > renew extend update
activate enable disable deactivate > enable activate disable deactivate turn
enclosed > attachment
disk volume drive > disk volume storage
mirror > copy clone
prod live > environment release
speaker television tv > media player
mistake typo > error
tick checkmark > complete check
grocery groceries > shopping list
surface brick wood metal > texture material
arrange tidy > sort organize move
offer deal > discount deal
wish idea suggestion > feature request idea
bot assistant > agent bot
instruction > step direction prompt
knowledgebase faq > article knowledge search
`

/** Words of one family that no rule of endings brings together: all of a line may stand for one another. */
export const families = `
subscribe subscriber subscription
describe description
transcribe transcription transcript
notify notification
verify verification
modify modification
classify classification
identify identification
specify specification
convert conversion
expand expansion
permit permission
receive receipt recipient
deliver delivery
discover discovery
recover recovery
analyze analysis analytics
respond response
compare comparison
explain explanation
maintain maintenance
retrieve retrieval
renew renewal
approve approval
propose proposal
arrive arrival
revise revision
extend extension
suspend suspension
submit submission
transmit transmission
reduce reduction
deduct deduction
solve solution resolve resolution
register registration registry
grow growth
weigh weight
high height
long length
wide width
deep depth
choose choice
lose loss
sell sale
think thought
know knowledge
live life
succeed success
fail failure
close closure
mix mixture
sign signature
depart departure
fly flight
see sight
complain complaint
pay payment
own owner ownership
lead leader
member membership
employ employee employer employment
translate translator
edit editor
act action activity
connect connection connectivity
create creation creator
plan planner
ship shipment shipping
move movement
agree agreement
remind reminder
schedule scheduler
apply application
diagnose diagnosis diagnostic
hypothesize hypothesis
synchronize sync
authenticate authentication auth login
administer administrator admin administration
configure configuration config
initialize init initialization
repository repo
directory dir
environment env
parameter param
argument arg
statistic stats stat
information info
document doc
specification spec
application app
organization org
temporary temp tmp
message msg
image img
picture pic
reference ref
source src
destination dest
previous prev
calculate calc calculation
number num
maximum max
minimum min
average avg
attribute attr
command cmd
execute exec execution
delete del deletion
remove rm removal
variable var
function func fn
database db
password pwd passwd
address addr
expression expr
category categorize
summary summarize
visual visualize visualization
optimal optimize optimization
minimal minimize
normal normalize
symbol symbolic
depend dependency dependent
exist existence
occur occurrence
refer reference referral
differ difference diff
coordinate coord lat latitude lon longitude
`

// Words that people use for what definitions of tools call otherwise: the verbs of interfaces and the things
// they are about. Each line is a group of words that may all stand for one another, or `words > words`: those
// on the left may stand for those on the right. A word may be in several. General English for software,
// nothing of any one server.

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

// Verbs of two words: `call off` is neither a call nor off. In a question they stand for the one verb that
// they mean, so that tools are not found by their parts.

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
