import type { SignedPayment } from '@farebox/payments/x402/sign-payment'
import type { TokenCall } from '../chain/token.ts'
import type { Random } from '../seeded-random.ts'
import type { World } from '../build-world.ts'
import { NOBODY, type Payer } from './cast.ts'

/** Events on the chain that bypass agent and facilitator. */
export const MISCHIEF_KINDS = ['cancel', 'drain', 'foreign', 'pause', 'top-up'] as const

export type MischiefKind = (typeof MISCHIEF_KINDS)[number]

const WITHIN_MS = 15_000
const PAUSED_MS = 8_000

/** Performs it, some time after the payment was signed. */
export function makeMischief(
  world: World,
  kind: MischiefKind,
  payer: Payer,
  { authorization, signature }: Pick<SignedPayment, 'authorization' | 'signature'>,
  random: Random,
): void {
  const { time, trace } = world.wires
  const send = (sender: string, call: TokenCall): void => {
    trace.note(payer.name, () => `${call.kind} by ${sender.slice(0, 10)}`)
    world.sendOnChain(sender, call, random.hex(32), random.between(0, 4_000))
  }
  world.mischief.open += 1
  const { address } = payer
  const move = (from: string, to: string, value: bigint): void =>
    send(from, { kind: 'transfer', from, to, value })
  const deeds: { readonly [kind in MischiefKind]: () => void } = {
    cancel: () => send(address, { kind: 'cancel', from: address, nonce: authorization.nonce }),
    drain: () => move(address, NOBODY, world.chain.head().state.balances.get(address) ?? 0n),
    foreign: () => send(NOBODY, { kind: 'pay', authorization, signature }),
    'top-up': () => move(NOBODY, address, BigInt(authorization.value)),
    pause() {
      send(NOBODY, { kind: 'pause' })
      time.after(PAUSED_MS, () => send(NOBODY, { kind: 'unpause' }))
    },
  }
  time.after(random.between(0, WITHIN_MS), () => {
    world.mischief.open -= 1
    world.wires.faults.happened(`mischief: ${kind}`)
    deeds[kind]()
  })
}
