import { expect, test } from 'vitest'
import { EnvironmentError } from '../environment/environment-error.ts'
import { HandlersError } from '../loading/load-handlers.ts'
import { MismatchedHandlers } from '../handlers.ts'
import { DeclarationError } from '../agent/serve-declaration.ts'
import { exitCodeOf, explainFailure } from './explain-failure.ts'
import { StartRefused } from './start-refused.ts'
import { UsageError } from './usage-error.ts'

const PORT = { variable: 'PORT', problem: 'must be a port', hint: 'leave it unset' }
const LOG = { variable: 'SERVICE_LOG', problem: 'must be "text" or "json"', hint: 'leave it unset for text' }

test('one variable: the problem, then the fix', () => {
  expect(explainFailure(new EnvironmentError(PORT))).toBe(
    '✗ cannot start: PORT must be a port\n  leave it unset\n',
  )
})

test('several variables: aligned rows', () => {
  expect(explainFailure(new EnvironmentError(PORT, LOG))).toBe(
    [
      '✗ cannot start: 2 variables are missing or wrong',
      '  PORT         must be a port',
      '               leave it unset',
      '  SERVICE_LOG  must be "text" or "json"',
      '               leave it unset for text',
      '',
    ].join('\n'),
  )
})

test('several kinds of errors, one after the other', () => {
  const refused = new StartRefused([
    new EnvironmentError(PORT),
    new HandlersError('no handlers', 'write some'),
  ])
  expect(explainFailure(refused)).toBe(
    '✗ cannot start: PORT must be a port\n  leave it unset\n✗ no handlers\n  write some\n',
  )
})

test('handlers: the line at fault below the message', () => {
  const details = ['2 │ let a =', '  │        ^']
  expect(explainFailure(new HandlersError('handlers.ts:2:8  Unexpected end', '', { details }))).toBe(
    '✗ handlers.ts:2:8  Unexpected end\n    2 │ let a =\n      │        ^\n',
  )
})

test.each([
  new DeclarationError('wallet: has a wrong checksum'),
  new MismatchedHandlers('handlers: no function for the declared wait'),
])('an explained error is shown without a stack: %s', error => {
  expect(explainFailure(error)).toBe(`✗ ${error.message}\n`)
})

test('D25 an error of the job store is explained', () => {
  expect(explainFailure(new Error('SERVICE_STORE=lmdb:/proc/x: this folder cannot be used: no'))).toBe(
    '✗ cannot start: SERVICE_STORE=lmdb:/proc/x: this folder cannot be used: no\n  set SERVICE_STORE to lmdb:<folder> on a disk of this machine, or to redis://host:port\n',
  )
})

test('an unexpected error is shown with its stack', () => {
  expect(explainFailure(new RangeError('odd'))).toMatch(/^✗ RangeError: odd\n\s+at /)
  expect(explainFailure(new TypeError('x is not a function'))).toMatch(/^✗ TypeError: .*\n\s+at /)
  expect(explainFailure('odd')).toBe('✗ odd\n')
})

test('invalid arguments have exit code 2, everything else 1', () => {
  expect(exitCodeOf(new UsageError('farebox start: no', 'yes'))).toBe(2)
  expect(exitCodeOf(new EnvironmentError(PORT))).toBe(1)
})
