import { describe, expect, test } from 'vitest'
import { fromRecognised } from '../../../../src/documents/opening/derive.ts'

const read = (lines: readonly string[]) => {
  const { traits, asides, records } = fromRecognised(lines.join('\n'))
  return { name: traits.name, asides, values: records()?.values }
}

describe('outcomes of tests and steps', () => {
  test('of Go: with what a test printed, and the package below', () => {
    const { name, values, asides } = read([
      '=== RUN   TestA',
      'it starts',
      '    a_test.go:7: logged',
      '=== RUN   TestA/empty',
      '--- FAIL: TestA (1.68s)',
      '    --- FAIL: TestA/empty (1.10s)',
      '        a_test.go:9: bad',
      'FAIL',
      'coverage: 66.0% of statements',
      'FAIL\tx/a\t8.950s',
      '=== RUN   TestA',
      '--- PASS: TestA (0.00s)',
      'PASS',
      'ok  \tx/b\t(cached)',
    ])
    expect(name).toBe('outcomes')
    expect(values).toEqual([
      {
        line: 5,
        status: 'FAIL',
        name: 'TestA',
        duration: '1.68s',
        package: 'x/a',
        output: 'it starts\n    a_test.go:7: logged',
      },
      {
        line: 6,
        status: 'FAIL',
        name: 'TestA/empty',
        duration: '1.10s',
        package: 'x/a',
        output: '        a_test.go:9: bad',
      },
      { line: 12, status: 'PASS', name: 'TestA', duration: '0.00s', package: 'x/b' },
    ])
    expect(asides).toContain('text beside it: coverage: 66.0% of statements')
  })

  test('of pytest: with what is said of a test that failed', () => {
    const { values } = read([
      '===== test session starts =====',
      '',
      'tests/a.py::TestX::test_b[ü 2] PASSED        [  0%]',
      'tests/a.py::test_c SKIPPED (needs network)   [ 50%]',
      'tests/a.py::TestX::test_d FAILED             [100%]',
      '',
      '=========== FAILURES ===========',
      '_________ TestX.test_d _________',
      '',
      '>   assert 1 == 2',
      'E   assert 1 == 2',
      '',
      'tests/a.py:7: AssertionError',
      '=========== 1 failed, 1 passed, 1 skipped in 0.1s ===========',
    ])
    expect(values).toEqual([
      { line: 3, file: 'tests/a.py', suite: 'TestX', name: 'test_b[ü 2]', status: 'PASSED' },
      { line: 4, file: 'tests/a.py', name: 'test_c', status: 'SKIPPED', reason: 'needs network' },
      {
        line: 5,
        file: 'tests/a.py',
        suite: 'TestX',
        name: 'test_d',
        status: 'FAILED',
        output: '>   assert 1 == 2\nE   assert 1 == 2\n\ntests/a.py:7: AssertionError',
      },
    ])
  })

  test('of cargo test', () => {
    const { values } = read([
      '     Running unittests src/lib.rs (target/debug/deps/a-1)',
      '',
      'running 3 tests',
      'test io::reads ... ok',
      'test io::slow ... ignored, takes long',
      'test io::writes ... FAILED',
      '',
      'failures:',
      '',
      '---- io::writes stdout ----',
      'panicked at src/io.rs:7',
      '',
      '',
      'failures:',
      '    io::writes',
      '',
      'test result: FAILED. 1 passed; 1 failed',
    ])
    expect(values).toEqual([
      { line: 4, file: 'src/lib.rs', name: 'io::reads', status: 'ok' },
      { line: 5, file: 'src/lib.rs', name: 'io::slow', status: 'ignored', reason: 'takes long' },
      {
        line: 6,
        file: 'src/lib.rs',
        name: 'io::writes',
        status: 'FAILED',
        output: 'panicked at src/io.rs:7',
      },
    ])
  })

  test('of Jest: with the suites that a test is in', () => {
    const { values } = read([
      'FAIL src/a.test.ts (5.1 s)',
      '  cart',
      '    ✓ adds (760 ms)',
      '    when empty',
      '      ✕ pays',
      '  user',
      '    ○ skipped logs in',
      '',
      '  ● cart › when empty › pays',
      '',
      '    expect(1).toBe(2)',
      '',
      'Tests:       1 failed, 1 skipped, 1 passed, 3 total',
    ])
    expect(values).toEqual([
      { line: 3, file: 'src/a.test.ts', suite: 'cart', status: 'passed', name: 'adds', duration: '760 ms' },
      {
        line: 5,
        file: 'src/a.test.ts',
        suite: 'cart > when empty',
        status: 'failed',
        name: 'pays',
        output: '    expect(1).toBe(2)',
      },
      { line: 7, file: 'src/a.test.ts', suite: 'user', status: 'skipped', name: 'logs in' },
    ])
  })

  test('of Ansible: of each task at each host', () => {
    const { values } = read([
      'PLAY [all] *****',
      '',
      'TASK [common : Check] *****',
      'ok: [web-1]',
      'changed: [web-2] => (item=a)',
      'fatal: [db-1]: FAILED! => {"msg": "no"}',
      '...ignoring',
      '',
      'PLAY RECAP *****',
      'web-1                 : ok=1    changed=0    unreachable=0    failed=0',
      'db-1 : ok=1    changed=0    unreachable=0    failed=1    skipped=0',
    ])
    expect(values).toEqual([
      { line: 4, task: 'common : Check', status: 'ok', host: 'web-1' },
      { line: 5, task: 'common : Check', status: 'changed', host: 'web-2', result: '(item=a)' },
      {
        line: 6,
        task: 'common : Check',
        status: 'fatal',
        host: 'db-1',
        reason: 'FAILED!',
        result: '{"msg": "no"}',
        output: '...ignoring',
      },
      { line: 10, task: 'PLAY RECAP', host: 'web-1', ok: 1, changed: 0, unreachable: 0, failed: 0 },
      {
        line: 11,
        task: 'PLAY RECAP',
        host: 'db-1',
        ok: 1,
        changed: 0,
        unreachable: 0,
        failed: 1,
        skipped: 0,
      },
    ])
  })
})
