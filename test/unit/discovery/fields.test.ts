import { expect, test } from 'vitest'
import { partsOfName } from '../../../src/discovery/fields.ts'

test('an action and words of the description', () => {
  expect(partsOfName('listissues', 'All open issues of a repository')).toEqual(['list', 'issues'])
  expect(partsOfName('Listissues', 'All open issues.')).toEqual(['list', 'issues'])
  expect(partsOfName('getuserfile', 'One file of a user.')).toEqual(['get', 'user', 'file'])
})

test('words of the description without an action, the name itself is none of them', () => {
  expect(partsOfName('bigjson', 'bigjson returns a big JSON document')).toEqual(['big', 'json'])
  expect(partsOfName('sendemail', 'Sends e-mail to somebody')).toEqual(['send', 'email'])
})

test('other names stay whole', () => {
  for (const name of [
    'listing',
    'address',
    'list_issues',
    'listIssues',
    'LISTISSUES',
    'getIssue2',
    'list',
    '',
    'xlistissues',
  ])
    expect(partsOfName(name, 'issues, users and a dress'), name).toEqual([])
})

test('a description made to be tried in many ways costs no time', () => {
  const description = Array.from({ length: 36 }, (_, at) => 'a'.repeat(at + 3)).join(' ')
  expect(partsOfName(`get${'a'.repeat(36)}b`, description)).toEqual([])
})
