import { findNetwork } from '@farebox/payments/networks'
import type { JobAnswer, QuoteAnswer } from '@farebox/platform-api/jobs'
import type { FieldMap } from '@farebox/protocol/fields/field'
import type { OrderJournal, SignedOrder } from '../kept/order.ts'
import type { CheckoutDependencies } from '../quick-execute/checkout/checkout.ts'
import type { OrderParts } from '../quick-execute/checkout/follower.ts'
import type { Orderable } from '../quick-execute/checkout/prepare-order.ts'
import { createAsk, type ApiAnswer, type AskOptions } from '../site/ask.ts'
import { openTestWallet } from '../wallet/test-wallet/test-wallet.ts'
import type { Wallet } from '../wallet/wallet.ts'
import { atOnce } from './at-once.ts'

const AGENT = `0x${'a'.repeat(40)}`
const USDC = findNetwork('eip155:84532')?.asset
const FIELDS: FieldMap = { text: { type: 'string', required: true, maxLength: 40 } }

/** The capability that the tests order. */
export const TELLER: Orderable = {
  agentId: 1,
  agentName: 'Teller',
  capability: 'count',
  price: '0.002',
  fields: FIELDS,
}

/** A platform, a wallet and a journal in memory. `log` records every event in order. */
export interface CheckoutStage {
  readonly dependencies: CheckoutDependencies
  readonly log: string[]
  readonly orders: Map<string, SignedOrder>
  /** The bodies of the orders that reached the platform. */
  readonly sent: unknown[]
  /** The platform's answers. `jobs` has one answer for each attempt to send an order; undefined: no answer. */
  readonly answers: { price: string; balance: string; jobs: (Partial<JobAnswer> | undefined)[] }
  /** Delays the answer to a path until the returned function is called. */
  hold(path: string): () => void
  /** Reports a new state of the followed job. */
  report(job: Partial<JobAnswer>): void
  /** The signals of all jobs that have been followed. */
  readonly followed: AbortSignal[]
  wallet: Wallet | undefined
}

/** Creates the stage: the wallet has 5 USDC, and the agent requests the price that is shown. */
export async function createCheckoutStage(): Promise<CheckoutStage> {
  const log: string[] = []
  const orders = new Map<string, SignedOrder>()
  const sent: unknown[] = []
  const followed: AbortSignal[] = []
  const held = new Map<string, Promise<void>>()
  const answers: CheckoutStage['answers'] = { price: TELLER.price, balance: '5', jobs: [{}] }
  let report: (job: JobAnswer) => void = () => undefined

  const answer = (path: string, body: unknown): unknown => {
    if (path === '/v1/quotes') return quoteFor(answers.price)
    if (path.endsWith('/balance')) return { ...BALANCE, usdc: answers.balance }
    if (path.startsWith('/v1/jobs?')) sent.push(body)
    const job = answers.jobs.length > 1 ? answers.jobs.shift() : answers.jobs[0]
    if (job === undefined) throw new Error('the connection was lost')
    return jobOf([...orders.keys()].at(-1) ?? '', job)
  }
  const ask = createAsk(async (path: string, { body, signal }: AskOptions): Promise<ApiAnswer> => {
    log.push(`ask ${path.replace(/0x\w+|[\da-f]{8}-[\da-f-]{27}/, '…')}`)
    await held.get(path)
    signal?.throwIfAborted()
    return { status: 200, headers: { get: () => null }, body: answer(path, body) }
  })
  const opened = await openTestWallet({ read: async () => KEY, write: async () => undefined }, ask)
  const parts: OrderParts = {
    journal: createJournal(orders, log),
    async followJob(_ask, _job, reporting, signal) {
      log.push('follow')
      followed.push(signal)
      report = reporting
      await new Promise<void>(resolve => signal.addEventListener('abort', () => resolve()))
    },
    clock: { nowMs: () => Date.now(), ...atOnce() },
  }
  const stage: CheckoutStage = {
    log,
    orders,
    sent,
    answers,
    followed,
    wallet: {
      ...opened,
      signTypedData(typedData) {
        log.push('sign')
        return opened.signTypedData(typedData)
      },
    },
    hold(path) {
      let release = (): void => undefined
      held.set(path, new Promise(resolve => (release = resolve)))
      return release
    },
    report: job => report(jobOf([...orders.keys()].at(-1) ?? '', job)),
    dependencies: {
      ask,
      platform: { network: 'eip155:84532', chain_id: 84_532, local_mode: true },
      connect: async () => stage.wallet,
      refreshBalance: () => log.push('refresh balance'),
      loadParts: async () => parts,
    },
  }
  return stage
}

const KEY = `0x${'1'.padStart(64, '0')}`
const BALANCE = { address: AGENT, usdc_atomic: '0', native_wei: '0', block_number: 1 }

function createJournal(orders: Map<string, SignedOrder>, log: string[]): OrderJournal {
  return {
    async keep(order) {
      log.push('keep')
      orders.set(order.job_id, order)
    },
    read: async jobId => orders.get(jobId),
    async update(jobId, change) {
      const order = orders.get(jobId)
      if (order === undefined) return undefined
      orders.set(jobId, { ...order, ...change })
      return orders.get(jobId)
    },
    lock: async (_jobId, work) => await work(),
  }
}

function quoteFor(amount: string): QuoteAnswer {
  const atomic = String(Math.round(Number(amount) * 1_000_000))
  const [asset, domain] = [USDC?.address ?? '', USDC?.domain ?? { name: '', version: '' }]
  return {
    agent_id: TELLER.agentId,
    capability: TELLER.capability,
    amount,
    amount_atomic: atomic,
    pay_to: AGENT,
    network: 'eip155:84532',
    asset,
    asset_domain: domain,
    payment_requirement: {
      scheme: 'exact',
      network: 'eip155:84532',
      asset,
      amount: atomic,
      payTo: AGENT,
      maxTimeoutSeconds: 60,
      extra: domain,
    },
    max_timeout_seconds: 60,
    max_deadline_seconds: 30,
    price_changed: null,
    input_schema: {},
    endpoint: 'https://teller.example',
  }
}

function jobOf(jobId: string, given: Partial<JobAnswer>): JobAnswer {
  return {
    job_id: jobId,
    agent_id: TELLER.agentId,
    agent_name: TELLER.agentName,
    capability: TELLER.capability,
    status: 'sent',
    payer: AGENT,
    amount: TELLER.price,
    amount_atomic: '2000',
    created_at: 1,
    expires_at: 31,
    finished_at: null,
    elapsed_ms: null,
    charged: null,
    payment: {
      status: 'open',
      transaction: null,
      block_number: null,
      pay_to: AGENT,
      valid_before: 61,
      usable_until: 100,
    },
    input: {},
    output: null,
    output_problem: null,
    completed_at: null,
    error_type: null,
    error: null,
    charged_without_delivery: false,
    retry: { possible: false, until: null, reason: null },
    contents_deleted: false,
    receipt: null,
    job_token: 'token',
    ...given,
  }
}
