import { aggregate } from '../../src/processors/steps/group.ts'
import { join } from '../../src/processors/steps/join.ts'
import { projection } from '../../src/processors/steps/projection.ts'
import { select } from '../../src/processors/steps/select.ts'
import { sort } from '../../src/processors/steps/sort.ts'
import { where } from '../../src/processors/steps/where.ts'
import { processorSuite } from './processor.ts'

processorSuite({
  name: 'select',
  processor: select,
  examples: [
    { path: '$[*].labels[*]' },
    { path: '[0:2]' },
    { path: '[?@.price > 5]' },
    { path: '$..name' },
    { path: 'user.login' },
    { path: '[1]' },
  ],
})

processorSuite({
  name: 'where',
  processor: where,
  examples: [
    { where: ['state = open', 'price > 5'] },
    { where: 'title ~ ^crash' },
    { where: '["labels has bug"]' },
    { where: 'not (state = open) or price is null' },
  ],
})

processorSuite({
  name: 'sort',
  processor: sort,
  examples: [{ sort: '-price' }, { sort: ['state', '-user.login'] }],
})

processorSuite({
  name: 'aggregate',
  processor: aggregate,
  examples: [
    { group_by: 'state' },
    { aggregate: 'count, sum(price), distinct(user.login)' },
    { group_by: ['labels.name', 'state'], aggregate: ['avg(price)'] },
  ],
})

processorSuite({
  name: 'projection',
  processor: projection,
  examples: [
    { fields: ['id', 'user.login', 'labels[].name'] },
    { exclude: 'labels, user.login' },
    { fields: 'title', mode: 'exclude' },
    { fields: '[0:2].title' },
  ],
})

processorSuite({
  name: 'join',
  processor: join,
  examples: [
    { join_on: 'user.login = title' },
    { join_on: 'id' },
    { path: '$[*].labels[*]', join_on: 'name = state' },
    { join_on: ['labels.name = state', 'id = id'] },
  ],
})
