import { expect, test } from 'vitest'
import { createPaymentSeal } from './payment-seal.ts'

const KEY = `0x${'11'.repeat(32)}`
const OTHER = `0x${'22'.repeat(32)}`
const JOB = '5f0c1a52-6f0e-4b8a-9d51-0a2f4be391aa'
const PAYMENT = 'eyJ4NDAyVmVyc2lvbiI6Mn0='

test('a sealed payment opens for its job and is not readable before', () => {
  const seal = createPaymentSeal(KEY)
  const sealed = seal.seal(JOB, PAYMENT)
  expect(sealed).not.toContain(PAYMENT)
  expect(Buffer.from(sealed.split('.')[2] ?? '', 'base64').includes(Buffer.from(PAYMENT))).toBe(false)
  expect(seal.open(JOB, sealed)).toBe(PAYMENT)
  expect(seal.open(JOB.toUpperCase(), sealed)).toBe(PAYMENT)
  expect(seal.seal(JOB, PAYMENT)).not.toBe(sealed)
})

test('a sealed payment cannot be opened for another job, with another key, or after a modification', () => {
  const seal = createPaymentSeal(KEY)
  const sealed = seal.seal(JOB, PAYMENT)
  expect(() => seal.open('5f0c1a52-6f0e-4b8a-9d51-0a2f4be391ab', sealed)).toThrow()
  expect(() => createPaymentSeal(OTHER).open(JOB, sealed)).toThrow('with a key that is not here')
  const bytes = Buffer.from(sealed.split('.')[2] ?? '', 'base64')
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
  expect(() =>
    seal.open(JOB, [...sealed.split('.').slice(0, 2), bytes.toString('base64')].join('.')),
  ).toThrow()
  expect(() => seal.open(JOB, 'plain')).toThrow()
})

test('after the key was replaced, payments sealed with the previous one still open', () => {
  const sealed = createPaymentSeal(OTHER).seal(JOB, PAYMENT)
  const seal = createPaymentSeal(KEY, OTHER)
  expect(seal.open(JOB, sealed)).toBe(PAYMENT)
  expect(createPaymentSeal(KEY).open(JOB, seal.seal(JOB, PAYMENT))).toBe(PAYMENT)
  expect(seal.keyIds).toHaveLength(2)
})

test('a key that is not 32 bytes is refused', () => {
  expect(() => createPaymentSeal('0x12')).toThrow('32 bytes')
})
