import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import type { Clock } from '@farebox/protocol/time/clock'
import type { OpenChain } from '../../chain/open-chain.ts'
import { CommandError, EXIT } from '../../command-error.ts'
import type { KeySigner } from '../../keys/paying-key.ts'
import {
  followOnChain,
  planTransaction,
  signCall,
  tellBlock,
} from '../../register/transaction/send-transaction.ts'
import type { World } from '../../world.ts'
import type { PermissionStep } from './plan-change.ts'

export interface StepSending {
  readonly world: World
  readonly clock: Clock
  readonly chain: OpenChain
  readonly crypto: EvmCrypto
  /** The URL of the node when it is a test chain on this machine, which creates money on request. */
  readonly testNodeUrl: string | undefined
}

/**
 * Signs a transaction, sends it, and waits until it is in a block. Nothing is journalled before: each step can safely be
 * repeated, because it sets an absolute value, and the same command starts from the state of the chain.
 *
 * @returns the transaction hash
 * @throws {CommandError} when the transaction would be refused, was refused, or is not in a block yet (exit code 3)
 */
export async function sendStep(
  sending: StepSending,
  signer: KeySigner,
  step: PermissionStep,
): Promise<string> {
  const { world, chain, crypto } = sending
  const call = { from: signer.address.toLowerCase(), to: step.to, valueWei: 0n, callData: step.callData }
  const planned = await planTransaction(sending, call, contractOf(step))
  const signed = await signCall(chain, crypto, signer, planned)
  const followed = await followOnChain(sending, signed, `${DOING[step.does]}: ${signed.hash}`)
  if (followed.outcome === 'open') throw stillOpen(signed.hash)
  if (followed.outcome === 'dead' || !followed.receipt.succeeded) throw notTaken(signed.hash)
  tellBlock(world, `${DONE[step.does]}  ${signed.hash}`, followed.receipt.blockNumber)
  return signed.hash
}

function contractOf({ does }: Pick<PermissionStep, 'does'>): string {
  return does === 'approve' ? 'the token' : 'the SpendPermissions contract'
}

const DOING = {
  change: 'changing the permission',
  approve: 'approving',
  'change and permit': 'changing permission and approval',
} as const

const DONE = {
  change: 'permission',
  approve: 'approval  ',
  'change and permit': 'permission and approval',
} as const

function stillOpen(hash: string): CommandError {
  return new CommandError(
    `${hash} was sent and is in no block yet`,
    'farebox limits list shows what the chain has; run the same command again later, nothing is lost by it',
    { exitCode: EXIT.unresolved },
  )
}

function notTaken(hash: string): CommandError {
  return new CommandError(
    `${hash} was not taken by the chain`,
    'run the same command again: it begins with what the chain has',
  )
}
