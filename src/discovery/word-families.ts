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
