import type { Clock } from '@farebox/client/internal/exchange/clock'
import { CommandError, EXIT } from '../../command-error.ts'
import { paintFor } from '../../terminal/text.ts'
import { showProgress } from '../../terminal/progress.ts'
import type { World } from '../../world.ts'
import type { OpenRegistry } from './open-registry.ts'
import type { ChangeRecord, RegistrationJournal } from '../platform/registration-journal.ts'
import { isKnown } from '../registry/call-node.ts'
import { followOnChain } from './follow-on-chain.ts'

/** What a change is followed with. */
export interface Following {
  readonly world: World
  readonly clock: Clock
  readonly journal: RegistrationJournal
  readonly registry: OpenRegistry
}

const BLOCK_WITHIN_MS = 180_000

/**
 * Goes on with a change of an agent that was signed here before: sends the same bytes until they are in a block.
 * Resolves to its transaction; undefined where there was none, or it is void.
 *
 * @param isWanted whether that change is what is asked for now; another one is not sent any more
 * @throws {CommandError} where it is not known yet what became of it (exit code 3)
 */
export async function followEarlierChange(
  following: Following,
  key: Pick<ChangeRecord, 'platform' | 'agentId'>,
  isWanted: (earlier: ChangeRecord) => boolean,
): Promise<string | undefined> {
  const { world, journal, registry } = following
  const earlier = await journal.readChange(key)
  if (earlier === undefined) return undefined
  const isSent = isWanted(earlier) || (await isKnown(registry.chain, earlier.hash))
  const followed = isSent ? await wait(following, earlier) : undefined
  if (followed?.outcome === 'open') throw stillOpen(earlier)
  if (followed?.outcome === 'in a block' && followed.receipt.succeeded) {
    tellBlock(world, earlier, followed.receipt.blockNumber)
    return earlier.hash
  }
  await journal.dropChange(key)
  world.err.write(`  ${doing(earlier)} by ${earlier.hash} came to nothing; it is not sent again\n`)
  return undefined
}

/**
 * Writes a signed change down, sends it, and waits until it is in a block.
 *
 * @throws {CommandError} where another command is at it, it was not taken, or is in no block yet (exit code 3)
 */
export async function sendChange(following: Following, change: ChangeRecord): Promise<string> {
  const { world, journal } = following
  if (!(await journal.beginChange(change))) {
    throw new CommandError(
      `another command is changing agent ${change.agentId} now`,
      'run the same command again: it follows that one',
    )
  }
  const followed = await wait(following, change)
  if (followed.outcome === 'open') throw stillOpen(change)
  if (followed.outcome === 'in a block' && followed.receipt.succeeded) {
    tellBlock(world, change, followed.receipt.blockNumber)
    return change.hash
  }
  await journal.dropChange(change)
  throw new CommandError(
    `${change.hash} was not taken by the chain`,
    'nothing changed; run the same command again',
  )
}

async function wait({ world, clock, registry }: Following, change: ChangeRecord) {
  const progress = showProgress(world, `${doing(change)}: ${change.hash}`)
  try {
    const { signal } = world
    return await followOnChain(registry.chain, change, { clock, signal, timeoutMs: BLOCK_WITHIN_MS })
  } finally {
    progress.end()
  }
}

function doing({ kind, agentId }: ChangeRecord): string {
  return `${kind === 'update' ? 'moving' : 'deregistering'} agent ${agentId}`
}

function tellBlock({ err }: World, { hash }: ChangeRecord, block: bigint): void {
  err.write(`  ${paintFor(err).green('✓')} ${hash} in block ${block}\n`)
}

function stillOpen({ hash, kind, agentId, endpoint }: ChangeRecord): CommandError {
  const again =
    kind === 'update'
      ? `farebox register update ${agentId} --endpoint ${endpoint}`
      : `farebox deregister ${agentId}`
  return new CommandError(
    `${hash} was sent and is in no block yet`,
    `later, run: ${again}\nit is followed, and not sent a second time`,
    { exitCode: EXIT.unresolved },
  )
}
