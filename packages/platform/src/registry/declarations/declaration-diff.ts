import type { DeclarationChange } from '@farebox/platform-api/registry'
import { sameAddress } from '@farebox/payments/crypto/address'
import type { Capability, Declaration, Permission } from '@farebox/protocol/declaration/declaration'
import { formatUsdc, readUsdc } from '@farebox/protocol/money/usdc'
import { worstSeverity, quoteValue, sortBySeverity } from './declaration-change.ts'
import { diffInputs, diffOutputs } from './field-diff.ts'

/** The maximum number of changes listed for one declaration. */
const MAX_CHANGES = 100

/**
 * Lists the changes from one declaration of an agent to the next as sentences, the most severe first (REG-04). Pure;
 * empty when both declarations mean the same, regardless of the order of their keys.
 *
 * - wallet: payments go to another address.
 * - breaking: calls that worked may fail. A capability or an output was removed, a new input is required, a formerly
 *   accepted value is refused, an output may have new values, another capability is the default, or more is asked of
 *   the user's wallet.
 * - price: a job costs more or less.
 * - compatible: every other change.
 */
export function diffDeclarations(before: Declaration, after: Declaration): readonly DeclarationChange[] {
  const changes = sortBySeverity([...diffAgent(before, after), ...diffCapabilities(before, after)])
  if (changes.length <= MAX_CHANGES) return changes
  const left = changes.slice(MAX_CHANGES - 1)
  const sentence = `and ${left.length} more changes`
  return [...changes.slice(0, MAX_CHANGES - 1), { severity: worstSeverity(left), sentence }]
}

function diffAgent(before: Declaration, after: Declaration): readonly DeclarationChange[] {
  const changes: DeclarationChange[] = []
  if (!sameAddress(before.wallet, after.wallet)) {
    changes.push({
      severity: 'wallet',
      sentence: `is paid at ${after.wallet.toLowerCase()}, was at ${before.wallet.toLowerCase()}`,
    })
  }
  const [old] = Object.keys(before.capabilities)
  const [now] = Object.keys(after.capabilities)
  if (old !== undefined && now !== undefined && old !== now) {
    const sentence = `jobs that name no capability go to ${quoteValue(now)}, went to ${quoteValue(old)}`
    changes.push({ severity: 'breaking', sentence })
  }
  for (const key of ['name', 'description', 'max_deadline_seconds'] as const) {
    if (before[key] === after[key]) continue
    const sentence = `${key} is ${quoteValue(after[key])}, was ${quoteValue(before[key])}`
    changes.push({ severity: 'compatible', sentence })
  }
  return changes
}

function diffCapabilities(before: Declaration, after: Declaration): readonly DeclarationChange[] {
  const names = new Set([...Object.keys(before.capabilities), ...Object.keys(after.capabilities)])
  return [...names].flatMap(capability => {
    const was = own(before, capability)
    const is = own(after, capability)
    return diffCapability(was, is).map(change => ({ ...change, capability }))
  })
}

function diffCapability(
  was: Capability | undefined,
  is: Capability | undefined,
): readonly DeclarationChange[] {
  if (was === undefined) {
    return [{ severity: 'compatible', sentence: `is new, for ${is?.pricing.amount} USDC a job` }]
  }
  if (is === undefined) return [{ severity: 'breaking', sentence: 'is gone' }]
  return [
    ...diffPrice(was.pricing.amount, is.pricing.amount),
    ...diffInputs(was.input_schema, is.input_schema),
    ...diffOutputs(was.output_schema, is.output_schema),
    ...diffPermissions(was.permissions ?? [], is.permissions ?? []),
    ...(was.description === is.description
      ? []
      : [{ severity: 'compatible', sentence: `description is ${quoteValue(is.description)}` } as const]),
  ]
}

function diffPrice(before: string, after: string): readonly DeclarationChange[] {
  const [old, now] = [atomic(before), atomic(after)]
  if (old === now) return []
  const direction = now > old ? 'raise' : 'cut'
  const price = { old: formatUsdc(old), new: formatUsdc(now), direction } as const
  const sentence = `costs ${price.new} USDC a job, was ${price.old} (a ${direction})`
  return [{ severity: 'price', sentence, price }]
}

/**
 * Compares the spending limits on the user's wallet by token. A higher limit is breaking because it requires a new
 * consent of the user.
 */
function diffPermissions(
  before: readonly Permission[],
  after: readonly Permission[],
): readonly DeclarationChange[] {
  const [old, now] = [limitsOf(before), limitsOf(after)]
  const changes: DeclarationChange[] = []
  for (const token of new Set([...old.keys(), ...now.keys()])) {
    const [was, is] = [old.get(token) ?? 0n, now.get(token) ?? 0n]
    if (was === is) continue
    const sentence =
      is === 0n
        ? `no longer asks to spend the user's ${quoteValue(token)}`
        : `asks to spend up to ${formatUsdc(is)} of the user's ${quoteValue(token)} at a time, was ${formatUsdc(was)}`
    changes.push({ severity: is > was ? 'breaking' : 'compatible', sentence })
  }
  if (changes.length === 0 && JSON.stringify(before) !== JSON.stringify(after)) {
    changes.push({ severity: 'compatible', sentence: "says anew why it asks to spend the user's tokens" })
  }
  return changes
}

function limitsOf(permissions: readonly Permission[]): ReadonlyMap<string, bigint> {
  const limits = new Map<string, bigint>()
  for (const { token, max_per_transaction: most } of permissions) {
    const limit = atomic(most)
    if (limit > (limits.get(token) ?? 0n)) limits.set(token, limit)
  }
  return limits
}

/** Converts an amount of a checked declaration to atomic units. */
function atomic(amount: string): bigint {
  const read = readUsdc(amount)
  if (!read.ok) throw new RangeError(`amount: ${read.reason}`)
  return read.atomic
}

function own({ capabilities }: Declaration, name: string): Capability | undefined {
  return Object.hasOwn(capabilities, name) ? capabilities[name] : undefined
}
