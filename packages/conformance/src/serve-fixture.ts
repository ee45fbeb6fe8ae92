import { toHex } from '@farebox/payments/internal/crypto/bytes'
import { loadEvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { privateKeySigner, type PaymentSigner } from '@farebox/payments/x402/sign-payment'
import { createAgent, createLog, openJobStore, systemClock, type Agent, type Clock } from 'farebox'
import { createFakeGate, type FakeGate } from 'farebox/testing'
import type { AgentMode } from './agent/check/agent-mode.ts'
import type { KnownAgent } from './agent/check/context.ts'
import { createFixtureHandlers } from './agent/fixture/fixture-handlers.ts'
import { fixtureDeclaration } from './agent/fixture/fixture-declaration.ts'

/** An unused address. */
const WALLET = '0x00000000000000000000000000000000000fa4e0'
const NETWORK = 'eip155:84532'

/** The fixture as an agent, with all optional facts for a run. */
export interface FixtureAgent {
  readonly agent: Agent
  readonly clock: Clock
  readonly gate: FakeGate
  /** The only payer whose payments the gate accepts. */
  readonly signer: PaymentSigner
  /** For `known` of a run. */
  readonly known: KnownAgent
}

/**
 * Makes the fixture agent in one of the three modes, with a fake gate, a store in memory and a clock that can
 * be put forward. It listens where asked to, like any agent.
 *
 * @example
 * ```ts
 * import { runConformance } from '@farebox/conformance/agent'
 * import { serveFixture } from '@farebox/conformance/serve-fixture'
 *
 * const { agent, known, clock } = await serveFixture('dev')
 * const port = await agent.listen({ port: 0 })
 * for await (const { check, outcome } of runConformance({ baseUrl: `http://127.0.0.1:${port}`, known, clock })) {
 *   console.log(outcome, check.title)
 * }
 * await agent.close()
 * ```
 */
export async function serveFixture(mode: AgentMode): Promise<FixtureAgent> {
  const { clock, advance } = createShiftedClock()
  const lines: string[] = []
  const log = createLog({
    format: 'text',
    write: text => lines.push(...text.trimEnd().split('\n')),
    nowMs: clock.nowMs,
  })
  const signer = privateKeySigner(
    await loadEvmCrypto(),
    toHex(Uint8Array.from({ length: 32 }, (_, index) => index + 1)),
  )
  const gate = createFakeGate({ funded: [signer.address] })
  const jobStore = await openJobStore('memory:', clock)
  const agent = await createAgent({
    declaration: fixtureDeclaration,
    handlers: createFixtureHandlers(clock),
    variables: {
      SERVICE_DEV_MODE: String(mode === 'dev'),
      AGENT_WALLET_ADDRESS: WALLET,
      SERVICE_NETWORK: NETWORK,
    },
    ports: { clock, log, jobStore, settleWaitMs: 700, ...(mode === 'paid' && { paymentGate: gate }) },
  })
  const logs = (): readonly string[] => {
    log.flush()
    return lines
  }
  return {
    agent,
    clock,
    gate,
    signer,
    known: { fixture: true, logs, advance, ...(mode === 'paid' && { gate }) },
  }
}

/** The machine's clock with an adjustable offset: for windows of minutes, with timers in real time. */
function createShiftedClock(): { readonly clock: Clock; readonly advance: (ms: number) => void } {
  let shiftMs = 0
  return {
    clock: { nowMs: () => systemClock.nowMs() + shiftMs, after: systemClock.after },
    advance: ms => {
      shiftMs += ms
    },
  }
}
