import type { JsonRpc } from '@farebox/payments/chain/json-rpc'
import { loadEvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { expect, test } from 'vitest'
import { createClockForTests } from '../test-setup/clock-for-tests.ts'
import { createReadPayerCodes } from './payer-code.ts'

const WORD = 64

test('accounts requested at the same moment are read in one call', async () => {
  const asked: number[] = []
  const rpc: JsonRpc = {
    call: (_, params) => {
      const [{ data }] = params as [{ readonly data: string }]
      // Thirty bytes of instructions, and a word for each account.
      const accounts = (data.length - 2 - 60) / WORD
      asked.push(accounts)
      return Promise.resolve(`0x${'0'.repeat(accounts * WORD)}`)
    },
    close: () => Promise.resolve(),
  }
  const crypto = await loadEvmCrypto()
  const readCodes = createReadPayerCodes({ rpc, crypto, clock: createClockForTests() }, [])
  const accounts = Array.from({ length: 5 }, (_, index) => `0x${String(index).padStart(40, '0')}`)
  expect(await readCodes(accounts)).toEqual(accounts.map(() => ({ kind: 'none' })))
  expect(asked).toEqual([5])
})
