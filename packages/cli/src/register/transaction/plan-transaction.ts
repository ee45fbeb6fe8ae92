import { JsonRpcError } from '@farebox/payments/json-rpc'
import { formatCoin } from '../../chain/coin.ts'
import type { OpenChain } from '../../chain/open-chain.ts'
import { Refusal } from '../../refusal.ts'
import { printable } from '../../terminal/printable.ts'
import { askNode, readFees, readNumber, type Fees } from './ask-node.ts'

/** A call of the registry contract. */
export interface RegistryCall {
  /** Lower-case address of who calls. */
  readonly from: string
  /** Of the contract. */
  readonly to: string
  readonly valueWei: bigint
  readonly callData: string
}

/** A call, and what it will cost at most. */
export interface PlannedTransaction extends RegistryCall {
  readonly gasLimit: bigint
  readonly fees: Fees
  /** What the gas costs at most, in wei. */
  readonly gasWei: bigint
}

/** Blocks may differ from what was estimated. */
const GAS_MARGIN_PERCENT = 125n

/**
 * Has the node run the call without sending it, and says what it would cost.
 *
 * @throws {Refusal} where the call would fail, or the wallet holds too little for it
 */
export async function planTransaction(chain: OpenChain, call: RegistryCall): Promise<PlannedTransaction> {
  const fees = await readFees(chain)
  const balance = readNumber(await askNode(chain, 'eth_getBalance', [call.from, 'latest']))
  // A node refuses to estimate what the wallet cannot pay, in words of its own.
  if (balance <= call.valueWei) throw tooPoor(chain, call, balance)
  const gasLimit = ((await estimate(chain, call)) * GAS_MARGIN_PERCENT) / 100n
  const gasWei = gasLimit * fees.maxFeePerGas
  if (balance < call.valueWei + gasWei) throw tooPoor(chain, call, balance, gasWei)
  return { ...call, gasLimit, fees, gasWei }
}

async function estimate(
  chain: OpenChain,
  { from, to, valueWei, callData: data }: RegistryCall,
): Promise<bigint> {
  try {
    const value = `0x${valueWei.toString(16)}`
    return readNumber(await askNode(chain, 'eth_estimateGas', [{ from, to, value, data }]))
  } catch (cause) {
    if (!(cause instanceof JsonRpcError)) throw cause
    throw new Refusal(
      `the registry contract would refuse: ${printable(cause.message.slice(0, 200))}`,
      'nothing was sent',
      { cause },
    )
  }
}

function tooPoor({ network }: OpenChain, call: RegistryCall, balance: bigint, gasWei?: bigint): Refusal {
  const gas = gasWei === undefined ? 'gas' : `up to ${formatCoin(gasWei)} for gas`
  const needed = call.valueWei === 0n ? gas : `${formatCoin(call.valueWei)} ETH and ${gas}`
  return new Refusal(
    `${call.from} holds ${formatCoin(balance)} ETH on ${network.name}; this takes ${needed}`,
    `send it ETH on ${network.name} (${network.id}), and say the same again`,
  )
}
