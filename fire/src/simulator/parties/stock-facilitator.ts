import type { FacilitatorRequest } from '@farebox/payments/x402/facilitator-api'
import type { SignedPayment } from '@farebox/payments/x402/sign-payment'
import type { VirtualAnswer } from '../stand-ins/fastify.ts'
import type { VirtualProcess } from '../time/virtual-process.ts'
import { callThroughPort } from '../wires/port.ts'
import type { World } from '../build-world.ts'
import type { FacilitatorCall } from './facilitator-party.ts'
import { supervise, type Supervised } from './supervise.ts'

/** The sending account of a facilitator that is not ours. */
export const STOCK_RELAYER = '0x00000000000000000000000000000000000057cc'

const WAITS_MS = [3_000, 9_000, 20_000] as const
const LOOK_MS = 1_000

type Payment = Pick<SignedPayment, 'authorization' | 'signature'>

/**
 * An ordinary facilitator: it checks, sends, and waits a while. It keeps no ledger, has no holds, knows no binding, and
 * its reports of a lost transaction are unreliable.
 */
export function startStockFacilitator(world: World): Supervised<FacilitatorCall, VirtualAnswer> {
  const random = world.random.fork('stock facilitator')
  const waitMs = random.pick(WAITS_MS)
  return supervise<FacilitatorCall, VirtualAnswer>(world, 'stock', random, process =>
    Promise.resolve({
      serve: call => answer(world, process, call, waitMs),
      stop: () => Promise.resolve(),
    }),
  )
}

async function answer(
  world: World,
  process: VirtualProcess,
  { path, body }: FacilitatorCall,
  waitMs: number,
): Promise<VirtualAnswer> {
  const { network } = world
  if (path === '/supported') {
    const kinds = [{ x402Version: 2, scheme: 'exact', network: network.id }]
    return { status: 200, body: { kinds, extensions: [], signers: {} } }
  }
  const { paymentPayload } = JSON.parse(body ?? '{}') as FacilitatorRequest
  const payment = paymentPayload.payload
  const refused = refuse(world, payment)
  world.wires.trace.note(process.name, () => `${path}: ${refused ?? 'good'}`)
  if (path === '/verify')
    return {
      status: 200,
      body: { isValid: refused === undefined, invalidReason: refused, payer: payment.authorization.from },
    }
  if (refused !== undefined) return settled(world, '', refused)
  return await settle(world, process, payment, waitMs)
}

/** Like the reference: the payer's balance first, then a simulation of the transfer. */
function refuse(world: World, payment: Payment): string | undefined {
  const { state, seconds } = world.chain.head()
  const { from, value } = payment.authorization
  if ((state.balances.get(from) ?? 0n) < BigInt(value)) return 'insufficient_funds'
  const outcome = world.token.call(state, { kind: 'pay', ...payment }, seconds)
  if (outcome.ok) return undefined
  return /used/.test(outcome.revert) ? 'invalid_exact_evm_nonce_already_used' : 'invalid_transaction_state'
}

async function settle(
  world: World,
  process: VirtualProcess,
  payment: Payment,
  waitMs: number,
): Promise<VirtualAnswer> {
  const { chain, wires, random } = world
  const hash = random.hex(32)
  const send = async (): Promise<void> =>
    world.sendOnChain(STOCK_RELAYER, { kind: 'pay', ...payment }, hash, world.delayOfTransaction())
  const call = { process, kind: 'facilitator', port: 'node', name: 'stock send', call: send } as const
  await callThroughPort(wires, call)
  for (let waitedMs = 0; waitedMs < waitMs; waitedMs += LOOK_MS) {
    const found = chain.find(hash)
    if (found?.mined.succeeded === true) return settled(world, hash)
    if (found !== undefined) return settled(world, hash, 'invalid_transaction_state')
    await process.sleep(LOOK_MS)
  }
  return random.chance(0.5)
    ? settled(world, '', 'unexpected_settle_error')
    : { status: 500, body: { error: 'timed out' } }
}

function settled({ network }: World, transaction: string, errorReason?: string): VirtualAnswer {
  const outcome = { success: errorReason === undefined, ...(errorReason && { errorReason }) }
  return { status: 200, body: { ...outcome, transaction, network: network.id } }
}
