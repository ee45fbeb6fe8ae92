import { expect, test } from 'vitest'
import { formatEther } from './amount.ts'

test.each([
  ['0', '0'],
  ['1', '0.000000000000000001'],
  ['1000000000000000', '0.001'],
  ['1230000000000000000', '1.23'],
  ['20000000000000000000', '20'],
])('%s wei are %s ETH', (wei, ether) => {
  expect(formatEther(wei)).toBe(ether)
})
