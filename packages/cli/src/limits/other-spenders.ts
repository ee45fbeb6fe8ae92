import { checksumAddress } from '@farebox/payments/crypto/address'
import { CommandError, EXIT } from '../command-error.ts'
import { asTyped } from '../terminal/as-typed.ts'
import { paintFor } from '../terminal/paint.ts'
import { printable } from '../terminal/printable.ts'
import { amount } from './describe-terms.ts'
import type { RawAllowOptions } from './agent/limits-options.ts'
import { readKnown, type KnownPermission } from './known-permissions.ts'
import type { OpenLimits } from './open-limits.ts'

/** What a permission is for, and whom it names. */
interface Named {
  readonly agentId: bigint
  readonly capability: string
  readonly spender: string
}

/** Live permissions of the same capability for other accounts: an agent may name another one each time it is asked. */
export async function findOtherSpenders(
  limits: OpenLimits,
  { agentId, capability, spender }: Named,
): Promise<readonly KnownPermission[]> {
  const { permissions } = await readKnown(limits)
  return permissions.filter(
    one =>
      one.state === 'allowed' &&
      one.agentId === agentId &&
      one.capability === capability &&
      one.spender !== spender.toLowerCase(),
  )
}

/**
 * Shows them before anybody agrees: what is set now comes beside them and lowers none of them.
 *
 * @throws {CommandError} where `--yes` agreed to an account that only the agent named
 */
export function showOtherSpenders(
  { world, crypto }: OpenLimits,
  { capability, spender }: Named,
  others: readonly KnownPermission[],
  raw: Pick<RawAllowOptions, 'spender' | 'yes'>,
): void {
  const mark = paintFor(world.err).yellow('!')
  const revokes = others.map(({ number }) => asTyped(world, `farebox limits revoke ${number}`))
  for (const [index, other] of others.entries()) {
    const address = checksumAddress(crypto, other.spender)
    world.err.write(
      `  ${mark} also permitted to ${address}: ${amount(other.left)} left, revoke: ${revokes[index]}\n`,
    )
  }
  if (others.length === 0 || raw.yes !== true || raw.spender !== undefined) return
  throw new CommandError(
    `the agent names another spender than the one that ${printable(capability)} is permitted to`,
    `both could spend then: ${revokes.join(', ')} ends what was permitted before,\n` +
      `--spender ${checksumAddress(crypto, spender)} permits this one as well; nothing was signed`,
    { exitCode: EXIT.usage },
  )
}
