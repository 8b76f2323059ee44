import { expect, test } from 'vitest'
import { FORMATS } from '../../src/documents/formats/index.ts'
import { fromRecognised } from '../../src/documents/opening/derive.ts'
import { recognise } from '../../src/documents/opening/detect.ts'
import { preview } from '../../src/documents/reply/preview.ts'
import { formatContract, type Samples } from './formats.ts'

const rows = (count: number, row: (nth: number) => string): string[] =>
  Array.from({ length: count }, (_, nth) => row(nth))
const below =
  (head: string, row: (nth: number) => string, tail = '') =>
  (times: number) =>
    `${head}${rows(times, row).join('\n')}\n${tail}`

const PROSE =
  'The report was read twice. It says, among other things, that nothing was lost.\nNobody knew why: and/or how.\n'

const SAMPLES: Readonly<Record<string, Samples>> = {
  json: {
    are: [
      '{"a":1}',
      '[1,2,3]',
      'Result:\n[{"id":1},{"id":2}]\nDone.',
      '```json\n{"a":[1,2],"b":"and more of it"}\n```',
    ],
    areNot: ['{"a":1', '{a: 1}', 'see [1] and [2]', PROSE],
    grows: below('[', (nth) => `{"id":${nth}},`, '{"id":-1}]'),
  },
  python: {
    are: ["[(1, 'Ann', None), (2, 'Bob', True)]", "{'a': 1.5, 'b': [Decimal('1.20')]}"],
    areNot: ["print('a')", '[a for a in b]', '[1, 2]'],
    grows: below('[', (nth) => `(${nth}, 'a', None),`, "(0, 'b', True)]"),
  },
  'row lists': {
    are: [
      "Rows:\nRow 1: ['a', 'b']\nRow 2: ['c', 'd']\nRow 3: ['e', 'f']",
      "1. {'id': 1}\n2. {'id': 2}\n3. {'id': 3}",
    ],
    areNot: ['- [x] a (b)\n- [ ] c (d)\n- [x] e (f)', "['a', 'b']\n['c', 'd']\nand\n['e', 'f']"],
    grows: below("Row 0: ['a', 'b']\n", (nth) => `Row ${nth + 1}: ['c', 'd ${nth}']`),
  },
  'named json': {
    are: [
      'home/hall/temp {"value": 21, "unit": "C"}\nhome/hall/door {"open": true}\nhome/hall/state ON\n',
      'Messages:\nweb-1 {"level":"info"}\nweb-1 {"level":"warn"}\ndb-1  {"level":"info"}\n',
    ],
    areNot: [
      '2024-05-06T07:08:09Z {"a":1}\n2024-05-06T07:08:10Z {"a":2}\n2024-05-06T07:08:11Z {"a":3}\n',
      'INFO {"a":1}\nWARN {"a":2}\nINFO {"a":3}\n',
      'web-1  | {"level":"info"}\nweb-1  | {"level":"warn"}\ndb-1   | {"level":"info"}\n',
      'a: {"b":1}\nc: {"b":2}\nd: {"b":3}\n',
      'event: x\ndata: {"a":1}\n\nevent: x\ndata: {"a":2}\n',
    ],
    grows: below('', (nth) => `a/${nth} {"id":${nth},"name":"n"}`),
  },
  'slow log': {
    are: [
      'mysqld, Version: 8.0. started with:\n# Time: 2024-05-06T07:08:09Z\n# User@Host: app[app] @ web [10.0.0.7]  Id: 9\n# Query_time: 2.5  Lock_time: 0.1 Rows_sent: 1\nSET timestamp=1;\nselect 1;\n# User@Host: app[app] @  [10.0.0.8]\n# Query_time: 3\nselect\n2;\n',
    ],
    areNot: ['# Time: 1\n# Query_time: 2.5\nselect 1;\n', '# Query_times: 5\nselect 1;\n# Rows: 5\n'],
    grows: below('', (nth) => `# Query_time: ${nth}  Rows_sent: 1\nselect ${nth};`),
  },
  inspected: {
    are: [
      "[\n  { id: 1, name: 'Ann', tags: [ 'a' ], at: 2024-05-06T07:08:09.000Z },\n  { id: 2, name: \"O'Hara\", on: undefined }\n]",
      'User { id: 5n, run: [Function: run], more: [Object] }',
      '{ "_id": ObjectId("65a"), "n": NumberLong(5) }\n{ "_id": ObjectId("65b"), "n": NumberLong(6) }\n',
    ],
    areNot: [
      '{ a: string; b: number }',
      '{ user { name } }',
      'a { color: red }',
      '{ a: b }',
      "{ a: f('x') }",
    ],
    grows: below('[', (nth) => `{ id: ${nth}, name: 'n', on: true },`, '{ id: -1 } ]'),
  },
  ndjson: {
    are: ['{"a":1}\n{"a":2}\n', '{"a":1}\n{"a":2}\n{"a":3}\noops\n{"a":4}\n{"a":5}\n'],
    areNot: ['{"a":1}\nwords\nmore words\n'],
    grows: below('', (nth) => `{"id":${nth},"name":"n"}`),
  },
  'cut json': {
    are: [
      `Contents:\n${JSON.stringify(rows(60, (nth) => (nth % 3 ? 'a' : `"${nth}`)).map((name, id) => ({ id, name }))).slice(0, -20)}\n\n<error>Content truncated.</error>`,
      JSON.stringify(
        { items: rows(60, (nth) => `name ${nth}`).map((name) => ({ name, tags: [name] })) },
        null,
        2,
      ).slice(0, 2_500),
    ],
    areNot: [JSON.stringify(rows(200, String)), `[${'words and more, '.repeat(60)}`, '[[['.repeat(300)],
    grows: below('[\n', (nth) => `{"id":${nth},"name":"n"},`, '{"id":7,"na'),
  },
  files: {
    are: [
      '==> a/b.txt <==\nhello\n\n==> c.txt <==\nworld\n',
      '### src/a.ts\n```ts\nconst a = 1\n```\n\n### src/b.ts\n```ts\nconst b = 2\n```\n',
      '--- src/a.ts ---\nconst a = 1\n--- src/b.ts ---\nconst b = 2\n',
      '<file path="a/b.py">\nprint(1)\n</file>\n<file path="a/c.py">\nprint(2)\n</file>\n',
      '<files>\n<file path="a/b.vue">\n<script lang="ts">\nlet a\n</script>\n</file>\n<file path="a/c.vue">\n<script lang="ts">\nlet b\n</script>\n</file>\n</files>\n',
      '/data/a.json:\n{"a": 1}\n\n---\n/data/b.md:\n# Title\n\ntext\n',
      '================\nFile: src/a.ts\n================\na\n\n================\nFile: src/b.ts\n================\nb\n',
    ],
    areNot: [
      '# Guide\n\n## Install\n\n```sh\nnpm i\n```\n\n## Use\n\n```sh\nx\n```\n',
      '--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1 +1 @@\n-x\n+y\n',
      'src/lib:\na.ts\n\nsrc/x:\nb.ts\n',
      '==> a.txt <==\nonly one\n',
      '<?xml version="1.0"?>\n<pmd>\n<file name="a/b.java">\nodd\n</file>\n<file name="a/c.java">\n</file>\n</pmd>\n',
      '<checkstyle>\n<file name="a/b.java">\n<error line="1"/>\n</file>\n<file name="c.java">\n<error line="2"/>\n</file>\n</checkstyle>\n',
    ],
    grows: below('', (nth) => `==> src/f${nth}.txt <==\nline ${nth}\n`),
  },
  xml: {
    are: [
      '<?xml version="1.0"?><a><b x="1">t</b><b>u &amp; v</b></a>',
      '<rss><channel><item><title>A</title></item></channel></rss>',
    ],
    areNot: [
      '<a><b></a>',
      '<html><body><p>x</p></body></html>',
      '<p>a<br>b</p>',
      '<!DOCTYPE a [<!ENTITY b "x">]>',
    ],
    grows: below('<all>', (nth) => `<r><id>${nth}</id><n>a &amp; b</n></r>`, '</all>'),
  },
  html: {
    are: [
      '<!doctype html><title>T</title><h1>A</h1><p>x',
      '<div><p>a<br>b</p></div>',
      '<table><tr><td>1<td>2<tr><td>3<td>4</table>',
    ],
    areNot: ['a < b and c > d', '<T>(a: T) => a', PROSE],
    grows: below('<!doctype html><table><tr><th>a<th>b', (nth) => `<tr><td>${nth}<td>x &lt; y`, '</table>'),
  },
  mail: {
    are: [
      'From a@x Fri May  3 08:00:00 2024\nFrom: Ann <a@x>\nSubject: =?utf-8?B?SMOk?=\n\nHi\n>From me\n\nFrom b@x Sat May  4 08:00:00 2024\nFrom: Bob <b@x>\nContent-Type: multipart/mixed; boundary="X"\n\n--X\nContent-Type: text/plain\n\nText\n--X--\n',
    ],
    areNot: [
      'From the sea of 2024\nThey came: many of them.\n',
      'From: Ann\nTo: Bob\n\nHello\n',
      'From 1990 to 2024\nprose\n',
    ],
    grows: below('', (nth) => `From a@x Fri May  3 08:00:00 2024\nFrom: Ann\nSubject: s${nth}\n\nText\n`),
  },
  calendar: {
    are: [
      'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nSUMMARY:A\\, b\r\nDTSTART;TZID=Europe/Rome:20240501T090000\r\nATTENDEE;CN="B, C";PARTSTAT=DECLINED:mailto:b@x\r\nDESCRIPTION:long\r\n  er\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n',
      'BEGIN:VCARD\nVERSION:3.0\nFN:Ann\nTEL;TYPE=work:+1 5\nEND:VCARD\nBEGIN:VCARD\nFN:Bob\nEND:VCARD\n',
    ],
    areNot: [
      'BEGIN:VCALENDAR is how it starts\nand it ends\n',
      'BEGIN: now\nEND: then\n',
      '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
    ],
    grows: below(
      'BEGIN:VCALENDAR\n',
      (nth) => `BEGIN:VEVENT\nUID:${nth}\nATTENDEE;CN=A:mailto:a@x\nEND:VEVENT`,
      'END:VCALENDAR\n',
    ),
  },
  bibtex: {
    are: [
      '@article{ann2024,\n  title = {A {B} of "C"},\n  author = {Ann Lee and Bo M{\\"u}ller},\n  year = 2024,\n}\n',
      '% made by hand\n@string{j = "Journal"}\n\n@book{b, title = "Two" # " parts", journal = j}\n',
    ],
    areNot: [
      '@media print { a { color: red } }\n@media screen { b { top: 0 } }\n',
      'Write to @ann{x, y = {1}}\n',
      '@Override\npublic void run() { x = 1; }\n',
    ],
    grows: below('', (nth) => `@misc{k${nth},\n  title = {A {title} of ${nth}},\n  year = {2024}\n}`),
  },
  tagged: {
    are: [
      'TY  - JOUR\nAU  - Lee, Ann\nAU  - Roe, Bo\nTI  - One\nPY  - 2024\nER  - \n\nTY  - BOOK\nTI  - Two\nER  - \n',
      '\nPMID- 30000\nOWN - NLM\nTI  - A long\n      title\nAU  - Lee A\nDP  - 2024 May\n',
    ],
    areNot: [
      'TY  - one line that looks so\nand prose below it\nand more\n',
      'TODO - a\nDONE - b\nTODO - c\nDONE - d\nTODO - e\n',
    ],
    grows: below('', (nth) => `PMID- ${nth}\nTI  - Title ${nth}\nAU  - A\nAU  - B`),
  },
  chat: {
    are: [
      '[03/11/2025, 09:03:57] Ann Lee: hi\n[03/11/2025, 09:04:13] Bo: a\nb\n',
      '# Team\n\n**Ann Lee** (2025-11-03 09:18):\nhi\n\n**Bo** (2025-11-03 09:19):\nok\n',
      'Meeting\n\nAnn Lee (00:50)\nWe begin.\n\nBo (01:10)\nWe end.\n',
    ],
    areNot: [
      '[03/11/2025, 09:03:57] INFO: up\n[03/11/2025, 09:04:13] WARN: slow\n',
      'Ann Lee (2024): one\nBo (2025): two\n',
      'Lunch (12:30)\nWalk (13:30)\nDinner (19:00)\n',
      '# Log\n\n**Ann** (2025-11-03 09:18): a\n\n# Other\n\nProse.\n',
    ],
    grows: below('', (nth) => `[03/11/2025, 09:0${nth % 10}:00] Ann Lee: text ${nth}`),
  },
  items: {
    are: [
      'Found 3:\n\n1. **One**\n   - State: open\n   - Author: ann\n\n2. **Two**\n   - State: closed\n\n3. **Three**\n   - State: open\n',
      '• A\n  📅 Due: 2024-05-01 | Owner: bo\n• B\n  📅 Due: 2024-05-02 | Owner: bo\n• C\n  📅 Due: 2024-05-03\n',
      '1. A\nURL: https://x.org\n\n2. B\nURL: https://x.org\n\n3. C\nURL: https://x.org\n',
    ],
    areNot: [
      '1. Welcome\n   - Ann opened\n2. Budget\n   - Bo: we need more\n3. Plans\n   - later\n4. End\n',
      '- Ann: hello\n- Bob: hi\n- Ann: how are you\n',
      'Some words.\n\nMore: words.\n\n- a\n- b\n- c\n',
    ],
    grows: below('', (nth) => `${nth}. Item ${nth}\n   - State: open\n   - Note: n${nth}`),
  },
  'sql dump': {
    are: [
      "-- MySQL dump\n/*!40101 SET NAMES utf8 */;\nCREATE TABLE `t` (\n  `id` int,\n  `n` varchar(9) DEFAULT 'a,b',\n  PRIMARY KEY (`id`)\n);\nINSERT INTO `t` VALUES (1,'O\\'Neil; (x)'),(2,NULL);\n",
      'SET x = 0;\nCOPY public.t (id, n) FROM stdin;\n1\ta\n2\t\\N\n\\.\n',
      "INSERT INTO t (a, b) VALUES ('C:\\', now()) ON CONFLICT DO NOTHING;\n",
    ],
    areNot: [
      'CREATE TABLE t (id int);\nSELECT * FROM t;\n',
      "import db\n\ndef f():\n    db.run('INSERT INTO t VALUES (1)')\n",
      'Insert into the form\nvalues (of yours)\n',
    ],
    grows: below('', (nth) => `INSERT INTO t (a, b) VALUES (${nth}, 'x''y'), (${nth}, NULL);`),
  },
  coverage: {
    are: [
      'TN:\nSF:src/a.ts\nFN:3,f\nFNDA:0,f\nDA:1,1\nDA:2,0\nBRDA:2,0,0,-\nLF:2\nLH:1\nend_of_record\n',
      'SF:a.c\nDA:1,4\nend_of_record\nSF:b.c\nDA:1,0\nend_of_record\n',
    ],
    areNot: ['SF: San Francisco\nLA: Los Angeles\n', 'TN:\nDA:1,1\nend_of_record\n'],
    grows: below('', (nth) => `SF:src/f${nth}.ts\nDA:1,1\nDA:2,0\nend_of_record`),
  },
  subtitles: {
    are: [
      rows(
        3,
        (nth) => `${nth + 1}\n00:0${nth}:01,000 --> 00:0${nth}:04,500\nSaid <i>${nth}</i>\nand more\n`,
      ).join('\n'),
      `WEBVTT\n\nNOTE of it\n\n${rows(3, (nth) => `0${nth}:01.000 --> 0${nth}:04.500 align:start\n<v Ann>Said ${nth}</v>\n`).join('\n')}`,
    ],
    areNot: ['WEBVTT is a format\nof subtitles\n', '1\n2\n3\n', 'a --> b\nb --> c\nc --> d\n'],
    grows: below(
      'WEBVTT\n\n',
      (nth) => `00:${String(nth % 60).padStart(2, '0')}:01.000 --> 00:59:04.500\nSaid ${nth}\n`,
    ),
  },
  tap: {
    are: [
      'TAP version 13\n1..3\nok 1 - a\nnot ok 2 - b\n  ---\n  message: "x"\n  ...\nok 3 - c # SKIP none\n',
      '# Subtest: one\n    ok 1 - a\n    ok 2\n    1..2\nok 1 - one\n1..1\n',
    ],
    areNot: ['ok 1\nok 2\nok 3\n', '1..3 is a range\nok then\n', 'ok, so be it\nnot ok\n1..2\n'],
    grows: below('1..20\n', (nth) => `ok ${nth} - test ${nth}`),
  },
  outcomes: {
    are: [
      '=== RUN   TestA\n--- PASS: TestA (0.01s)\n=== RUN   TestB\n--- FAIL: TestB (0.01s)\n--- SKIP: TestC (0.00s)\n',
      'a.py::test_a PASSED [ 5%]\na.py::B::test_b FAILED [ 6%]\na.py::test_c SKIPPED (x) [ 7%]\n',
      'running 3 tests\ntest a::b ... ok\ntest c ... FAILED\ntest d ... ignored\n',
      'PASS src/a.test.ts\n  s\n    ✓ a (5 ms)\n    ✕ b\n    ○ skipped c\n',
      'TASK [a : b] ****\nok: [w1]\nchanged: [w2]\nfatal: [w3]: UNREACHABLE! => {}\n',
    ],
    areNot: [
      ' ✓ bread\n ✓ milk\n ✕ eggs\n',
      'ok: [a]\nok: [b]\nok: [c]\n',
      '# Log\n```\n--- PASS: TestA (0.01s)\n--- PASS: TestB (0.01s)\n--- PASS: TestC (0.01s)\n```\n',
    ],
    grows: below('', (nth) => `=== RUN   TestA${nth}\nsaid\n--- PASS: TestA${nth} (0.01s)`),
  },
  plan: {
    are: [
      ' QUERY PLAN\n-----\n Sort  (cost=1.05..1.06 rows=3 width=8)\n   Sort Key: id\n   ->  Seq Scan on a  (cost=0.00..1.03 rows=3 width=8)\n(3 rows)\n',
      '-> Filter: (a.b > 3)  (cost=1.80 rows=9) (actual time=0.1..0.2 rows=9 loops=1)\n    -> Table scan on a  (cost=1.80 rows=9)\n',
    ],
    areNot: [
      'The node says (cost=1.05..1.06 rows=3 width=8).\n'.repeat(2) +
        'It is read twice, and slow.\n'.repeat(12),
      'id | note\n---+-----\n 1 | a (cost=5)\n 2 | b (cost=6)\n',
    ],
    grows: below(
      'Append  (cost=0.00..9.5 rows=3 width=8)\n',
      (nth) => `  ->  Seq Scan on t${nth}  (cost=0.00..1.5 rows=3 width=8)`,
    ),
  },
  vertical: {
    are: [
      rows(3, (nth) => `-[ RECORD ${nth + 1} ]---\nid   | ${nth}\nname | a|b +\n     | c`).join('\n'),
      `${rows(3, (nth) => `${'*'.repeat(27)} ${nth + 1}. row ${'*'.repeat(27)}\n  id: ${nth}\nnote: NULL`).join('\n')}\n3 rows in set (0.00 sec)\n`,
    ],
    areNot: ['-[ RECORD 1 ]---\nid | 1\n', '*** 1. row ***\n*** 2. row ***\n'],
    grows: below('', (nth) => `-[ RECORD ${nth + 1} ]---\nid   | ${nth}\nname | a`),
  },
  table: {
    are: [
      'id | name\n 1 | Ann\n 2 | Bob\n(2 rows)\n',
      ' id | name \n----+------\n  1 | Ann  \n  2 | Bob  \n(2 rows)\n',
      '+----+------+\n| id | name |\n+----+------+\n|  1 | Ann  |\n+----+------+\n',
      'NAME    READY   STATUS\nweb-1   1/1     Running\nweb-2   0/1     Pending\n',
    ],
    areNot: [
      ' src/a.ts | 2 +-\n src/b.ts | 3 ++-\n 2 files changed, 3 insertions(+), 2 deletions(-)\n',
      `The Quick Brown Fox\n${'It ran over the hill and was not seen.\n'.repeat(8)}`,
      'a | b\n',
    ],
    grows: below(' id | name \n----+------\n', (nth) => `${String(nth).padStart(3)} | Ann  `),
  },
  listing: {
    are: [
      'total 8\n-rw-r--r-- 1 ann staff 120 May  1 10:00 a.txt\ndrwxr-xr-x 2 ann staff 4096 May  1 10:00 src\n-rw-r--r-- 1 ann staff 9 May  1 10:00 b\n',
    ],
    areNot: ['-rw is a mode\nso is -r--\n'],
    grows: below('', (nth) => `-rw-r--r-- 1 ann staff ${nth} May  1 10:00 f${nth}.txt`),
  },
  metrics: {
    are: ['# HELP up Is it up\n# TYPE up gauge\nup{job="a"} 1\nup{job="b"} 0\n'],
    areNot: ['# HELP me\nplease\n'],
    grows: below('# TYPE up gauge\n', (nth) => `up{job="j${nth}"} ${nth}`),
  },
  'extended log': {
    are: [
      '#Software: S\n#Fields: date time c-ip cs(User-Agent) sc-status\n2025-11-03 00:03:16 10.0.0.5 curl/8 200\n',
      '#separator \\x09\n#fields\tts\tuid\tnote\n#types\ttime\tstring\tstring\n1.5\tC1\ta b\n#close\t2024\n',
    ],
    areNot: [
      '#Fields: are green\nand so are hills and\nthe sky is not\n',
      '# Title\n\n#Fields: of work\n',
      'we saw four birds\nyou saw 3 cats\nthey saw 2 dogs\nnobody saw 1 cow\n',
      'a list of numbers\n1 2 3 4\n5 6 seven\n9\n',
      'Server started on port\nLine 1 took 2\nand then it stopped\nLine 4 took 3\n',
    ],
    grows: below('#Fields: time c-ip sc-status\n', (nth) => `10:00:00 10.0.0.1 ${nth}`),
  },
  'csv tables': {
    are: [
      'Section,Pages\nPage,Views\n/a,1\n/b,2\n\nSection,Places\nCountry,Users\nDE,5\nUS,6\n',
      'Sales\nid,name,sum\n1,Ann,5\n2,Bob,6\n\nReturns\nid,why,day\n1,late,2024-05-01\n',
    ],
    areNot: ['id,name,sum\n1,Ann,5\n\n2,Bob,6\n3,Cy,7\n', 'Dear all, hello\n\nI came, I saw\n'],
    grows: below(
      'Section,Places\nCountry,Users\nDE,5\nUS,6\n\nSection,Pages\nPage,Views\n',
      (nth) => `/p${nth},${nth}`,
    ),
  },
  csv: {
    are: [
      'id,name\n1,Ann\n2,Bob\n3,Cy\n',
      'Total, EUR;State;Day\n1,5;open;2024-05-01\n2,5;done;2024-05-02\n',
      'a;b;c\n"x;y";2;3\n"p""q";5;6\n7;8;9\n',
      '# note\nid\tname\tsize\n1\ta\t2\n2\tb\t3\n',
    ],
    areNot: [
      'Dear all, hello\nI came, I saw\n',
      '1,2,3\n4,5,6\n7,8,9\n',
      `${'INSERT INTO t VALUES (1);\n'.repeat(9)}`,
    ],
    grows: below('id,name,note\n', (nth) => `${nth},"n, ${nth}",x`),
  },
  tree: {
    are: [
      '- link "Home" [ref=e1]:\n  - /url: /start\n- button "Go" [ref=e2]\n- heading "A" [level=2] [ref=e3]\n- textbox "Q" [ref=e4]\n',
      '## Latest page snapshot\nuid=1_0 RootWebArea "Shop" url="http://x/"\n  uid=1_1 "Welcome"\n  uid=1_2 button "Buy" focusable focused\n  uid=1_3 link "Pen" url="/pen"\n',
    ],
    areNot: ['- one\n- two\n- three\n- four\n', 'uid=1\nuid=2\n'],
    grows: below('', (nth) => `- button "B${nth}" [ref=e${nth}]`),
  },
  yaml: {
    are: [
      'apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\nspec:\n  containers:\n    - name: a\n      image: "x:1.10"\n',
      'a:\n  b: 1\n  c: &x\n    d: yes\n---\na:\n  b: 2\n  c: [1, 2]\n',
      'services:\n  web:\n    image: a\n    command: |\n      echo a: b\n      exit\n  db:\n    image: b\n',
    ],
    areNot: [
      'name: web\nport: 80\nhost: a\nuser: b\nmode: c\n',
      '# Title\n\ntext:\n- a\n- b\n\nmore words here.\nAnd more.\n',
      'a: [\nb:\n  c: 1\n  d: 2\n  e: 3\n',
      PROSE,
    ],
    grows: below('items:\n', (nth) => `  - name: n${nth}\n    size: ${nth}`),
  },
  toml: {
    are: [
      'version = 4\n\n[[package]]\nname = "a"\nversion = "1.0.0"\ndependencies = [\n "b",\n "c 0.2",\n]\n\n[[package]]\nname = "b"\nversion = "0.1.0"\n',
      '[package]\nname = "app"\nversion = "1.0.0"\nedition = "2021" # the last\n\n[dependencies]\nserde = { version = "1", features = ["derive"] }\nlibc = "0.2"\n',
    ],
    areNot: [
      '[main]\na = 1\nb = 2\nc = 3\n[other]\nd = 4\ne = 5\nf = 6\n',
      'a = 1\nb = 2\nc = [\n 1,\nd = 4\ne = 5\n',
      'a = [1, 2]\nb = {"x": 1}\nprint(a)\nc = [3]\nd = [4]\ne = [5]\n',
      PROSE,
    ],
    grows: below('', (nth) => `[[item]]\nname = "n${nth}"\nsizes = [${nth}]\na.b = true`),
  },
  'drawn tree': {
    are: ['.\n├── a.ts\n├── src\n│   ├── b.ts\n│   └── c.ts\n└── d.ts\n'],
    areNot: ['│ a box │\n└───────┘\n'],
    grows: below('.\n', (nth) => `├── f${nth}.ts`),
  },
  diff: {
    are: ['diff --git a/x.ts b/x.ts\n--- a/x.ts\n+++ b/x.ts\n@@ -1,2 +1,2 @@\n-a\n+b\n c\n'],
    areNot: ['--- a\n+++ b\nno hunk\n', '# How\n\n```diff\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n```\n'],
    grows: below(
      '',
      (nth) => `diff --git a/f${nth} b/f${nth}\n--- a/f${nth}\n+++ b/f${nth}\n@@ -1 +1 @@\n-a\n+b`,
    ),
  },
  'git log': {
    are: [
      `commit ${'1'.repeat(40)}\nAuthor: Ann <a@x>\nDate:   Fri May 3 08:00:00 2024\n\n    Fix it\n\n src/a.ts | 2 +-\n`,
    ],
    areNot: ['commit early, commit often\nAuthor: me\n'],
    grows: below(
      '',
      (nth) =>
        `commit ${String(nth).padStart(40, 'a')}\nAuthor: Ann <a@x>\nDate:   Fri May 3 2024\n\n    Fix ${nth}\n`,
    ),
  },
  'git lines': {
    are: [
      'a1b2c3d Fix\nb2c3d4e Add\nc3d4e5f Drop\nd4e5f6a Move\ne5f6a7b End\n',
      ' a.ts | 2 +-\n b.ts | 3 ++-\n c.png | Bin 0 -> 9 bytes\n d/{x => y}.ts | 0\n e.ts | 400 ++++---\n 5 files changed\n',
    ],
    areNot: ['deadbeef is a word\nfeedface is too\nfacade\ndecade\nadded\n'],
    grows: below('', (nth) => `a${String(nth).padStart(6, '0')}b Fix ${nth}`),
  },
  log: {
    are: [
      '2024-05-01T10:00:00Z INFO started port=80\n2024-05-01T10:00:01Z ERROR failed\n\tat x\n',
      '1.2.3.4 - - [17/May/2015:10:05:03 +0000] "GET /a HTTP/1.1" 200 12\n1.2.3.4 - - [17/May/2015:10:05:04 +0000] "GET /b HTTP/1.1" 404 -\n',
      'time=2024-01-01T00:00:00Z level=warn msg="slow query" ms=12\ntime=2024-01-01T00:00:01Z level=info msg=ok ms=1\n',
    ],
    areNot: [PROSE, '2024-05-01 was a Wednesday.\nThe day after was not.\nNobody cared.\n'],
    grows: below('', (nth) => `2024-05-01T10:00:00Z INFO app - request ${nth} took ms=${nth}`),
  },
  settings: {
    are: [
      'A=1\nB=2\nC="x y"\nD=4\nE=5\nF=6\n',
      '[main]\na = 1\nb = 2\nc = 3\n[other]\nd = 4\ne = 5\nf = 6\n',
    ],
    areNot: ['const a = 1;\nconst b = 2;\nlet c = 3;\nlet d = 4;\nvar e = 5;\nvar f = 6;\n', 'A=1\nB=2\n'],
    grows: below('[main]\n', (nth) => `key_${nth} = ${nth}`),
  },
  diagnostics: {
    are: [
      'src/a.ts(12,3): error TS1: No.\nsrc/b.ts(1,1): error TS2: No.\nsrc/c.ts(2,2): error TS3: No.\n',
      'a/b.py:3:1: E501 Long\na/b.py:4: x\na/c.py:5: y\n',
      'src/a.rs\n7:  // TODO\n9:x\n\nsrc/b.rs\n1:y\n',
    ],
    areNot: ['10:20:30 start\n10:20:31 stop\n10:20:32 end\n'],
    grows: below('', (nth) => `src/a.ts:${nth}:1: warning: unused`),
  },
  'framed diagnostics': {
    are: [
      'error[E0382]: moved\n --> src/a.rs:7:30\n  |\n7 | x\n  | ^\n\nwarning: unused\n --> src/b.rs:8:4\n',
    ],
    areNot: [
      'error: no file\nwarning: odd\nwarning: a\n --> x:1:1\n',
      'a --> b:1:2\nc --> d:3:4\n',
      `error: a\n --> b.rs:1:1\n${PROSE.repeat(9)}`,
    ],
    grows: below('', (nth) => `error[E0${nth}]: moved\n --> src/a.rs:${nth}:1\n`),
  },
  paths: {
    are: [
      './src/a.ts\n./src/b.ts\n./src/x/c.ts\n./README.md\n./LICENSE\n',
      '[DIR] src\n[FILE] README.md     1.20 KB\n[FILE] package.json     890 B\n[DIR] test\n\nTotal: 2 files, 2 directories\nCombined size: 2.1 KB\n',
      '/srv/a.txt\n/srv/my file.txt\n/srv/b.txt\n/srv/c.txt\n',
    ],
    areNot: [
      'either/or\nand/or\nhe/she\nit/they\nyes/no\n',
      'https://a.b/c.html\nhttps://a.b/d.html\nhttps://a.b/e.html\nhttps://a.b/f.html\n',
      '1/2/2024\n1/3/2024\n1/4/2024\n1/5/2024\n',
    ],
    grows: below('', (nth) => `src/folder/f${nth}.ts`),
  },
  code: {
    are: [
      'import a from "a"\n\nexport class B {\n  run(x) {\n    return x\n  }\n}\n\nfunction c() {\n  return 1\n}\n',
      'package main\n\nimport "fmt"\n\ntype A struct {\n\tB int\n}\n\nfunc (a *A) Run() {\n\tfmt.Println(1)\n}\n\nfunc main() {\n\treturn\n}\n',
      'class A:\n    def b(self):\n        return 1\n\n    def c(self):\n        return 2\n\ndef d():\n    pass\n',
      '#include <stdio.h>\n\nstatic int a(int b) {\n  return b;\n}\n\nint main(void) {\n  return a(1);\n}\n\nvoid c() {\n}\n',
    ],
    areNot: [
      '# Guide\n\n```ts\nfunction a() {\n}\nfunction b() {\n}\nfunction c() {\n}\n```\n',
      'class struggle was a theme\ninterface with people\ntype of person\nmodule of a course\n',
      PROSE,
    ],
    grows: below('', (nth) => `function f${nth}(a) {\n  return a + ${nth};\n}\n`),
  },
  markdown: {
    are: ['# Title\n\n## One\n\n- a\n- b\n', '| a | b |\n|---|---|\n| 1 | 2 |\n\nwords\n'],
    areNot: ['#!/bin/sh\n# a\n\n# b\necho `x`\n', '# first\nx = 1\n# second\ny = 2\n'],
    grows: below('# Title\n\n', (nth) => `## Section ${nth}\n\nWords with \`code\` in them.\n`),
  },
  stanzas: {
    are: [
      rows(4, (nth) => `Name: w${nth}\nKind: Pod\nContainers:\n  web:\n    Image: a:${nth}\n`).join('\n'),
      'Title: One\nURL: https://a\n\nTitle: Two\nURL: https://b\n\nTitle: Three\nURL: https://c\n',
    ],
    areNot: ['Dear all: hello\nprose\nprose\n', 'Ann: hi\nBob: hi\nAnn: how\nBob: well\n'],
    grows: below('', (nth) => `Title: T${nth}\nURL: https://a/${nth}\n`),
  },
  counted: {
    are: [rows(9, (nth) => `${nth * 7 + 3}\tsrc/f${nth}.ts`).join('\n')],
    areNot: [rows(9, (nth) => `${nth + 1} a line of a poem that goes on`).join('\n')],
    grows: below('', (nth) => `${(nth * 7919) % 1000}\tsrc/f${nth}.ts`),
  },
  alike: {
    are: [
      rows(9, (nth) => `PID: ${nth}, Command: c${nth}, CPU: 0.${nth}`).join('\n'),
      `Found 9 files:\n${rows(9, (nth) => `- Name: "f${nth}, new" (ID: x${nth}, Type: a/b) Link: https://a/${nth}`).join('\n')}`,
      `# Requests\n\n${rows(9, (nth) => `reqid=${nth} GET https://a.org/${nth} [20${nth}]`).join('\n')}`,
      rows(9, (nth) => `${nth}e8d - web-${nth} - running`).join('\n'),
      rows(7, (nth) => `id=${nth} addr=10.0.0.${nth}:80 name= idle=${nth * 7}`).join('\n'),
      `PING a.org\n${rows(30, (nth) => `64 bytes from 10.0.0.1: icmp_seq=${nth} ttl=56 time=${nth}.5 ms`).join('\n')}\n`,
    ],
    areNot: [
      rows(9, (nth) => `${nth % 2 ? 'Ann' : 'Bob'}: I said ${nth} - or more`).join('\n'),
      rows(9, (nth) => (nth % 2 ? `a - ${nth}` : `words and ${nth}`)).join('\n'),
      PROSE.repeat(9),
      rows(9, (nth) => `key${nth}=5`).join('\n'),
      'a=1 b=2 c=3\nthen prose\nand more of it\n',
    ],
    grows: below('', (nth) => `PID: ${nth}, Command: c${nth}, CPU: 0.${nth}`),
  },
  'csv without header': {
    are: ['1,2,3\n4,5,6\n7,8,9\n'],
    areNot: ['1,2\n3,4\n5,6\n', PROSE],
    grows: below('', (nth) => `${nth},${nth * 2},x`),
  },
  text: {
    are: [PROSE, 'word', 'SGVsbG8gd29ybGQ='],
    grows: below('', (nth) => `Line ${nth} of a text that is only a text.`),
  },
}

for (const format of FORMATS) {
  if (format.name === 'blocks') continue
  formatContract(format, SAMPLES[format.name] ?? { are: [], grows: () => '' })
}

test('every format has texts by which it is judged, and a name of its own', () => {
  const names = FORMATS.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  expect(names.filter((name) => name !== 'blocks' && (SAMPLES[name]?.are.length ?? 0) === 0)).toEqual([])
})

test('a megabyte of one character is a text, and is told as one', () => {
  for (const character of ' \n\t{[("\'<>&,;:|-#=`@/\\a0é\u0000\ud800') {
    const text = character.repeat(1_000_000)
    const document = fromRecognised(text)
    expect(document.text.length, JSON.stringify(character)).toBe(text.length)
    preview(document, { budget: 1_200, tool: 't', bytes: 1, tokens: 1 })
    document.records()
  }
})

test('what is nested deeper than any reader goes is read or left, and no stack ends', () => {
  for (const [open, close] of [
    ['[', ']'],
    ['{"a":', '}'],
    ['<a>', '</a>'],
    ['<div>', '</div>'],
    ['- ', ''],
    ['(', ')'],
    ["{'a':", '}'],
  ] as const) {
    for (const depth of [100, 5_000, 200_000]) {
      recognise(`${open.repeat(depth)}1${close.repeat(depth)}`).json?.()
      recognise(open.repeat(depth)).json?.()
      recognise(
        rows(Math.min(depth, 3_000), (nth) => `${' '.repeat(nth % 2_000)}a${nth}:`).join('\n'),
      ).json?.()
    }
  }
})

test('aliases of YAML that would grow without end are no data', () => {
  const bomb = [
    'a: &a [x, x, x, x, x, x, x, x, x, x]',
    ...rows(
      9,
      (nth) =>
        `${'bcdefghij'[nth]}: &${'bcdefghij'[nth]} [${rows(10, () => `*${'abcdefghi'[nth]}`).join(', ')}]`,
    ),
    'list:',
    '  - 1',
  ].join('\n')
  expect(recognise(bomb).format).toBe('text')
  expect(recognise('a: &a\n  b: *a\n  c: 1\n  d: 2\n  e: 3\n').format).toBe('text')
})

test('entities of a document type are not replaced', () => {
  const bomb = '<!DOCTYPE a [<!ENTITY b "x"><!ENTITY c "&b;&b;">]><a><d>&c;</d><d>2</d></a>'
  expect(recognise(bomb).json?.()).toEqual({ a: { d: ['&c;', 2] } })
})
