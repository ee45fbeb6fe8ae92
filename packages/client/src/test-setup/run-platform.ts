import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { checkFlow } from '@farebox/flows/check/check-flow'
import type { Flow } from '@farebox/flows/document/flow'
import { findJobStep } from '@farebox/flows/internal/document/find-job-step'
import { readFlow } from '@farebox/flows/document/read-flow'
import { buildGraph, type Graph } from '@farebox/flows/graph/graph'
import { applyEvent } from '@farebox/flows/run/apply-event'
import type { RunEffect, RunEvent } from '@farebox/flows/run/run-event'
import type { Payment, Run } from '@farebox/flows/run/run-state'
import { startRun } from '@farebox/flows/run/start-run'
import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { refuseNonce } from '@farebox/payments/authorization/nonce-binding'
import { decodePaymentHeader } from '@farebox/payments/x402/payment-header'
import { createSignatureVerifier } from '@farebox/payments/x402/verify-signature'
import { runQuoteRequest } from '@farebox/platform-api/flows/run-quote'
import {
  runAnswerRequest,
  runPaymentsRequest,
  runRequest,
  runRetryRequest,
  type RunAnswer,
  type RunPayment,
} from '@farebox/platform-api/flows/runs'
import { formatUsdc } from '@farebox/protocol/money/usdc'
import type { JsonObject } from '@farebox/protocol/fields/field'
import { sleep, type Clock } from '@farebox/protocol/time/clock'
import { endpointOf, quoteJob, quoteRun, Refusal, TEST_NETWORK } from './quote-run.ts'
import { showRun } from './show-run.ts'

/** An agent's reaction to a job. Undefined: it does not respond, and may still charge. */
export type Outcome =
  | { readonly output: JsonObject }
  | { readonly error: string; readonly charged?: true }
  | undefined

/** A platform for tests: the real engine in memory behind the contract, and agents that react as a test defines. */
export interface RunPlatform {
  readonly url: string
  /** By capability; default: returns texts that fit its output schema. */
  readonly agents: Map<string, (input: JsonObject, attempt: number) => Outcome | Promise<Outcome>>
  /** By capability; default: the pinned price. Null: the agent has none. */
  readonly prices: Map<string, string | null>
  /** Every charge; no key may occur twice. */
  readonly charges: { readonly key: string; readonly jobId: string; readonly amount: string }[]
  /** Received `POST /v1/runs` requests, in order. */
  readonly seen: string[]
  /** Loses a request before it is processed, or its response. */
  cut: (request: string) => 'before' | 'after' | undefined
  /** Changes a response before it is sent. */
  lie: (request: string, answer: object) => object
  /** Why no run is started; undefined: runs are started. */
  refuses: string | undefined
  /** Are there server-sent events? */
  hasEvents: boolean
  /** Is a token of the caller kept? Otherwise the first response contains one. */
  keepsTokens: boolean
  /** The session in which the payer of every run is signed in. */
  readonly session: string
  /** Answers requests that the platform does not answer itself. */
  also: (request: string, headers: IncomingMessage['headers']) => object | undefined
  /** The state of a run, without a request. */
  show(runId: string): RunAnswer
  close(): Promise<void>
}

interface StoredRun {
  readonly graph: Graph
  readonly request: string
  readonly token: string
  readonly createdAt: number
  readonly watchers: Set<ServerResponse>
  run: Run
  version: number
  changedAt: number
  payer: string | null
}

/** Starts a platform on a free port. */
export async function startRunPlatform(crypto: EvmCrypto, clock: Clock): Promise<RunPlatform> {
  const verifier = createSignatureVerifier(crypto, [TEST_NETWORK])
  const runs = new Map<string, StoredRun>()
  const now = (): number => clock.nowMs() / 1_000

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const name = `${request.method} ${request.url}`
    platform.seen.push(name)
    const fault = platform.cut(name)
    if (fault === 'before') return void response.destroy()
    if (/^GET .*\/events$/.test(name)) return watch(name, request, response)
    const [status, body] = reply(name, Buffer.concat(chunks).toString(), request.headers)
    if (fault === 'after') return void response.destroy()
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(status === 200 ? platform.lie(name, body) : body))
  }

  function reply(name: string, text: string, headers: IncomingMessage['headers']): [number, object] {
    try {
      return [200, route(name, text, headers)]
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      const types: { readonly [status: number]: string } = { 404: 'not_found', 409: 'conflict' }
      return [
        error.status,
        { status: 'failed', error_type: types[error.status] ?? 'validation', error: error.message },
      ]
    }
  }

  function route(name: string, text: string, headers: IncomingMessage['headers']): object {
    const body: unknown = text === '' ? {} : JSON.parse(text)
    if (name === 'POST /v1/runs/quote') {
      const { flow, keys } = runQuoteRequest.parse(body)
      return quoteRun(readDocument(flow), keys, platform.prices)
    }
    if (name === 'POST /v1/flows/check') return checkFlow(readDocument((body as { flow: unknown }).flow))
    if (name === 'POST /v1/runs') return start(text)
    const [, runId = '', what] = /^(?:GET|PUT|POST) \/v1\/runs\/([^/]+)(?:\/(\w+))?$/.exec(name) ?? []
    if (runId === '') {
      const other = platform.also(name, headers)
      if (other === undefined) throw new Refusal(404, `no ${name}`)
      return other
    }
    const stored = open(runId, headers)
    if (what === 'payments') bring(stored, body)
    else if (what === 'retry') apply(stored, { event: 'retried', ...runRetryRequest.parse(body) })
    else if (what === 'answer') apply(stored, { event: 'answered', ...runAnswerRequest.parse(body) })
    else if (what !== undefined)
      apply(stored, {
        event: ({ pause: 'paused', resume: 'resumed', cancel: 'cancelled' } as const)[what as 'pause'],
      })
    return platform.show(runId)
  }

  function open(runId: string, headers: IncomingMessage['headers']): StoredRun {
    const stored = runs.get(runId)
    const isPayer = headers.authorization === `Bearer ${platform.session}`
    if (stored === undefined || (headers['run-token'] !== stored.token && !isPayer))
      throw new Refusal(404, 'No such run of yours')
    return stored
  }

  function start(text: string): object {
    const {
      run_id: runId = randomUUID(),
      run_token,
      flow,
      input,
      max_total,
      payments,
    } = runRequest.parse(JSON.parse(text))
    const before = runs.get(runId)
    if (before !== undefined && before.request !== text) throw new Refusal(409, 'run_id: is of another run')
    if (before !== undefined) return platform.show(runId)
    if (platform.refuses !== undefined) throw new Refusal(400, platform.refuses)
    const graph = buildGraph(readDocument(flow))
    const started = startRun(graph, input as JsonObject, { max_total, now: now() })
    if (!started.ok) throw new Refusal(400, started.reason)
    const token = platform.keepsTokens ? (run_token ?? randomUUID()) : randomUUID()
    const stored: StoredRun = {
      graph,
      request: text,
      token,
      createdAt: now(),
      watchers: new Set(),
      run: started.run,
      version: 1,
      changedAt: now(),
      payer: null,
    }
    for (const payment of payments) payIn(stored, payment)
    runs.set(runId, stored)
    for (const effect of started.effects) carryOut(stored, effect)
    return { ...platform.show(runId), ...(!platform.keepsTokens && { run_token: token }) }
  }

  function bring(stored: StoredRun, body: unknown): void {
    const { payments, max_total } = runPaymentsRequest.parse(body)
    if (max_total !== undefined) apply(stored, { event: 'raised', max_total })
    for (const payment of payments) payIn(stored, payment)
  }

  function payIn(stored: StoredRun, { key, job_id, payment }: RunPayment): void {
    const decoded = decodePaymentHeader(payment)
    if (!decoded.ok) throw new Refusal(400, decoded.reason)
    const proven = verifier.provePayer(decoded.payment)
    if (!proven.ok) throw new Refusal(400, proven.reason)
    const { authorization, salt, payer } = proven.value
    const step = findJobStep(stored.graph.flow, key)
    if (step === undefined) throw new Refusal(400, `${key}: is no job`)
    const binding = { endpoint: endpointOf(step.capability), capability: step.capability, jobId: job_id }
    const refused = refuseNonce(crypto, authorization.nonce, salt, binding)
    if (refused !== undefined) throw new Refusal(400, refused)
    stored.payer ??= payer
    apply(stored, {
      event: 'paid-in',
      key,
      payment: {
        job_id,
        amount: formatUsdc(BigInt(authorization.value)),
        pay_to: authorization.to.toLowerCase(),
        valid_before: Number(authorization.validBefore),
      },
    })
  }

  function apply(stored: StoredRun, event: RunEvent): void {
    const applied = applyEvent(stored.graph, stored.run, event, now())
    if (!applied.ok) throw new Refusal(409, applied.reason)
    stored.run = applied.run
    stored.version += 1
    stored.changedAt = now()
    for (const watcher of stored.watchers) tell(stored, watcher)
    for (const effect of applied.effects) carryOut(stored, effect)
  }

  function carryOut(stored: StoredRun, effect: RunEffect): void {
    const soon = (event: () => RunEvent | undefined): void =>
      void setImmediate(() => {
        const made = event()
        if (made !== undefined) apply(stored, made)
      })
    if (effect.effect === 'wake')
      void sleep(clock, Math.max(0, effect.at - now()) * 1_000).then(() => soon(() => ({ event: 'woken' })))
    if (effect.effect === 'quote') {
      const { quote: quoted } = quoteJob(stored.graph.flow, effect.key, platform.prices)
      const priced = quoted === null ? undefined : { price: quoted.amount, pay_to: quoted.pay_to }
      soon(() => ({ event: 'quoted', key: effect.key, quote: priced }))
    }
    if (effect.effect === 'send') void work(stored, effect)
  }

  async function work(stored: StoredRun, effect: Extract<RunEffect, { effect: 'send' }>): Promise<void> {
    const { key, job_id: jobId, attempt, input } = effect
    const step = findJobStep(stored.graph.flow, key)
    const agent = platform.agents.get(step?.capability ?? '') ?? (() => ({ output: textsFor(step) }))
    await new Promise(resolve => setImmediate(resolve))
    const outcome = await agent(input, attempt)
    if (outcome === undefined) return
    if ('output' in outcome) {
      charge(stored, key, jobId)
      return apply(stored, { event: 'completed', key, job_id: jobId, output: outcome.output })
    }
    if (outcome.charged === true) {
      charge(stored, key, jobId)
      apply(stored, { event: 'charged', key, job_id: jobId })
    }
    const { error } = outcome
    apply(stored, { event: 'failed', key, job_id: jobId, attempt, error_type: 'internal', error })
  }

  function charge(stored: StoredRun, key: string, jobId: string): void {
    const payment = stored.run.payments[key]?.find((one: Payment) => one.job_id === jobId)
    if (platform.charges.every(one => one.jobId !== jobId))
      platform.charges.push({ key, jobId, amount: payment?.amount ?? '?' })
  }

  function watch(name: string, request: IncomingMessage, response: ServerResponse): void {
    if (!platform.hasEvents) return void response.writeHead(404).end()
    const stored = open(/runs\/([^/]+)/.exec(name)?.[1] ?? '', request.headers)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(': open\n\n')
    stored.watchers.add(response)
    response.once('close', () => stored.watchers.delete(response))
    if (request.headers['last-event-id'] !== String(stored.version)) tell(stored, response)
  }

  function tell(stored: StoredRun, watcher: ServerResponse): void {
    const runId = [...runs].find(([, one]) => one === stored)?.[0]
    if (runId === undefined) return
    const { flow: _, flow_id: __, input: ___, ...progress } = platform.show(runId)
    watcher.write(`event: run\nid: ${stored.version}\ndata: ${JSON.stringify(progress)}\n\n`)
  }

  const platform: RunPlatform = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    agents: new Map(),
    prices: new Map(),
    charges: [],
    seen: [],
    cut: () => undefined,
    lie: (_, body) => body,
    refuses: undefined,
    hasEvents: true,
    keepsTokens: true,
    session: randomUUID(),
    also: () => undefined,
    show(runId) {
      const stored = runs.get(runId)
      if (stored === undefined) throw new Refusal(404, 'No such run of yours')
      const { graph, run, payer, createdAt, changedAt } = stored
      const known = { run_id: runId, payer, created_at: createdAt, changed_at: changedAt }
      return showRun(graph, run, known)
    },
    async close() {
      const closed = new Promise(resolve => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
  return platform
}

function readDocument(value: unknown): Flow {
  const read = readFlow(value)
  if (!read.ok) throw new Refusal(400, 'flow: is none')
  return read.flow
}

function textsFor(step: ReturnType<typeof findJobStep>): JsonObject {
  return Object.fromEntries(
    Object.keys(step?.pinned.output_schema ?? {}).map(port => [port, `${port} of it`]),
  )
}
