import { printable } from '@farebox/conformance/internal/printable'
import type { Network } from '@farebox/payments/networks'
import type { Capability, Declaration } from '@farebox/protocol/declaration/declaration'
import { readPrice } from '@farebox/protocol/money/usdc'
import { nameNetwork } from '../../chain/name-network.ts'
import { CommandError } from '../../command-error.ts'
import type { LocalEconomy } from '../../keys/local-economy.ts'

export interface SpendDeclaration {
  readonly reason: string
  /** The maximum of one spend, in atomic units of the network's token. */
  readonly mostAtomic: bigint
}

/**
 * Returns the spend that a capability declares, in the one token that our table has for this network (PERM-05): a symbol
 * written by an agent never becomes an address by itself.
 *
 * @throws {CommandError} when the capability declares no EXECUTE_TRANSACTIONS (PERM-06), or declares another token
 */
export function spendDeclaration(
  { name: agentName, capabilities }: Declaration,
  name: string,
  { network, local }: { readonly network: Network; readonly local: LocalEconomy | undefined },
): SpendDeclaration {
  const title = `${printable(agentName)} · ${printable(name)}`
  const capability = Object.hasOwn(capabilities, name) ? capabilities[name] : undefined
  const declared = capability?.permissions ?? []
  if (declared.length === 0) {
    throw new CommandError(
      `${title} does not declare EXECUTE_TRANSACTIONS, so it moves nothing of yours`,
      othersOf(capabilities),
    )
  }
  const { symbol } = network.asset
  const permission = declared.find(({ token }) => token === symbol)
  if (permission === undefined) {
    const tokens = declared.map(({ token }) => printable(token)).join(', ')
    throw new CommandError(
      `${title} moves ${tokens}, which is not known on ${nameNetwork(network, local)}`,
      `${symbol} is, at ${network.asset.address}; nothing was signed`,
    )
  }
  const most = readPrice(permission.max_per_transaction)
  if (!most.ok) {
    throw new CommandError(
      `${title} declares a max_per_transaction that ${symbol} cannot have: ${printable(most.reason)}`,
      'nothing was signed; tell the operator of the agent',
    )
  }
  return { reason: permission.reason, mostAtomic: most.atomic }
}

function othersOf(capabilities: { readonly [name: string]: Capability }): string {
  const names = Object.entries(capabilities)
    .filter(([, { permissions }]) => permissions !== undefined && permissions.length > 0)
    .map(([name]) => printable(name))
  if (names.length === 0) return 'no capability of this agent does; there is nothing to allow'
  return `these do: ${names.join(', ')}`
}
