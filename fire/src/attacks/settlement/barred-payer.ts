import { LOCAL_USDC_ADDRESS } from '@farebox/contracts/addresses'
import { callAnvil } from '@farebox/local/src/chain/anvil-rpc'
import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { createAuthorizationHasher } from '@farebox/payments/authorization/eip-3009'
import { fromHex, toHex } from '@farebox/payments/src/crypto/bytes'
import type { Attack } from '../attack.ts'
import {
  startSettlementStage,
  type Owner,
  type Payer,
  type SettlementStage,
  type SignedPayment,
} from './settlement-stage.ts'

const BLOCK_SECONDS = 1
const FAILURES = 5
/** `cancelAuthorization(address,bytes32,uint8,bytes32,bytes32)`, EIP-3009. */
const CANCEL = '0x5a049a70'

/**
 * A dishonest agent reports a failure, the payer cancels as advised, the agent settles all the same: five times. The
 * same by many secrets that cost nothing, with a payer whose money is spent instead.
 */
export const barredPayer: Attack = {
  name: 'an honest payer barred by dishonest agents',
  before: 'both payers were refused by an honest agent with payer_barred for ten minutes',
  async run({ size }) {
    const stage = await startSettlementStage(BLOCK_SECONDS)
    try {
      const honest = await stage.owner()
      const cancelling = await stage.payer()
      const dishonest = await stage.owner()
      for (let count = 0; count < FAILURES; count += 1) await settleCancelled(stage, dishonest, cancelling)
      const afterCancelling = await isTaken(stage, honest, cancelling)

      const spending = await stage.payer()
      const secrets = size === 'full' ? 12 : 6
      for (let count = 0; count < secrets; count += 1)
        await settleSpent(stage, await stage.owner('unlisted'), spending)
      for (let count = 0; count < FAILURES; count += 1) await settleSpent(stage, dishonest, spending)
      const afterSpending = await isTaken(stage, honest, spending)
      return [
        {
          test: `${FAILURES} payments cancelled, then settled by one dishonest owner`,
          reached: afterCancelling,
          target: 'an honest agent takes the payer',
          isMet: afterCancelling === 'valid',
        },
        {
          test: `${FAILURES} settlements without money by one owner, and one by each of ${secrets} free secrets`,
          reached: afterSpending,
          target: 'an honest agent takes the payer',
          isMet: afterSpending === 'valid',
        },
      ]
    } finally {
      await stage.stop()
    }
  },
}

/** What an honest owner hears of the payer. */
async function isTaken(stage: SettlementStage, owner: Owner, payer: Payer): Promise<string> {
  const outcome = await owner.verify(await stage.sign(payer, owner))
  return outcome.kind === 'invalid' ? outcome.reason : outcome.kind
}

async function settleCancelled(stage: SettlementStage, owner: Owner, payer: Payer): Promise<void> {
  const payment = await stage.sign(payer, owner)
  await owner.verify(payment)
  await cancel(stage, payer, payment)
  await owner.settle(payment)
}

/** The payer, told that the job failed, spends the money elsewhere; the dishonest agent settles late. */
async function settleSpent(stage: SettlementStage, owner: Owner, payer: Payer): Promise<void> {
  const payment = await stage.sign(payer, owner)
  await owner.verify(payment)
  const balance = await readBalance(stage, payer)
  await setBalance(stage, payer, 0n)
  await owner.settle(payment)
  await setBalance(stage, payer, balance)
}

async function cancel(stage: SettlementStage, payer: Payer, payment: SignedPayment): Promise<void> {
  const { nonce } = payment.authorization
  const digest = createAuthorizationHasher(stage.crypto, stage.network).hashCancel(payer.address, nonce)
  const signature = toHex(stage.crypto.sign(digest, fromHex(payer.key))).slice(2)
  const word = (hex: string): string => hex.padStart(64, '0')
  const data = [
    CANCEL,
    word(payer.address.slice(2)),
    nonce.slice(2),
    word(signature.slice(128, 130)),
    signature.slice(0, 128),
  ].join('')
  const transaction = { from: TEST_KEYS.stranger.address, to: LOCAL_USDC_ADDRESS, data, gas: '0x30d40' }
  await callAnvil(stage.chain.rpcUrl, 'eth_sendTransactionSync', [transaction])
}

function slotOf(stage: SettlementStage, { address }: Payer): string {
  return toHex(stage.crypto.keccak256(fromHex(`0x${address.slice(2).padStart(64, '0')}${'0'.repeat(64)}`)))
}

async function readBalance(stage: SettlementStage, payer: Payer): Promise<bigint> {
  const slot = slotOf(stage, payer)
  return BigInt(
    String(await callAnvil(stage.chain.rpcUrl, 'eth_getStorageAt', [LOCAL_USDC_ADDRESS, slot, 'latest'])),
  )
}

async function setBalance(stage: SettlementStage, payer: Payer, atomic: bigint): Promise<void> {
  const value = `0x${atomic.toString(16).padStart(64, '0')}`
  await callAnvil(stage.chain.rpcUrl, 'anvil_setStorageAt', [LOCAL_USDC_ADDRESS, slotOf(stage, payer), value])
}
