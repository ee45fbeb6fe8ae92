import { printable } from '@farebox/conformance/internal/printable'
import { checksumAddress } from '@farebox/payments/crypto/address'
import { formatUsdc } from '@farebox/protocol/money/usdc'
import { systemClock, type Clock } from '@farebox/protocol/time/clock'
import { nameNetwork } from '../chain/name-network.ts'
import type { ExitCode } from '../command-error.ts'
import { runWithJson } from '../terminal/run-with-json.ts'
import { asTyped, paintFor } from '../terminal/text.ts'
import type { World } from '../world.ts'
import { type Approval, readTokenApproval } from './chain/read-permissions.ts'
import { amount, approvalAmount, moment } from './describe-terms.ts'
import { findPlace } from './agent/find-agent.ts'
import {
  type KnownPermission,
  type KnownPermissions,
  permissionDocument,
  readKnown,
} from './known-permissions.ts'
import { AGAIN, type RawLimitsOptions } from './agent/limits-options.ts'
import { type OpenLimits, withLimits } from './open-limits.ts'

/** `farebox limits list`: shows the wallet's permissions, the amounts spent, and whether the approval is correct. */
export async function listPermissions(
  world: World,
  raw: RawLimitsOptions,
  clock: Clock = systemClock,
): Promise<ExitCode> {
  const list = async (): Promise<object> => {
    const place = await findPlace(world, raw)
    return await withLimits({ world, clock, place, raw }, async limits => {
      const { chain, key } = limits
      const known = await readKnown(limits)
      const approval = await readTokenApproval(chain, key.address, 'latest')
      if (raw.json !== true) show(limits, known, approval)
      return documentOf(limits, known, approval)
    })
  }
  return await runWithJson(world, raw, list, AGAIN)
}

function documentOf(
  { chain, key }: OpenLimits,
  { permissions, unnamed, chainSeconds }: KnownPermissions,
  { allowance, totalLeft }: Approval,
): object {
  return {
    ok: true,
    owner: key.address,
    network: chain.network.id,
    permissions: permissions.map(one => ({
      number: one.number,
      state: one.state.replace(' ', '_'),
      ...permissionDocument(one, chainSeconds),
    })),
    unnamed_ids: unnamed,
    approval: formatUsdc(allowance),
    total_left: formatUsdc(totalLeft),
  }
}

function show(limits: OpenLimits, known: KnownPermissions, approval: Approval): void {
  const { world, chain, crypto, key, local } = limits
  const { permissions, unnamed } = known
  const address = checksumAddress(crypto, key.address)
  world.err.write(`  ${address}  ${key.source}\n  on ${nameNetwork(chain.network, local, chain)}\n\n`)
  if (permissions.length === 0 && unnamed.length === 0) {
    world.out.write('no agent has a permission\n')
    world.err.write(
      `  ${asTyped(world, 'farebox limits allow <agent> <capability> --limit 1.00 --cap 10.00 --spender 0x… allows something')}\n`,
    )
  } else world.out.write(tableOf(limits, permissions))
  if (unnamed.length > 0) tellUnnamed(world, unnamed)
  tellApproval(world, approval)
}

const HEADS = ['', 'agent', 'capability', 'each time', 'in all', 'spent', 'left', 'until'] as const
/** Right-aligned columns of numbers. */
const NUMBERS: ReadonlySet<number> = new Set([0, 1, 3, 4, 5, 6])
const MOST_NAME = 24

function tableOf({ world, crypto }: OpenLimits, permissions: readonly KnownPermission[]): string {
  const { dim } = paintFor(world.out)
  const rows = permissions.map(cellsOf)
  const widths = HEADS.map((head, column) =>
    Math.max(head.length, ...rows.map(cells => (cells[column] ?? '').length)),
  )
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => {
        const width = widths[column] ?? 0
        return NUMBERS.has(column) ? cell.padStart(width) : cell.padEnd(width)
      })
      .join('  ')
      .trimEnd()
  const lines = permissions.flatMap((one, index) => {
    const text = line(rows[index] ?? [])
    const [to = 'anybody', ...others] = one.recipients.map(recipient => checksumAddress(crypto, recipient))
    const more = others.length === 0 ? '' : ` and ${others.length} more`
    const margin = ' '.repeat((widths[0] ?? 0) + 2)
    return [
      one.state === 'allowed' ? text : dim(text),
      dim(`${margin}spender ${checksumAddress(crypto, one.spender)}`),
      ...(one.state === 'revoked' ? [] : [dim(`${margin}to      ${to}${more}`)]),
    ]
  })
  return `${[dim(line(HEADS)), ...lines].join('\n')}\n`
}

function cellsOf(one: KnownPermission): readonly string[] {
  const { number, agentId, capability, limit, cap, spent, left, expiry, state } = one
  const isRevoked = state === 'revoked'
  return [
    String(number),
    String(agentId),
    printable(capability.slice(0, MOST_NAME)),
    isRevoked ? '–' : amount(limit),
    isRevoked ? '–' : amount(cap),
    amount(spent),
    amount(left),
    isRevoked ? 'revoked' : state === 'allowed' ? moment(expiry) : `${moment(expiry)}, ${state}`,
  ]
}

function tellUnnamed({ err }: World, unnamed: readonly string[]): void {
  const many = unnamed.length === 1 ? 'one more permission is' : `${unnamed.length} more permissions are`
  err.write(
    `\n  ${paintFor(err).yellow('!')} ${many} set, and this node cannot show for which agents\n` +
      '    --rpc-url with a node that keeps all logs tells\n',
  )
}

/**
 * Reports a wrong approval. It should equal what remains: a larger one is not needed, and a smaller one blocks permitted
 * spends.
 */
function tellApproval(world: World, { allowance, totalLeft }: Approval): void {
  const { err } = world
  const { yellow, green } = paintFor(err)
  if (allowance === totalLeft) {
    err.write(`\n  ${green('✓')} approval  ${amount(allowance)} USDC, exactly what is left\n`)
    return
  }
  const is = `${approvalAmount(allowance)}${approvalAmount(allowance) === 'endless' ? '' : ' USDC'}`
  const why =
    allowance > totalLeft
      ? `more than the ${amount(totalLeft)} that are left: nobody needs it`
      : `less than the ${amount(totalLeft)} that are left: agents cannot spend all you allow`
  err.write(
    `\n  ${yellow('!')} approval  ${is}, ${why}\n` +
      `    ${asTyped(world, `farebox limits approve makes it ${amount(totalLeft)} USDC`)}\n`,
  )
}
