import { systemClock, type Clock } from '@farebox/client/clock'
import type { Platform } from '@farebox/platform-api/registry'
import { EXIT, Refusal } from '../refusal.ts'
import { paintFor } from '../terminal/paint.ts'
import { showProgress } from '../terminal/progress.ts'
import type { World } from '../world.ts'
import { findPlatform, type ChosenPlatform } from './find-platform.ts'
import { findKey, localOf, openRegistry, type OpenRegistry } from './open-registry.ts'
import { openPlatform, type OpenPlatform } from './open-platform.ts'
import type { RawAgentOptions } from './register-options.ts'
import { readOwner } from './transaction/ask-node.ts'
import { followTransaction } from './transaction/follow-transaction.ts'
import { planTransaction, type PlannedTransaction } from './transaction/plan-transaction.ts'
import { signCall } from './transaction/sign-call.ts'

/** A change of what the registry keeps of an agent. */
export interface AgentChange {
  readonly agentId: number
  /** What it is called in progress lines: `moving agent 7`. */
  readonly doing: string
  /** Looks at what there is before anything is signed; gives the call's data, or undefined where all is as wanted. */
  prepare(at: {
    readonly platform: OpenPlatform
    readonly described: Platform
    readonly registry: OpenRegistry
    /** Lower case. */
    readonly owner: string
  }): Promise<string | undefined>
  /** Asks a person; rejects with a `Refusal` where they do not want it. */
  agree(planned: PlannedTransaction): Promise<void>
}

/** What was done. */
export interface ChangedAgent {
  readonly chosen: ChosenPlatform
  readonly described: Platform
  /** Undefined where nothing was to be done. */
  readonly transaction: string | undefined
}

const BLOCK_WITHIN_MS = 180_000

/**
 * Signs and sends one call of the registry about an agent that the wallet holds, and waits until it is in a block.
 * Sent twice it does no harm: the second finds it done.
 *
 * @throws {Refusal} where it was not sent, was refused, or is in no block yet (exit code 3)
 */
export async function changeAgent(
  world: World,
  raw: RawAgentOptions,
  change: AgentChange,
  clock: Clock = systemClock,
): Promise<ChangedAgent> {
  const chosen = await findPlatform(world, raw.platform)
  const platform = openPlatform(chosen.url, world.signal)
  const described = await platform.describe()
  const registry = await openRegistry(world, chosen, described, raw)
  const { chain, address, crypto } = registry
  try {
    const owner = await readOwner(chain, address, crypto, change.agentId)
    if (owner === undefined) {
      throw new Refusal(`there is no agent ${change.agentId}`, 'never registered, or deregistered already')
    }
    const callData = await change.prepare({ platform, described, registry, owner })
    if (callData === undefined) return { chosen, described, transaction: undefined }
    const key = await findKey(world, raw, localOf(chosen, described))
    if (key.address !== owner) throw notTheirs(change.agentId, owner, key, { to: address, callData })
    const planned = await planTransaction(chain, { from: owner, to: address, valueWei: 0n, callData })
    await change.agree(planned)
    const signed = await signCall(chain, crypto, await key.unlock(), planned)
    const followed = await waitFor(world, clock, registry, { ...change, signed })
    return { chosen, described, transaction: tellOutcome(world, signed.hash, followed) }
  } finally {
    await chain.close()
  }
}

type Signed = Awaited<ReturnType<typeof signCall>>

async function waitFor(
  world: World,
  clock: Clock,
  registry: OpenRegistry,
  { doing, signed }: { readonly doing: string; readonly signed: Signed },
) {
  const progress = showProgress(world, `${doing}: ${signed.hash}`)
  try {
    return await followTransaction(registry, signed, {
      clock,
      signal: world.signal,
      timeoutMs: BLOCK_WITHIN_MS,
    })
  } finally {
    progress.end()
  }
}

function tellOutcome(
  { err }: World,
  hash: string,
  followed: Awaited<ReturnType<typeof followTransaction>>,
): string {
  if (followed.outcome === 'open') {
    throw new Refusal(`${hash} was sent and is in no block yet`, 'say the same again in a while', {
      exitCode: EXIT.unresolved,
    })
  }
  if (followed.outcome === 'dead' || !followed.receipt.isSuccess) {
    throw new Refusal(`${hash} was not taken by the chain`, 'nothing changed; say the same again')
  }
  err.write(`  ${paintFor(err).green('✓')} ${hash} in block ${followed.receipt.blockNumber}\n`)
  return hash
}

/** Whoever staked in a browser has the key there: this is what its wallet would have to send. */
function notTheirs(
  agentId: number,
  owner: string,
  key: { readonly address: string; readonly source: string },
  call: { readonly to: string; readonly callData: string },
): Refusal {
  return new Refusal(
    `agent ${agentId} is held by ${owner}, and ${key.source} is ${key.address}`,
    [
      'name the wallet that holds it: --wallet <name>; or have that wallet send this transaction:',
      `to    ${call.to}`,
      'value 0',
      `data  ${call.callData}`,
    ].join('\n'),
  )
}
