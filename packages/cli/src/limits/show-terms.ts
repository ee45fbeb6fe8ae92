import { printable } from '@farebox/conformance/internal/printable'
import { checksumAddress } from '@farebox/payments/crypto/address'
import type { SpendPermission } from '@farebox/contracts/permission-typed-data'
import { coinOf, formatCoin, nameNetwork } from '../chain/name-network.ts'
import { readUsdcBalance } from '../chain/read-balances.ts'
import { paintFor, wrap } from '../terminal/text.ts'
import type { PlannedChange } from './change-permission.ts'
import type { PermissionStatus } from '@farebox/contracts/internal/calls/permission-views'
import type { SpendDeclaration } from './agent/declared-spend.ts'
import { amount, describeSteps, moment, row } from './describe-terms.ts'
import type { MeantAgent } from './agent/find-agent.ts'
import type { OpenLimits } from './open-limits.ts'

export interface AllowedTerms {
  readonly agent: MeantAgent
  readonly agentName: string
  readonly capability: string
  readonly declared: SpendDeclaration
  readonly permission: SpendPermission
  readonly before: PermissionStatus
  readonly change: PlannedChange
  readonly gasWei: bigint
  readonly chainSeconds: number
}

/** Longer reasons are cut, so that an agent's text cannot fill the screen. */
const MOST_REASON = 500
const MARGIN = 12
const STEP_WEI = 10n ** 11n

/** Shows the permission before anything is signed: the agent's text, then the amounts, then what will be signed. */
export async function showPermissionTerms(limits: OpenLimits, terms: AllowedTerms): Promise<void> {
  const { world, chain, crypto, key, local } = limits
  const { agent, agentName, capability, declared, permission, before, change, gasWei } = terms
  const paint = paintFor(world.err)
  const { network } = chain
  const address = (text: string): string => checksumAddress(crypto, text)
  const [said = '', ...more] = wrap(
    printable(declared.reason.slice(0, MOST_REASON)),
    world.err.columns - MARGIN,
  )
  const [to = 'anybody', ...others] = permission.recipients.map(address)
  const lines = [
    `${paint.bold(`${printable(agentName)} · ${printable(capability)}`)}   agent ${agent.agentId} at ${printable(agent.endpoint ?? '')}`,
    row(paint, 'reason', said),
    ...more.map(line => ' '.repeat(MARGIN) + line),
    row(paint, 'token', `${network.asset.symbol} ${address(network.asset.address)}`),
    row(paint, '', `on ${nameNetwork(network, local, chain)}`),
    row(paint, 'declared', `up to ${amount(declared.mostAtomic)} USDC each time`),
    row(paint, 'each time', `${amount(permission.limit)} USDC at most`),
    row(paint, 'in all', `${amount(permission.cap)} USDC at most${spentText(before, permission)}`),
    row(paint, 'until', moment(permission.expiry)),
    row(paint, 'spender', address(permission.spender)),
    row(paint, 'to', to),
    ...others.map(one => row(paint, '', one)),
    row(paint, 'from', `${address(key.address)}  ${key.source}`),
    ...describeSteps(paint, 'set', change),
    row(paint, 'gas', `up to ${formatCoin(roundedUp(gasWei))} ${coinOf(network)}`),
  ]
  world.err.write(`${lines.join('\n')}\n`)
  await warn(limits, terms)
}

/** Rounds up to the significant digits. */
function roundedUp(gasWei: bigint): bigint {
  return ((gasWei + STEP_WEI - 1n) / STEP_WEI) * STEP_WEI
}

function spentText({ spent, nonce }: PermissionStatus, { cap }: SpendPermission): string {
  return nonce === 0n ? '' : `, ${amount(spent)} spent before, ${amount(cap - spent)} left`
}

async function warn({ world, chain, key }: OpenLimits, { permission, before }: AllowedTerms): Promise<void> {
  const mark = paintFor(world.err).yellow('!')
  const left = permission.cap - before.spent
  const balance = await readUsdcBalance(chain, key.address).catch(() => undefined)
  if (balance !== undefined && balance < left)
    world.err.write(`  ${mark} the wallet holds ${amount(balance)} USDC: no more than that can be moved\n`)
  if (permission.spender.toLowerCase() === key.address.toLowerCase())
    world.err.write(`  ${mark} the spender is your own wallet: the agent can move nothing by this\n`)
}
