import {
  facilitatorRequest,
  freshBinding,
  NETWORK,
  PRICE,
  signAuthorization,
} from '@farebox/facilitator/src/test-setup/payments-for-tests'
import {
  startStack,
  type RunningFacilitator,
  type Stack,
} from '@farebox/facilitator/src/test-setup/start-stack'
import { openToken, type TokenForTests } from '@farebox/facilitator/src/test-setup/token-for-tests'
import type { PaymentRecord } from '@farebox/facilitator/src/ledger/payment-record'
import { paymentKey, type Authorization } from '@farebox/payments/authorization/eip-3009'
import type { JsonRpc } from '@farebox/payments/chain/json-rpc'
import type { FacilitatorRequest } from '@farebox/payments/x402/facilitator-api'
import type { SettleOutcome, VerifyOutcome } from '@farebox/payments/x402/facilitator-client'
import { until } from '@farebox/protocol/src/test-setup/until'
import { systemClock } from '@farebox/protocol/time/clock'
import { HANG_MS } from '../../storms/stage/managed-process.ts'

/** The fault of a node at a call; undefined: an honest answer. */
export type NodeFault = (method: string, parameters: readonly unknown[]) => Promise<unknown> | undefined

/** A signed payment, its payer, and how an agent sends it. */
export interface ScenePayment {
  readonly key: string
  readonly payerKey: string
  readonly authorization: Authorization
  readonly request: FacilitatorRequest
}

/** A facilitator in this process on PostgreSQL, between an agent's requests and a node that can be made to lie. */
export interface ChainScene {
  readonly stack: Stack
  readonly token: TokenForTests
  readonly facilitator: RunningFacilitator
  /** Sets the node's behaviour from now on. */
  readonly node: { fault: NodeFault | undefined }
  /** How far the facilitator's clock is ahead of the machine's. */
  readonly clock: { aheadMs: number }
  /** The errors that it logged. */
  readonly errors: readonly string[]
  /** A payment by a new payer with exactly that balance, or by a given payer. */
  pay(payerKey?: string): Promise<ScenePayment>
  verify(payment: ScenePayment): Promise<VerifyOutcome>
  /** An agent delivers when this returns settled. */
  settle(payment: ScenePayment): Promise<SettleOutcome>
  /** Resolves once the ledger has the payment in one of these states. */
  untilState(payment: ScenePayment, ...states: readonly PaymentRecord['state'][]): Promise<PaymentRecord>
  /** How many payments of each payer were settled. */
  countTransfers(payments: readonly ScenePayment[]): Promise<readonly number[]>
}

/** Sets up the scene, runs an attack in it, and tears it down in any case. */
export async function playOnChain<Seen>(
  play: (scene: ChainScene) => Promise<Seen>,
  secondRpc?: (honest: JsonRpc) => JsonRpc,
): Promise<Seen> {
  const stack = await startStack()
  try {
    const node: ChainScene['node'] = { fault: undefined }
    const clock = { aheadMs: 0 }
    const errors: string[] = []
    const { rpc } = stack
    const facilitator = await stack.startFacilitator({
      rpc: {
        ...rpc,
        call: async (method, parameters, options) =>
          await (node.fault?.(method, parameters) ?? rpc.call(method, parameters, options)),
      },
      ...(secondRpc !== undefined && { secondRpc: secondRpc(rpc) }),
      clock: { ...systemClock, nowMs: () => Date.now() + clock.aheadMs },
      log: { info: () => undefined, warn: () => undefined, error: message => void errors.push(message) },
      limits: { stuckAfterMs: 1_500, requestsPerSecond: 5_000 },
    })
    const { client, ledger } = facilitator
    const token = openToken(rpc, stack.crypto)
    return await play({
      stack,
      token,
      facilitator,
      node,
      clock,
      errors,
      async pay(payerKey) {
        const key = payerKey ?? (await stack.createPayer(PRICE))
        const signed = await signAuthorization(stack.crypto, key)
        return {
          key: paymentKey(NETWORK, signed.authorization),
          payerKey: key,
          authorization: signed.authorization,
          request: facilitatorRequest(signed, { binding: freshBinding() }),
        }
      },
      verify: ({ request }) => client.verify(request, { timeoutMs: HANG_MS }),
      settle: ({ request }) => client.settle(request, { timeoutMs: HANG_MS }),
      untilState: async ({ key }, ...states) =>
        await until(async () => {
          const [record] = await ledger.payments.find([key])
          return record !== undefined && states.includes(record.state) && record
        }),
      countTransfers: payments =>
        Promise.all(payments.map(({ authorization }) => token.countTransfers(authorization.from))),
    })
  } finally {
    await stack.stop()
  }
}
