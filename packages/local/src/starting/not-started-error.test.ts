import { expect, test } from 'vitest'
import { describeEnded } from './not-started-error.ts'

test('a part that ended by itself is described by its exit, its last lines and its log', () => {
  const exit = {
    code: null,
    signal: 'SIGKILL',
    lastLines: 'one\ntwo',
    logFile: '/srv/logs/disk.log',
  } as const
  expect(describeEnded('the disk', exit)).toBe(
    `the disk ended unexpectedly: it was ended by SIGKILL; the machine may be out of memory
  its last lines:
    one
    two
  its whole log: /srv/logs/disk.log`,
  )
  expect(describeEnded('the disk', { code: 3, signal: null, lastLines: '' })).toBe(
    'the disk ended unexpectedly: it ended with exit code 3\n  it printed nothing',
  )
})
