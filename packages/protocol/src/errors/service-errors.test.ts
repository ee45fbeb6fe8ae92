import { describe, expect, test } from 'vitest'
import type * as ServiceErrors from './service-errors.ts'
import {
  CapabilityError,
  DeadlineError,
  InternalError,
  isServiceError,
  PaymentError,
  serviceError,
  ServiceError,
  ValidationError,
} from './service-errors.ts'

describe.each([
  ['ValidationError', ValidationError, 'validation', 400],
  ['PaymentError', PaymentError, 'payment', 402],
  ['DeadlineError', DeadlineError, 'deadline', 408],
  ['CapabilityError', CapabilityError, 'capability', 400],
  ['InternalError', InternalError, 'internal', 500],
] as const)('%s', (name, Kind, errorType, httpStatus) => {
  test(`D26 is answered with ${httpStatus} ${errorType}`, () => {
    const error = new Kind('too late')
    expect(error).toMatchObject({ name, errorType, httpStatus, message: 'too late', field: undefined })
    expect(error).toBeInstanceOf(Error)
    expect(isServiceError(error)).toBe(true)
  })

  test('D26 is created with a field and a reason too', () => {
    expect(new Kind('text', 'is required')).toMatchObject({ message: 'text: is required', field: 'text' })
  })

  test('keeps its cause in both forms', () => {
    const cause = new Error('socket hang up')
    expect(new Kind('no answer', { cause })).toMatchObject({ message: 'no answer', field: undefined, cause })
    expect(new Kind('text', 'is required', { cause })).toMatchObject({
      message: 'text: is required',
      field: 'text',
      cause,
    })
  })

  test('a client creates the same kind of error from a failure response', () => {
    const cause = new Error('HTTP')
    const error = serviceError(errorType, 'text: is required', { cause })
    expect(error).toBeInstanceOf(Kind)
    expect(error).toMatchObject({ errorType, httpStatus, message: 'text: is required', cause })
  })
})

describe('recognising a typed error', () => {
  test('a subclass is one, with its own name', () => {
    class NotEnoughAllowance extends ValidationError {}
    const error = new NotEnoughAllowance('amount', 'is more than the allowance')
    expect(isServiceError(error)).toBe(true)
    expect(error).toMatchObject({ name: 'NotEnoughAllowance', httpStatus: 400 })
  })

  test('DDL-10 an error from another copy of this package is one', async () => {
    const address = new URL('./service-errors.ts?second-copy', import.meta.url).href
    const copy = (await import(/* @vite-ignore */ address)) as typeof ServiceErrors
    const error: unknown = new copy.DeadlineError('too late')
    expect(error instanceof ServiceError).toBe(false)
    expect(isServiceError(error)).toBe(true)
  })

  test('the brand of an error is visible to neither caller nor log', () => {
    expect(Object.getOwnPropertySymbols({ ...new ValidationError('text: is required') })).toEqual([])
  })

  test.each([
    ['a plain error', new Error('x')],
    [
      'an error that only looks like one',
      Object.assign(new Error('x'), { errorType: 'validation', httpStatus: 400 }),
    ],
    ['a string', 'validation'],
    ['null', null],
    ['undefined', undefined],
    ['a function', () => undefined],
    [
      'the brand with an unknown type',
      { [Symbol.for('farebox.service-error')]: true, errorType: 'toString', message: 'x' },
    ],
    ['the brand without a message', { [Symbol.for('farebox.service-error')]: true, errorType: 'payment' }],
  ])('D26 %s is not one', (_, thrown) => {
    expect(isServiceError(thrown)).toBe(false)
  })

  test('DDL-08 a Proxy that throws at every access is not one, and nothing is thrown', () => {
    const trap = (): never => {
      throw new Error('do not touch')
    }
    expect(isServiceError(new Proxy({}, { has: trap, get: trap, getPrototypeOf: trap }))).toBe(false)
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    expect(isServiceError(proxy)).toBe(false)
  })
})
