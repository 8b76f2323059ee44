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
