/** One collection, asked in the spellings of every language that models know: the right answer at the first attempt. */
import { describe, expect, test } from 'vitest'
import { ask, type Question } from './model-asking.ts'

/** Each question with the records that answer it and, where the reply has to say how it was read, a part of that. */
const questions: readonly (readonly [string, readonly Question[]])[] = [
  [
    'pulls',
    [
      [{ where: 'state = open' }, [101, 103]],
      [{ where: { field: 'state', op: 'eq', value: 'open' } }, [101, 103]],
      [{ where: { $and: [{ state: 'open' }, { draft: false }] } }, [101]],
      [{ where: { title: { $regex: 'crash', $options: 'i' } } }, [101, 105]],
      [{ where: { title: { contains: 'CRASH', mode: 'insensitive' } } }, [101, 105]],
      [{ where: 'SELECT * FROM pulls WHERE comments > 5' }, [103, 105]],
      [{ where: 'state = open, draft = true' }, [103]],
      [{ where: 'state: open' }, [101, 103]],
      [{ where: '.state == "open"' }, [101, 103]],
      [{ where: 'select(.labels[].name == "bug")' }, [101]],
      [{ where: '[?(@.comments > 5)]' }, [103, 105]],
      [{ where: 'pr => pr.draft === false && pr.comments > 5' }, [105]],
      [{ where: '["comments"] > 5' }, [103, 105]],
      [{ where: 'comments more than 5' }, [103, 105]],
      [{ where: 'state is equal to open' }, [101, 103]],
      [{ where: "state IN ('open')" }, [101, 103]],
      [{ where: 'state = "open" || "closed"' }, [101, 102, 103, 104]],
      [{ where: 'comments > 5 and < 10' }, [105]],
      [{ where: 'comments in 1..5' }, [101, 104]],
      [{ where: 'comments = five' }, []],
      [{ where: "title like 'crash%'" }, [105]],
      [{ where: "starts_with(title, 'crash')" }, [105]],
      [{ where: "LOWER(title) LIKE '%crash%'" }, [101, 105]],
      [{ where: 'title icontains crash' }, [101, 105]],
      [{ where: 'title regex crash' }, [101, 105]],
      [{ where: 'title not like %crash%' }, [102, 103, 104]],
      [{ where: 'title = crash*' }, [105]],
      [{ where: 'labels contains bug' }, [101]],
      [{ where: 'labels[*].name == "bug"' }, [101]],
      [{ where: '"bug" in labels' }, [101]],
      [{ where: 'labels has name = bug' }, [101]],
      [{ where: { labels: { name: 'bug' } } }, [101]],
      [{ where: 'not labels has bug' }, [102, 103, 104, 105]],
      [{ where: 'labels = []' }, [104]],
      [{ where: 'len(labels) == 0' }, [104]],
      [{ where: 'labels has bug and labels has ui' }, [101]],
      [{ where: 'assignee is null' }, [101, 103, 104, 105]],
      [{ where: 'assignee is missing' }, [101, 103, 104, 105]],
      [{ where: 'assignee IS NOT NULL' }, [102]],
      [{ where: 'assignee is present' }, [102]],
      [{ where: 'milestone exists false' }, [101, 102, 104, 105]],
      [{ where: 'milestone does not exist' }, [101, 102, 104, 105]],
      [{ where: 'draft' }, [103]],
      [{ where: 'draft is false' }, [101, 102, 104, 105]],
      [{ where: 'isDraft = true' }, [103], 'draft'],
      [{ where: 'user = ann' }, [101, 105]],
      [{ where: 'user/login = ann' }, [101, 105]],
      [{ where: 'user:ann' }, [101, 105]],
      [{ where: 'created_at >= 2024-05-01' }, [101, 103, 105]],
      [{ where: 'created_at > "2024-05-31"' }, [105]],
      [{ where: 'created_at between 2024-05-01 and 2024-05-31' }, [101, 103]],
      [{ where: 'created_at:month = 2024-05' }, [101, 103]],
      [{ where: "created_at > TIMESTAMP '2024-05-15 00:00:00'" }, [103, 105]],
      [{ where: 'head.repo.stargazers_count > 100' }, [101, 102, 103, 104, 105]],
      [{ where: '["state = open", "comments > 5"]' }, [103]],
      [{ where: { comments: '>5' } }, [103, 105]],
      [{ where: { field: 'comments', op: 'greater_than', value: 5 } }, [103, 105]],
      [{ where: { field: 'milestone', exists: true } }, [103]],
      [{ where: { term: { state: 'open' } } }, [101, 103]],
      [{ where: { comments__gt: 5 } }, [103, 105]],
      [{ where: 'number in (101, 104)' }, [101, 104]],
      [{ where: 'state = open and (labels has bug or labels has debug)' }, [101, 103]],
      [{ where: '[state] = open' }, [101, 103]],
      [{ where: '[].state = open' }, [101, 103]],
    ],
  ],
]

describe.each(questions)('%s', (document, asked) => {
  const cases = asked.map(([params, found, remark = '']) => ({
    params,
    found,
    remark,
    name: JSON.stringify(params),
  }))
  test.each(cases)('$name', ({ params, found, remark }) => {
    const { error, ids, notes } = ask(document, params)
    expect(error).toBeUndefined()
    expect(ids).toEqual(found)
    expect(notes.join('\n')).toContain(remark)
  })
})
