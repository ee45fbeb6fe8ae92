import { printable } from '@farebox/conformance/internal/printable'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import { nearest } from '@farebox/protocol/internal/problems/nearest'
import { usageError } from '../command-error.ts'
import type { World } from '../world.ts'

/**
 * Chooses the capability to call: the named one, the only one, or the one that a person selects.
 *
 * @throws {CommandError} for an unknown capability, with the agent's own message (D21), and when there are several and no
 * person can be asked
 */
export async function chooseCalled(
  world: World,
  { name, capabilities }: Declaration,
  named: string | undefined,
): Promise<string> {
  const names = Object.keys(capabilities)
  const available = names.map(printable).join(', ')
  if (named !== undefined) {
    if (Object.hasOwn(capabilities, named)) return named
    const guess = nearest(named, names)
    throw usageError(
      `Unknown capability "${printable(named)}". Available: ${available}`,
      guess === undefined ? 'take one of these' : `did you mean ${printable(guess)}?`,
    )
  }
  const [only, ...others] = names
  if (only !== undefined && others.length === 0) return only
  if (!world.canAsk) {
    throw usageError(
      `${printable(name)} does several things, say which: ${available}`,
      'it comes right after the URL',
    )
  }
  const choices = Object.entries(capabilities).map(([value, { pricing, description }]) => ({
    value,
    label: `${value}  ${pricing.amount} USDC`,
    hint: description,
  }))
  return await world.ask.choose(`What shall ${printable(name)} do?`, choices)
}
