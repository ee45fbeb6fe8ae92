import { expect, test } from 'vitest'
import { encodeRegister, STAKE_QUESTION } from './register-call.ts'

const zeros = (count: number): string => '0'.repeat(count)

/** As viem encodes it. */
const HEAD = `0xf2c298be${zeros(62)}20${zeros(62)}`

test('asks the registry what a stake is', () => {
  expect(STAKE_QUESTION).toBe('0x125fdbbc')
})

test.each([
  ['https://a.example', `${HEAD}1168747470733a2f2f612e6578616d706c65${zeros(30)}`],
  [
    'https://agent.example/aaaaaaaaaa',
    `${HEAD}2068747470733a2f2f6167656e742e6578616d706c652f${'61'.repeat(10)}`,
  ],
  [
    'https://agent.example/aaaaaaaaaaa',
    `${HEAD}2168747470733a2f2f6167656e742e6578616d706c652f${'61'.repeat(11)}${zeros(62)}`,
  ],
])('encodes the registration of %s as the contract reads it', (endpoint, data) => {
  expect(encodeRegister(endpoint)).toBe(data)
})
