import { chooseFees, type GasFees } from '@farebox/payments/internal/transaction/choose-fees'
import { type ContractCall, estimateGas } from '@farebox/payments/internal/transaction/estimate-gas'
import { readBalance } from '@farebox/payments/internal/transaction/read-account'
import { JsonRpcError } from '@farebox/payments/chain/json-rpc'
import { formatCoin } from '../../chain/coin.ts'
import type { OpenChain } from '../../chain/open-chain.ts'
import { CommandError } from '../../command-error.ts'
import { printable } from '../../terminal/text.ts'
import type { OpenRegistry } from './open-registry.ts'
import { nodeOf } from '../registry/call-node.ts'

/** A call, and what it will cost at most. */
export interface PlannedTransaction extends ContractCall {
  readonly gasLimit: bigint
  readonly fees: GasFees
  /** What the gas costs at most, in wei. */
  readonly gasWei: bigint
}

const TEST_WEI = 10n ** 19n

/**
 * Has the node run the call without sending it, and says what it would cost.
 *
 * @param contract what is called, for the message that says that it refuses
 * @throws {CommandError} where the call would fail, or the wallet holds too little for it
 */
export async function planTransaction(
  { chain, testNodeUrl }: Pick<OpenRegistry, 'chain' | 'testNodeUrl'>,
  call: ContractCall,
  contract = 'the registry contract',
): Promise<PlannedTransaction> {
  const fees = await chooseFees(nodeOf(chain))
  const balance = await readBalance(nodeOf(chain), call.from)
  // A node refuses to estimate what the wallet cannot pay, in words of its own.
  if (balance <= call.valueWei) throw tooPoor(chain, testNodeUrl, call, { balance })
  const gasLimit = await estimate(chain, call, contract)
  const gasWei = gasLimit * fees.maxFeePerGas
  if (balance < call.valueWei + gasWei) throw tooPoor(chain, testNodeUrl, call, { balance, gasWei })
  return { ...call, gasLimit, fees, gasWei }
}

async function estimate(chain: OpenChain, call: ContractCall, contract: string): Promise<bigint> {
  try {
    return await estimateGas(nodeOf(chain), call)
  } catch (cause) {
    if (!(cause instanceof JsonRpcError)) throw cause
    throw new CommandError(
      `${contract} would refuse: ${printable(cause.message.slice(0, 200))}`,
      'nothing was sent',
      { cause },
    )
  }
}

function tooPoor(
  { network }: OpenChain,
  testNodeUrl: string | undefined,
  { from, valueWei }: ContractCall,
  { balance, gasWei }: { readonly balance: bigint; readonly gasWei?: bigint },
): CommandError {
  const gas = gasWei === undefined ? 'gas' : `up to ${formatCoin(gasWei)} ETH for gas`
  const needed = valueWei === 0n ? gas : `${formatCoin(valueWei)} ETH and ${gas}`
  const where = testNodeUrl === undefined ? network.name : 'the local chain'
  return new CommandError(
    `${from} holds ${formatCoin(balance)} ETH on ${where}; this takes ${needed}`,
    testNodeUrl === undefined
      ? `send it ETH on ${network.name} (${network.id}), and run the same command again`
      : `give it ${formatCoin(TEST_WEI)} test ETH, and run the same command again:\n${giveTestMoney(testNodeUrl, from)}`,
  )
}

/** A line for a shell: the node of a local chain lets everybody set what an address holds. */
function giveTestMoney(nodeUrl: string, address: string): string {
  const parameters = [address, `0x${TEST_WEI.toString(16)}`]
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'anvil_setBalance', params: parameters })
  return `curl -s ${new URL(nodeUrl).origin} -H 'content-type: application/json' -d '${body}'`
}
