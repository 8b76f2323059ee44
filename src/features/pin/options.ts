import * as z from 'zod'
import { flag, oneOf } from '../../config/option.ts'

/** Options of the module `pin`. */
export const pinOptions = z.object({
  onChange: oneOf(
    ['hold', 'warn'],
    'What happens to a tool when its definition changes. hold: the proxy hides it until a person approves it. warn: the log says so.',
  ).default('hold'),
  onNew: oneOf(['accept', 'hold'], 'What happens to a new tool.').default('accept'),
  suspicious: flag(
    'Hold back a tool if its definition speaks to the model behind the user: hidden characters, orders to ignore or conceal something.',
  ).default(true),
})
