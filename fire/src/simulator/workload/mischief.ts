import type { TokenCall } from '../chain/token.ts'
import type { Random } from '../seeded-random.ts'
import type { World } from '../world.ts'
import { NOBODY, type Payer } from './cast.ts'
import type { RawPayment } from './sign-raw-payment.ts'

/** What happens on the chain behind the back of agent and facilitator. */
export const MISCHIEF_KINDS = ['cancel', 'drain', 'foreign', 'pause', 'top-up'] as const

export type MischiefKind = (typeof MISCHIEF_KINDS)[number]

const WITHIN_MS = 15_000
const PAUSED_MS = 8_000

/** Does it, some time after the payment was signed. */
export function makeMischief(
  world: World,
  kind: MischiefKind,
  payer: Payer,
  payment: RawPayment,
  random: Random,
): void {
  const { time, trace } = world.wires
  const send = (sender: string, call: TokenCall): void => {
    trace.note(payer.name, () => `${call.kind} by ${sender.slice(0, 10)}`)
    const transaction = { hash: random.hex(32), sender, nonce: undefined, calls: [call], maxFeePerGas: 1n }
    world.chain.submit(transaction, random.between(0, 4_000))
  }
  const { authorization, signature } = payment
  world.mischief.open += 1
  time.after(random.between(0, WITHIN_MS), () => {
    world.mischief.open -= 1
    world.wires.faults.happened(`mischief: ${kind}`)
    switch (kind) {
      case 'cancel':
        return send(payer.address, { kind: 'cancel', from: payer.address, nonce: authorization.nonce })
      case 'drain': {
        const value = world.chain.head().state.balances.get(payer.address) ?? 0n
        return send(payer.address, { kind: 'transfer', from: payer.address, to: NOBODY, value })
      }
      case 'foreign':
        return send(NOBODY, { kind: 'pay', authorization, signature })
      case 'top-up':
        return send(NOBODY, {
          kind: 'transfer',
          from: NOBODY,
          to: payer.address,
          value: BigInt(authorization.value),
        })
      case 'pause':
        send(NOBODY, { kind: 'pause' })
        time.after(PAUSED_MS, () => send(NOBODY, { kind: 'unpause' }))
    }
  })
}
