import { loadEvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import type { Clock } from '@farebox/protocol/time/clock'
import { nameNetwork } from '../chain/name-network.ts'
import { CommandError } from '../command-error.ts'
import { isOnLoopback } from '../keys/local-economy.ts'
import type { PayingKey } from '../keys/paying-key.ts'
import { findKey } from '../register/transaction/open-registry.ts'
import type { World } from '../world.ts'
import { hasSpendPermissions } from './chain/read-permissions.ts'
import type { StepSending } from './chain/send-step.ts'
import type { LimitsChain } from './agent/find-agent.ts'
import type { RawLimitsOptions } from './agent/limits-options.ts'
import { requireChain } from '../chain/open-chain.ts'
import { agree } from '../terminal/ask.ts'

export interface OpenLimits extends LimitsChain, StepSending {
  readonly key: PayingKey
}

export async function withLimits<Result>(
  at: {
    readonly world: World
    readonly clock: Clock
    readonly place: LimitsChain
    readonly raw: RawLimitsOptions
  },
  work: (limits: OpenLimits) => Promise<Result>,
): Promise<Result> {
  const { world, clock, place, raw } = at
  const { network, local } = place
  const { rpcUrl } = raw
  const key = await findKey(world, raw, local)
  const chain = await requireChain(world, { network, rpcUrl, local })
  try {
    if (!(await hasSpendPermissions(chain))) {
      throw new CommandError(
        `the SpendPermissions contract is not on ${nameNetwork(network, local, chain)}`,
        'nothing can be allowed there; farebox-platform deploy-permissions puts it there',
      )
    }
    const testNodeUrl = chain.isLocal && isOnLoopback(chain.url) ? chain.url : undefined
    return await work({ world, clock, ...place, chain, crypto: await loadEvmCrypto(), key, testNodeUrl })
  } finally {
    await chain.close()
  }
}

/**
 * Asks the person to agree to the output above, unless `--yes` was given; nothing is signed when the person does not agree.
 */
export async function agreeToSign(
  world: World,
  raw: RawLimitsOptions,
  question: string,
  refused: string,
): Promise<void> {
  const kept = 'nothing was signed'
  await agree(world, raw, question, { unasked: `add --yes to agree to it; ${kept}`, refused, kept })
}
