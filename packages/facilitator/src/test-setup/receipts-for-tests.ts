import { AUTHORIZATION_USED_TOPIC, TRANSFER_TOPIC } from '@farebox/payments/chain/chain-proof'
import type { ChainReceipt } from '@farebox/payments/chain/chain-receipt'
import type { ChainVerdict } from '@farebox/payments/chain/find-settlement'
import type { Network } from '@farebox/payments/networks'
import { addressTopic } from '@farebox/payments/src/chain/rpc-words'
import type { ChainReader } from '../chain/chain-reader.ts'
import type { LedgerPayment } from '../ledger/payment-record.ts'

/** A payment of 0.01 USDC; each number gives another nonce. */
export function createPaymentForTests(number = 1): LedgerPayment {
  return {
    key: String(number),
    network: 'eip155:84532',
    asset: '0x',
    signature: '0x',
    authorization: {
      from: `0x${'11'.repeat(20)}`,
      to: `0x${'22'.repeat(20)}`,
      value: '10000',
      validAfter: '0',
      validBefore: '1900000000',
      nonce: `0x${number.toString(16).padStart(64, '0')}`,
    },
  }
}

/** A receipt in block 100 that proves these payments. */
export function receiptFor(network: Network, payments: readonly LedgerPayment[]): ChainReceipt {
  const { address } = network.asset
  return {
    transactionHash: `0x${'ab'.repeat(32)}`,
    succeeded: true,
    blockNumber: 100n,
    blockHash: `0x${'cd'.repeat(32)}`,
    logs: payments.flatMap(({ authorization: { from, to, value, nonce } }) => [
      { address, topics: [AUTHORIZATION_USED_TOPIC, addressTopic(from), nonce], data: '0x' },
      {
        address,
        topics: [TRANSFER_TOPIC, addressTopic(from), addressTopic(to)],
        data: `0x${BigInt(value).toString(16).padStart(64, '0')}`,
      },
    ]),
  }
}

/** A reader that returns what the test specifies, and rejects all other calls. */
export function createReaderForTests(
  says: {
    readonly verdict?: ChainVerdict
    readonly used?: readonly string[]
    readonly headNumber?: bigint
    readonly sender?: string
    readonly isInBlock?: boolean
    /** The keys whose use the block's events show; the same as `used` by default. */
    readonly shown?: readonly string[]
  } = {},
): ChainReader {
  const { verdict, used = [], headNumber = 100n, sender, isInBlock = true, shown = used } = says
  const unasked = (): Promise<never> => Promise.reject(new Error('not asked here'))
  return {
    observe: unasked,
    readReceipt: unasked,
    readHead: unasked,
    readBlockSeconds: unasked,
    isInBlock: () => Promise.resolve(isInBlock),
    readUseEvents: () => Promise.resolve(new Set(shown)),
    readSender: () => Promise.resolve(sender),
    readUses: () => Promise.resolve({ blockNumber: headNumber, used: new Set(used) }),
    findSettlement: () => (verdict === undefined ? unasked() : Promise.resolve(verdict)),
  }
}
