import { findNetwork, networkIds, type Network } from '@farebox/payments/networks'
import { nearest } from '@farebox/protocol/declaration/nearest'
import { isLocalNetwork, type LocalEconomy } from '../keys/local-economy.ts'
import { EXIT, Refusal } from '../refusal.ts'
import { printable } from '../terminal/printable.ts'

/**
 * A network as people read it: `Base (eip155:8453)`, `local chain (eip155:84532)`.
 *
 * @param local the economy that is paid in, where it is the one on this machine
 */
export function nameNetwork({ id, name }: Network, local: LocalEconomy | undefined): string {
  return `${local?.network === id && isLocalNetwork(id) ? 'local chain' : name} (${id})`
}

/**
 * The network of a CAIP-2 id that a person typed.
 *
 * @throws {Refusal} that lists those there are
 */
export function readNetwork(id: string): Network {
  const network = findNetwork(id)
  if (network !== undefined) return network
  const guess = nearest(id, networkIds())
  const shown = printable(id.slice(0, 40))
  throw new Refusal(
    `--network: "${shown}" is not known${guess === undefined ? '' : `, did you mean ${guess}?`}`,
    `there is: ${networkIds().join(', ')}`,
    { exitCode: EXIT.usage },
  )
}
