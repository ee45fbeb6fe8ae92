import { checksumAddress } from '@farebox/payments/crypto/address'
import { systemClock, type Clock } from '@farebox/protocol/time/clock'
import type { ExitCode } from '../command-error.ts'
import { runWithJson } from '../terminal/run-with-json.ts'
import { paintFor } from '../terminal/text.ts'
import type { World } from '../world.ts'
import { settleApproval } from './change-permission.ts'
import { readTokenApproval } from './chain/read-permissions.ts'
import { amount, approvalAmount, row } from './describe-terms.ts'
import { findPlace } from './agent/find-agent.ts'
import { AGAIN, type RawLimitsOptions } from './agent/limits-options.ts'
import { agreeToSign, type OpenLimits, withLimits } from './open-limits.ts'

/**
 * `farebox limits approve`: sets the approval to exactly what remains of all permissions, when it is larger, unlimited, or
 * too small for them.
 */
export async function fixApproval(
  world: World,
  raw: RawLimitsOptions,
  clock: Clock = systemClock,
): Promise<ExitCode> {
  const fix = async (): Promise<object> => {
    const place = await findPlace(world, raw)
    return await withLimits({ world, clock, place, raw }, limits => fixOn(limits, raw))
  }
  return await runWithJson(world, raw, fix, AGAIN)
}

async function fixOn(limits: OpenLimits, raw: RawLimitsOptions): Promise<object> {
  const { world, chain, crypto, key } = limits
  const { allowance, totalLeft } = await readTokenApproval(chain, key.address, 'pending')
  const exact = `${amount(totalLeft)} USDC, exactly what is left of all permissions`
  if (allowance === totalLeft) {
    if (raw.json !== true) world.out.write(`${paintFor(world.out).green('✓')} the approval is ${exact}\n`)
    return { ok: true, approval: amount(allowance), transactions: [] }
  }
  const paint = paintFor(world.err)
  const lines = [
    row(paint, 'approval', `${approvalAmount(allowance)} → ${exact}`),
    row(paint, 'from', `${checksumAddress(crypto, key.address)}  ${key.source}`),
  ]
  world.err.write(`${lines.join('\n')}\n`)
  await agreeToSign(world, raw, `Approve ${amount(totalLeft)} USDC?`, 'not approved')
  const { transactions, approval } = await settleApproval(limits, await key.unlock(), totalLeft)
  const text = `the approval is ${amount(approval.allowance)} USDC`
  if (raw.json !== true) world.out.write(`${paintFor(world.out).green('✓')} ${text}\n`)
  return { ok: true, approval: amount(approval.allowance), transactions }
}
