import { printable } from '@farebox/conformance/internal/printable'
import type { FollowedToBlock } from '@farebox/payments/internal/transaction/send-until-mined'
import type { Registration } from '@farebox/platform-api/registry'
import { formatCoin } from '../../chain/name-network.ts'
import type { PayingKey } from '../../keys/paying-key.ts'
import { CommandError, EXIT } from '../../command-error.ts'
import { findKey, localEconomyOf, openRegistry, type OpenRegistry } from '../transaction/open-registry.ts'
import type { StakeRecord } from '../platform/registration-journal.ts'
import { type ListedAgent, type Registering, waitForListing } from './wait-for-listing.ts'
import { showStakeTerms } from './show-registration.ts'
import { findAgentId, readEndpointOf, readOwner, registeredAgentId } from '../registry/call-node.ts'
import {
  followOnChain,
  type PlannedTransaction,
  planTransaction,
  signCall,
  tellBlock,
} from '../transaction/send-transaction.ts'
import { encodeRegister } from '@farebox/contracts/internal/calls/registry-calls'

/**
 * Continues a stake that was signed on this machine before: sends the same bytes until they are in a block. Resolves to its
 * transaction. Resolves to `undefined` when there was none or it is void: it never got into a block, or the agent that it
 * registered has since been deregistered or moved.
 *
 * @throws {CommandError} when its result is not known yet (exit code 3)
 */
export async function followEarlierStake(
  registering: Registering,
  registration: Registration,
): Promise<string | undefined> {
  const { journal, chosen, world, described, raw } = registering
  const key = { platform: chosen.url, endpoint: registration.endpoint }
  const earlier = await journal.stake(key).read()
  if (earlier === undefined) return undefined
  const registry = await openRegistry(world, chosen, described, raw)
  try {
    const followed = await follow(registering, registry, earlier)
    if (followed.outcome !== 'dead' && (await stands(registry, earlier, followed, registration))) {
      return await outcomeOf(registering, registration, earlier, followed)
    }
    await journal.stake(key).remove()
    world.err.write('  the stake signed earlier is void; this is a new one\n')
    return undefined
  } finally {
    await registry.chain.close()
  }
}

async function stands(
  { chain, address }: OpenRegistry,
  { from }: StakeRecord,
  followed: FollowedToBlock,
  { endpoint }: Registration,
): Promise<boolean> {
  const agentId = followed.outcome === 'in a block' ? registeredAgentId(followed.receipt) : undefined
  if (agentId === undefined) return true
  if ((await readOwner(chain, address, agentId)) !== from) return false
  return (await readEndpointOf(chain, address, agentId)) === endpoint
}

/**
 * Pays the stake with a key on this machine, only once: the signed transaction is stored before it is sent. Then waits
 * until the agent is listed.
 *
 * @throws {CommandError} when nothing was staked, or the result is not known yet (exit code 3)
 */
export async function stakeByKey(registering: Registering, registration: Registration): Promise<ListedAgent> {
  const { world, chosen, described, raw } = registering
  const registry = await openRegistry(world, chosen, described, raw)
  try {
    const transaction = await stakeOnce(registering, registration, registry)
    return await waitForListing(registering, registration, { transaction })
  } finally {
    await registry.chain.close()
  }
}

/** Resolves to the transaction of the stake; `undefined` when the wallet had already staked. */
async function stakeOnce(
  registering: Registering,
  registration: Registration,
  registry: OpenRegistry,
): Promise<string | undefined> {
  const { journal, chosen } = registering
  const key = { platform: chosen.url, endpoint: registration.endpoint }
  const signed = await signStake(registering, registration, registry)
  if (signed === undefined) return undefined
  if (!(await journal.stake(key).create(signed))) {
    throw new CommandError(
      'another command is registering the same agent now',
      'run the same command again: it follows that one',
    )
  }
  const followed = await follow(registering, registry, signed)
  if (followed.outcome === 'dead') await journal.stake(key).remove()
  return await outcomeOf(registering, registration, signed, followed)
}

/** Returns `undefined` when the wallet has already staked for this endpoint. */
async function signStake(
  registering: Registering,
  registration: Registration,
  registry: OpenRegistry,
): Promise<StakeRecord | undefined> {
  const { world, chosen, described, raw } = registering
  const { chain, address, crypto } = registry
  const { endpoint } = registration
  const key = await findKey(world, raw, localEconomyOf(chosen, described))
  refuseOtherWallet(registration, key)
  if ((await findAgentId(chain, address, { owner: key.address, endpoint })) !== undefined) return undefined
  const planned = await planTransaction(registry, {
    from: key.address,
    to: address,
    valueWei: BigInt(registration.stake_wei),
    callData: encodeRegister(endpoint),
  })
  await showStakeTerms(registering, registration, { key, planned })
  await agreeToStake(registering, planned)
  const signed = await signCall(chain, crypto, await key.unlock(), planned)
  return { version: 1, chainId: chain.network.chainId, ...signed }
}

/** D36: the stake must be paid by the wallet that receives the payments. */
function refuseOtherWallet({ found }: Registration, { address, source }: PayingKey): void {
  if (found.phase !== 'agent' || found.wallet === address) return
  throw new CommandError(
    `the agent is paid at ${found.wallet}, and ${source} is ${address}: only the wallet of /about can stake`,
    'name that wallet: --wallet <name>; or set AGENT_WALLET_ADDRESS of the agent to this one and restart it',
  )
}

async function agreeToStake({ world }: Registering, { valueWei, gasWei }: PlannedTransaction): Promise<void> {
  if (!world.canAsk) {
    // --wallet agreed to the stake; gas that costs more than the stake is not covered by that.
    if (gasWei <= valueWei) return
    throw new CommandError(
      `the gas costs up to ${formatCoin(gasWei)} ETH now, more than the stake`,
      'nothing was sent; on a terminal you are asked, and later it may cost less',
    )
  }
  if (await world.ask.confirm(`Stake ${formatCoin(valueWei)} ETH?`)) return
  throw new CommandError('not staked', 'nothing was sent')
}

async function follow(
  registering: Registering,
  { chain }: OpenRegistry,
  stake: StakeRecord,
): Promise<FollowedToBlock> {
  return await followOnChain({ ...registering, chain }, stake, `staking ${stake.hash}`, registering.timeoutMs)
}

async function outcomeOf(
  { journal, chosen, world }: Registering,
  { endpoint }: Registration,
  { hash, from }: StakeRecord,
  followed: FollowedToBlock,
): Promise<string> {
  const again = `run the same command again: farebox register --endpoint ${printable(endpoint)}`
  if (followed.outcome === 'dead') {
    throw new CommandError(
      `another transaction of ${from} took the place of the stake`,
      `nothing was staked; ${again}`,
    )
  }
  if (followed.outcome === 'open') {
    throw new CommandError(
      `the stake ${hash} was sent and is in no block yet`,
      `${again}; nothing is staked twice`,
      { exitCode: EXIT.unresolved },
    )
  }
  const { succeeded, blockNumber } = followed.receipt
  if (succeeded) {
    tellBlock(world, `staked    ${hash}`, blockNumber)
    return hash
  }
  await journal.stake({ platform: chosen.url, endpoint }).remove()
  throw new CommandError(`the registry contract refused the stake (${hash})`, `only gas was spent; ${again}`)
}
