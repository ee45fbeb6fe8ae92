import { expect, test } from 'vitest'
import { ERROR_STATUS, failureBody } from './error-types.ts'

test('each error_type has the status of the interface’s table', () => {
  expect(ERROR_STATUS).toEqual({
    validation: 400,
    capability: 400,
    payment: 402,
    deadline: 408,
    internal: 500,
  })
})

test('D15 a failure response has exactly these keys', () => {
  expect(failureBody('validation', 'text: is required')).toEqual({
    status: 'failed',
    error_type: 'validation',
    error: 'text: is required',
    service_version: '1.0',
  })
})
