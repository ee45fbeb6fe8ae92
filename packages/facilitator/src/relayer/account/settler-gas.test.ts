import { randomBytes } from 'node:crypto'
import { callAnvil } from '@farebox/local/src/chain/anvil-rpc'
import { startChain, type LocalChain } from '@farebox/local/chain/start-chain'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { loadEvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { keccak256 } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freshKey, NETWORK } from '../../test-setup/payments-for-tests.ts'
import { createRelayer, MAX_BATCH, type CarriedPayment } from './relayer-account.ts'

/** Burns all gas it is given: `JUMPDEST PUSH0 JUMP`. */
const BURNS = '0x5b5f56'
/** Gas that a transfer within a batch may use. */
const GAS_EACH = 90_000n

let chain: LocalChain
beforeAll(async () => {
  chain = await startChain()
})
afterAll(async () => await chain.stop())

/** 0x hex without zero bytes, which cost a quarter of other bytes. */
function fullBytes(count: number): string {
  return `0x${Buffer.from(randomBytes(count).map(byte => byte || 1)).toString('hex')}`
}

/** The most expensive payment: an account with code, and as many non-zero bytes as fit. */
async function dearest(): Promise<CarriedPayment> {
  const from = fullBytes(20)
  await callAnvil(chain.rpcUrl, 'anvil_setCode', [from, BURNS])
  const [value, latest] = [String(2n ** 128n - 1n), String(2n ** 47n - 1n)]
  return {
    key: from,
    network: NETWORK.id,
    asset: NETWORK.asset.address,
    authorization: {
      from,
      to: fullBytes(20),
      value,
      validAfter: latest,
      validBefore: latest,
      nonce: fullBytes(32),
    },
    signature: `${fullBytes(64)}1c`,
    codeHash: keccak256(BURNS),
  }
}

test.each([2, 3, 50, MAX_BATCH])(
  'the gas of a transaction is enough for %i of the most expensive payments, each burning all its gas',
  async count => {
    await callAnvil(chain.rpcUrl, 'anvil_setCode', [NETWORK.asset.address, BURNS])
    const payments = await Promise.all(Array.from({ length: count }, dearest))
    const relayer = createRelayer(await loadEvmCrypto(), NETWORK, freshKey())
    const { to, data, gas } = relayer.call(payments, 'settler')
    const receipt = (await callAnvil(chain.rpcUrl, 'eth_sendTransactionSync', [
      { from: TEST_KEYS.relayer.address, to, data, gas: `0x${gas.toString(16)}` },
    ])) as { readonly status: string; readonly gasUsed: string }
    // With too little gas for the last payment it would have reverted.
    expect(receipt.status).toBe('0x1')
    expect(BigInt(receipt.gasUsed)).toBeGreaterThan(BigInt(count) * GAS_EACH)
    expect(BigInt(receipt.gasUsed)).toBeLessThan(gas)
  },
)
