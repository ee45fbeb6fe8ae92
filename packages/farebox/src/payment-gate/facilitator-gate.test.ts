import type { ProvenPayment } from '@farebox/payments/x402/verify-signature'
import {
  AUTHORIZATION_CANCELED_TOPIC,
  AUTHORIZATION_USED_TOPIC,
  TRANSFER_TOPIC,
} from '@farebox/payments/chain/chain-proof'
import { HOLD_EXTENSION, type FacilitatorRequest } from '@farebox/payments/x402/facilitator-api'
import type {
  FacilitatorClient,
  SettleOutcome,
  VerifyOutcome,
} from '@farebox/payments/x402/facilitator-client'
import type { JsonRpc } from '@farebox/payments/chain/json-rpc'
import { findNetwork, type Network } from '@farebox/payments/networks'
import { createRequirement } from '@farebox/payments/x402/requirement'
import { sleep } from '@farebox/protocol/time/clock'
import { describe, expect, test } from 'vitest'
import type { Trace } from '@farebox/protocol/internal/trace/traceparent'
import type { RecordedPayment } from '../jobs/job.ts'
import { createLog } from '../log.ts'
import { createFakeClock, type FakeClock } from '../testing/fake-clock.ts'
import { createFacilitatorGate } from './facilitator-gate.ts'
import type { PaymentGate, VerifyTerms } from './payment-gate.ts'

const network = findNetwork('eip155:84532') as Network
const PAYER = `0x${'11'.repeat(20)}`
const PAYEE = `0x${'22'.repeat(20)}`
const VALID_BEFORE = 1_900_000_000
const TRANSACTION = `0x${'ab'.repeat(32)}`

const requirement = createRequirement({ network, payTo: PAYEE, amountAtomic: 10_000n, maxDeadlineSeconds: 5 })
const recorded: RecordedPayment = {
  key: 'payment',
  authorization: {
    from: PAYER,
    to: PAYEE,
    value: '10000',
    validAfter: '0',
    validBefore: String(VALID_BEFORE),
    nonce: `0x${'33'.repeat(32)}`,
  },
  signature: `0x${'44'.repeat(65)}`,
  requirement,
  binding: `0x${'55'.repeat(32)}`,
  trace: { id: 'c0'.repeat(16), parentId: 'd0'.repeat(8), isSampled: true },
}
// Stands for the verifier's result, which the gate only passes on.
const proven = recorded as unknown as ProvenPayment
const trace: Trace = { id: 'ab'.repeat(16), parentId: undefined, isSampled: false }
const terms: VerifyTerms = {
  requirement,
  binding: recorded.binding,
  holdUntil: VALID_BEFORE,
  timeoutMs: 5_000,
  trace,
}

const SETTLED: SettleOutcome = { kind: 'settled', transaction: TRANSACTION }
const OTHER = `0x${'cd'.repeat(32)}`
const doubt = (cause: string): SettleOutcome => ({ kind: 'unknown', cause })
const UNKNOWN = doubt('timeout')
const failedFor = (reason: string, transaction = ''): SettleOutcome => ({
  kind: 'failed',
  reason,
  message: '',
  transaction,
})

/** The state of the authorization that the chain shows. */
type Chain =
  | 'unused'
  | 'settled'
  | 'cancelled'
  | 'cancelled just now'
  | 'used otherwise'
  | 'expired'
  | 'unclear'
  | 'unreachable'

interface Scene {
  readonly gate: PaymentGate
  readonly clock: FakeClock
  readonly asked: {
    readonly path: string
    readonly request?: FacilitatorRequest
    readonly timeoutMs: number
    readonly trace?: Trace | undefined
  }[]
  readonly lines: string[]
  /** The methods that were called on the node. */
  readonly calls: string[]
  chain: Chain
  settle: SettleOutcome
  verify: VerifyOutcome
  /** Undefined: requests to `/supported` fail. */
  extensions: readonly string[] | undefined
  network: string
  releaseFailures: number
  supportedTakesMs: number
}

function stageGate(
  options: { readonly ours?: boolean; readonly rpc?: boolean; readonly chain?: Chain } = {},
): Scene {
  // Late enough for every block: a block ahead of the agent's clock is not trusted.
  const clock = createFakeClock((VALID_BEFORE + network.finalitySeconds) * 1_000)
  const lines: string[] = []
  const log = createLog({ format: 'text', write: text => lines.push(text), nowMs: clock.nowMs })
  const scene = {
    clock,
    lines,
    calls: [] as string[],
    asked: [] as Scene['asked'],
    chain: options.chain ?? 'unused',
    settle: SETTLED,
    verify: { kind: 'valid', hold: undefined } as VerifyOutcome,
    extensions: (options.ours === true ? [HOLD_EXTENSION] : []) as readonly string[] | undefined,
    network: network.id,
    releaseFailures: 0,
    supportedTakesMs: 0,
  }
  const facilitator: FacilitatorClient = {
    verify(request, call) {
      scene.asked.push({ path: '/verify', request, ...call })
      return Promise.resolve(scene.verify)
    },
    settle(request, call) {
      scene.asked.push({ path: '/settle', request, ...call })
      return Promise.resolve(scene.settle)
    },
    release(_, call) {
      scene.asked.push({ path: '/release', ...call })
      scene.releaseFailures -= 1
      return scene.releaseFailures >= 0 ? Promise.reject(new Error('no answer')) : Promise.resolve()
    },
    async supported({ timeoutMs }) {
      scene.asked.push({ path: '/supported', timeoutMs })
      if (scene.supportedTakesMs > 0) await sleep(clock, scene.supportedTakesMs)
      if (scene.extensions === undefined) throw new Error('no answer')
      return {
        kinds: [{ x402Version: 2, scheme: 'exact', network: scene.network }],
        extensions: scene.extensions,
        signers: {},
      }
    },
    takesSecret: () => Promise.resolve(true),
    close: () => Promise.resolve(),
  }
  const rpc: JsonRpc = {
    call(method, parameters) {
      scene.calls.push(method)
      return answerCall(method, parameters, scene.chain)
    },
    close: () => Promise.resolve(),
  }
  const gate = createFacilitatorGate({
    facilitator,
    network,
    rpc: options.rpc === false ? undefined : rpc,
    clock,
    log,
  })
  return Object.assign(scene, { gate })
}

/** The answer of a node whose chain has this state. */
async function answerCall(method: string, parameters: readonly unknown[], chain: Chain): Promise<unknown> {
  await Promise.resolve()
  if (chain === 'unreachable') throw new Error('connect ECONNREFUSED')
  const flag = chain === 'unused' || chain === 'expired' ? '0' : '1'
  const headSeconds = chain === 'expired' ? VALID_BEFORE + network.finalitySeconds + 1 : VALID_BEFORE - 60
  if (method === 'eth_getBlockByNumber') {
    const isOld = parameters[0] !== 'latest' && chain !== 'cancelled just now'
    const seconds = headSeconds - (isOld ? network.finalitySeconds + 1 : 0)
    return { number: '0x10', timestamp: `0x${seconds.toString(16)}` }
  }
  if (method === 'eth_call') return `0x${flag.padStart(64, '0')}`
  const isCancelled = chain === 'cancelled' || chain === 'cancelled just now'
  const used = [
    isCancelled ? AUTHORIZATION_CANCELED_TOPIC : AUTHORIZATION_USED_TOPIC,
    topic(PAYER),
    recorded.authorization.nonce,
  ]
  const logs = [{ address: network.asset.address, topics: used, data: '0x', transactionHash: TRANSACTION }]
  if (method === 'eth_getLogs') return chain === 'unclear' ? [] : logs
  const to = chain === 'settled' ? PAYEE : PAYER
  const transfer = {
    address: network.asset.address,
    topics: [TRANSFER_TOPIC, topic(PAYER), topic(to)],
    data: `0x${(10_000).toString(16).padStart(64, '0')}`,
  }
  return {
    transactionHash: TRANSACTION,
    status: '0x1',
    blockNumber: '0x10',
    blockHash: TRANSACTION,
    logs: [...logs, ...(isCancelled ? [] : [transfer])],
  }
}

function topic(address: string): string {
  return `0x${address.slice(2).padStart(64, '0')}`
}

/** The outcome of a payment that was just verified here. */
async function settleFirst(scene: Scene): Promise<SettleOutcome> {
  await scene.gate.verify(proven, terms)
  return await scene.gate.settle(recorded)
}

describe('D9 a standard facilitator is checked against the chain', () => {
  test('a reported success that the chain confirms is one', async () => {
    expect(await settleFirst(stageGate({ chain: 'settled' }))).toEqual(SETTLED)
  })

  test.each<readonly [string, SettleOutcome]>([
    ['a success', SETTLED],
    ['a doubt', UNKNOWN],
    [
      'PAY-16 a refusal, because somebody else submitted it',
      failedFor('invalid_exact_evm_nonce_already_used'),
    ],
    ['a refusal after a send', failedFor('transaction_failed', TRANSACTION)],
  ])('%s, settled on the chain, is settled', async (_, reported) => {
    const scene = stageGate({ chain: 'settled' })
    scene.settle = reported
    expect(await settleFirst(scene)).toEqual(SETTLED)
  })

  test.each<readonly [Chain, SettleOutcome, string]>([
    ['unused', SETTLED, 'the transfer is not on the chain yet'],
    ['unclear', SETTLED, 'the authorization is used, its transfer is not found yet'],
    ['cancelled just now', SETTLED, 'the authorization was cancelled, in a block that may still be replaced'],
    ['unreachable', SETTLED, 'the chain cannot be asked: connect ECONNREFUSED'],
    ['unreachable', failedFor('insufficient_funds'), 'the chain cannot be asked: connect ECONNREFUSED'],
    ['unused', UNKNOWN, 'timeout'],
    ['unused', failedFor('transaction_failed', TRANSACTION), 'transaction_failed'],
    ['unused', failedFor('transaction_failed'), 'transaction_failed'],
    ['unused', failedFor('invalid_exact_evm_nonce_already_used'), 'invalid_exact_evm_nonce_already_used'],
    ['unused', failedFor('unexpected_settle_error'), 'unexpected_settle_error'],
  ])('PAY-13 %s on the chain, reported as %j: unknown', async (chain, reported, cause) => {
    const scene = stageGate({ chain })
    scene.settle = reported
    expect(await settleFirst(scene)).toEqual({ kind: 'unknown', cause })
  })

  test('a refusal of the first request, before anything was sent, is final', async () => {
    const scene = stageGate()
    scene.settle = failedFor('insufficient_funds')
    expect(await settleFirst(scene)).toEqual(scene.settle)
  })

  test('D8 the same refusal after a request with an unknown outcome is not final: it may still be mined', async () => {
    const scene = stageGate()
    scene.settle = UNKNOWN
    expect((await settleFirst(scene)).kind).toBe('unknown')
    scene.settle = failedFor('insufficient_funds')
    expect(await scene.gate.settle(recorded)).toEqual({
      kind: 'unknown',
      cause: 'insufficient_funds, after an earlier try',
    })
    scene.chain = 'expired'
    expect(await scene.gate.settle(recorded)).toMatchObject({
      kind: 'failed',
      reason: 'authorization_expired',
    })
  })

  test('D8 nor is it where the store lost the job meanwhile, so that the payment was verified once more', async () => {
    const scene = stageGate()
    scene.settle = UNKNOWN
    expect((await settleFirst(scene)).kind).toBe('unknown')
    scene.settle = failedFor('insufficient_funds')
    expect(await settleFirst(scene)).toMatchObject({ kind: 'unknown' })
    scene.chain = 'expired'
    expect(await settleFirst(scene)).toMatchObject({ kind: 'failed', reason: 'authorization_expired' })
    // What the chain decided is over: a later refusal is again one of a first request.
    scene.chain = 'unused'
    expect(await settleFirst(scene)).toEqual(scene.settle)
  })

  test('D8 a refusal after a restart is not trusted: the earlier process may have sent the transfer', async () => {
    const scene = stageGate()
    scene.settle = failedFor('insufficient_funds')
    expect((await scene.gate.settle(recorded)).kind).toBe('unknown')
    scene.chain = 'settled'
    expect(await scene.gate.settle(recorded)).toEqual(SETTLED)
  })

  test.each<readonly [Chain, SettleOutcome, object]>([
    [
      'cancelled',
      SETTLED,
      { kind: 'failed', message: 'the authorization was cancelled', transaction: TRANSACTION },
    ],
    [
      'used otherwise',
      UNKNOWN,
      { kind: 'failed', message: 'the authorization was used for another transfer' },
    ],
    ['expired', UNKNOWN, { kind: 'failed', reason: 'authorization_expired', transaction: '' }],
    ['expired', SETTLED, { kind: 'failed', reason: 'authorization_expired' }],
  ])('PAY-10 %s on the chain: failed, whatever was reported', async (chain, reported, outcome) => {
    const scene = stageGate({ chain })
    scene.settle = reported
    expect(await settleFirst(scene)).toMatchObject(outcome)
  })
})

describe('D10 a facilitator that proves its answers', () => {
  test.each([SETTLED, failedFor('insufficient_funds')])(
    '%j is trusted when there is no node',
    async reported => {
      const scene = stageGate({ ours: true, rpc: false })
      scene.settle = reported
      expect(await scene.gate.settle(recorded)).toEqual(reported)
    },
  )

  test('an unknown outcome is decided by the chain with a node, and stays unknown without one', async () => {
    for (const [rpc, kind] of [
      [true, 'settled'],
      [false, 'unknown'],
    ] as const) {
      const scene = stageGate({ ours: true, rpc, chain: 'settled' })
      scene.settle = UNKNOWN
      expect((await scene.gate.settle(recorded)).kind).toBe(kind)
    }
  })

  test('a success is checked by its receipt with a node, in one call', async () => {
    const scene = stageGate({ ours: true, chain: 'settled' })
    expect(await settleFirst(scene)).toEqual(SETTLED)
    expect(scene.calls).toEqual(['eth_getTransactionReceipt'])
  })

  test.each<readonly [string, Chain, SettleOutcome, SettleOutcome]>([
    ['a success that is none', 'unused', SETTLED, doubt('the transfer is not on the chain yet')],
    ['a refusal of what it settled', 'settled', failedFor('insufficient_funds'), SETTLED],
    ['the transaction of another payment', 'settled', { kind: 'settled', transaction: OTHER }, SETTLED],
    [
      'a refusal while the chain is silent',
      'unreachable',
      failedFor('insufficient_funds'),
      doubt('the chain cannot be asked: connect ECONNREFUSED'),
    ],
    [
      'a success while the chain is silent',
      'unreachable',
      SETTLED,
      doubt('the chain cannot be asked: connect ECONNREFUSED'),
    ],
  ])('D8 is not trusted for %s', async (_, chain, reported, outcome) => {
    const scene = stageGate({ ours: true, chain })
    scene.settle = reported
    expect(await settleFirst(scene)).toEqual(outcome)
  })

  test('D8 a refusal of a repeated settlement is not trusted: the chain must show that it expired unused', async () => {
    const scene = stageGate({ ours: true })
    scene.settle = UNKNOWN
    await settleFirst(scene)
    scene.settle = failedFor('insufficient_funds')
    expect((await scene.gate.settle(recorded)).kind).toBe('unknown')
    scene.chain = 'expired'
    expect((await scene.gate.settle(recorded)).kind).toBe('failed')
  })
})

describe('requests to the facilitator', () => {
  test('D9 have the agent’s own requirement, the checked payment and its binding', async () => {
    const scene = stageGate({ ours: true })
    await settleFirst(scene)
    const [verify, settle] = scene.asked.filter(({ path }) => path !== '/supported')
    expect(verify?.request).toEqual({
      x402Version: 2,
      paymentPayload: {
        x402Version: 2,
        accepted: requirement,
        payload: { authorization: recorded.authorization, signature: recorded.signature },
      },
      paymentRequirements: requirement,
      extensions: { [HOLD_EXTENSION]: { binding: recorded.binding, holdUntil: VALID_BEFORE } },
    })
    expect(settle?.request?.extensions).toEqual({ [HOLD_EXTENSION]: { binding: recorded.binding } })
  })

  test.each<readonly [string, (scene: Scene) => void, string]>([
    [
      'D12 cannot be reached',
      scene => {
        scene.extensions = undefined
      },
      'the facilitator cannot be reached',
    ],
    [
      'D12 does not know our network',
      scene => {
        scene.network = 'eip155:1'
      },
      'the facilitator does not support eip155:84532',
    ],
  ])('%s: no verdict, and nothing is sent', async (_, change, cause) => {
    const scene = stageGate({ ours: true })
    change(scene)
    expect(await scene.gate.verify(proven, terms)).toEqual({ kind: 'unavailable', cause })
    expect(scene.asked.map(({ path }) => path)).toEqual(['/supported'])
  })

  test('D9 a standard facilitator without a node: no verdict, with the variable to set', async () => {
    const { gate, asked } = stageGate({ rpc: false })
    expect(await gate.verify(proven, terms)).toEqual({
      kind: 'unavailable',
      cause: expect.stringMatching(/^SERVICE_RPC_URL is not set/),
    })
    expect(asked.map(({ path }) => path)).toEqual(['/supported'])
  })

  test('D8 a settlement is unknown, and not requested, until /supported was answered', async () => {
    const scene = stageGate({ ours: true })
    scene.extensions = undefined
    expect(await scene.gate.settle(recorded)).toEqual({
      kind: 'unknown',
      cause: 'the facilitator cannot be reached',
    })
    expect(scene.asked.map(({ path }) => path)).toEqual(['/supported'])
  })

  test('/supported is requested once in ten minutes, even for concurrent callers', async () => {
    const scene = stageGate({ ours: true })
    await Promise.all([scene.gate.verify(proven, terms), scene.gate.verify(proven, terms)])
    await scene.clock.advance(599_000)
    await scene.gate.verify(proven, terms)
    const asked = (): number => scene.asked.filter(({ path }) => path === '/supported').length
    expect(asked()).toBe(1)
    await scene.clock.advance(2_000)
    await scene.gate.verify(proven, terms)
    expect(asked()).toBe(2)
  })

  test('an outage of /supported does not change the known abilities', async () => {
    const scene = stageGate({ ours: true, rpc: false })
    await scene.gate.verify(proven, terms)
    await scene.clock.advance(601_000)
    scene.extensions = undefined
    expect(await scene.gate.verify(proven, terms)).toEqual({ kind: 'valid', hold: undefined })
    expect(await scene.gate.settle(recorded)).toEqual(SETTLED)
  })

  test('PAY-20 both requests of a verification share one time limit', async () => {
    const scene = stageGate({ ours: true })
    scene.supportedTakesMs = 3_000
    const verdict = scene.gate.verify(proven, terms)
    await scene.clock.advance(3_000)
    expect((await verdict).kind).toBe('valid')
    expect(scene.asked.map(({ timeoutMs }) => timeoutMs)).toEqual([5_000, 2_000])
  })

  test('PAY-20 when the time limit is used up, there is no verdict', async () => {
    const scene = stageGate({ ours: true })
    scene.supportedTakesMs = 5_000
    const verdict = scene.gate.verify(proven, terms)
    await scene.clock.advance(5_000)
    expect((await verdict).kind).toBe('unavailable')
  })
})

describe('each request about a payment is sent in the trace of its job', () => {
  const sent = ({ asked }: Scene): readonly unknown[] =>
    asked.filter(({ path }) => path !== '/supported').map(asking => asking.trace)

  test('a verification, an inquiry and a release', async () => {
    const scene = stageGate({ ours: true, rpc: false })
    await scene.gate.verify(proven, terms)
    await scene.gate.findCharge(proven, terms)
    await scene.gate.release(
      { holdId: 'hold', holdUntil: VALID_BEFORE },
      { binding: terms.binding, jobId: 'its-job', paymentKey: 'its-payment', trace },
    )
    expect(sent(scene)).toEqual([trace, trace, trace])
  })

  test('a settlement has that of the recorded payment, whichever process asks for it', async () => {
    const scene = stageGate({ ours: true, rpc: false })
    await scene.gate.settle(recorded)
    expect(sent(scene)).toEqual([recorded.trace])
    const { trace: _, ...earlier } = recorded
    await scene.gate.settle(earlier)
    expect(sent(scene)[1]).toBeUndefined()
  })
})

describe('releasing a hold', () => {
  const hold = { holdId: 'hold', holdUntil: VALID_BEFORE }
  const released = { binding: terms.binding, jobId: 'its-job', paymentKey: 'its-payment', trace }

  test('is tried three times', async () => {
    const scene = stageGate({ ours: true })
    scene.releaseFailures = 2
    const releasing = scene.gate.release(hold, released)
    await scene.clock.advance(1_000)
    await releasing
    expect(scene.asked).toHaveLength(3)
    expect(scene.lines).toEqual([])
  })

  test('never throws when it fails: the hold expires', async () => {
    const scene = stageGate({ ours: true })
    scene.releaseFailures = 9
    const releasing = scene.gate.release(hold, released)
    await scene.clock.advance(1_000)
    await expect(releasing).resolves.toBeUndefined()
    expect(scene.asked).toHaveLength(3)
    await scene.clock.advance(0)
    expect(scene.lines.join('')).toMatch(
      new RegExp(
        `^warning: hold release failed; it will expire .* job=its-job trace=${trace.id} key=its-payment$`,
        'm',
      ),
    )
  })
})

describe('D40 a payment that was charged before', () => {
  const CHARGE = {
    state: 'settled',
    binding: recorded.binding,
    transaction: TRANSACTION,
    chargedAt: VALID_BEFORE - 100,
    now: VALID_BEFORE - 60,
  } as const
  const USED = { kind: 'invalid', reason: 'invalid_exact_evm_nonce_already_used', message: '' } as const
  const terms = { requirement: recorded.requirement, binding: recorded.binding, timeoutMs: 1_000, trace }

  test('is reported by Farebox’s facilitator with its age, and an inquiry holds nothing', async () => {
    const scene = stageGate({ ours: true, rpc: false })
    scene.verify = { ...USED, charge: CHARGE }
    const charge = { kind: 'settled', transaction: TRANSACTION, binding: recorded.binding, ageSeconds: 40 }
    expect(await scene.gate.findCharge(proven, terms)).toEqual(charge)
    expect(await scene.gate.verify(proven, { ...terms, holdUntil: VALID_BEFORE })).toMatchObject({ charge })
    const [inquiry] = scene.asked.filter(({ path }) => path === '/verify')
    expect(inquiry?.request?.extensions).toEqual({
      [HOLD_EXTENSION]: { binding: recorded.binding, inquiry: true },
    })
  })

  test('is no charge when the agent’s own node does not show the transfer', async () => {
    const scene = stageGate({ ours: true, rpc: true, chain: 'unused' })
    scene.verify = { ...USED, charge: CHARGE }
    expect(await scene.gate.findCharge(proven, terms)).toMatchObject({ kind: 'pending' })
  })

  test('is shown only by the chain behind a standard facilitator, which is not asked, without its binding', async () => {
    const scene = stageGate({ rpc: true, chain: 'settled' })
    expect(await scene.gate.findCharge(proven, terms)).toEqual({
      kind: 'settled',
      transaction: TRANSACTION,
      binding: undefined,
      ageSeconds: expect.any(Number),
    })
    expect(scene.asked.map(({ path }) => path)).toEqual(['/supported'])
  })

  test('is none when the authorization was cancelled or is unused', async () => {
    for (const chain of ['unused', 'cancelled'] as const) {
      const scene = stageGate({ rpc: true, chain })
      expect(await scene.gate.findCharge(proven, terms)).toEqual({ kind: 'none' })
    }
  })

  test('is unknown when the node or the facilitator does not answer', async () => {
    expect(await stageGate({ rpc: true, chain: 'unreachable' }).gate.findCharge(proven, terms)).toMatchObject(
      {
        kind: 'unknown',
      },
    )
    const scene = stageGate({ ours: true, rpc: false })
    scene.verify = { kind: 'unavailable', cause: 'HTTP 500' }
    expect(await scene.gate.findCharge(proven, terms)).toMatchObject({ kind: 'unknown' })
  })
})
