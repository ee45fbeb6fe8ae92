import { fromHex } from '@farebox/payments/src/crypto/bytes'
import { serveNodes } from './chain/serve-nodes.ts'
import { createToken, type TokenCall, type TokenState } from './chain/token.ts'
import { createVirtualChain } from './chain/virtual-chain.ts'
import { createFaults } from './faults/faults.ts'
import type { FaultPlan } from './faults/fault-plan.ts'
import { createTrace } from './history-trace.ts'
import { createJobRecords } from './records/job-records.ts'
import { createSpendRecords } from './records/spend-records.ts'
import { createSendRecords } from './records/send-records.ts'
import type { Random } from './seeded-random.ts'
import { openWords } from './records/words.ts'
import type { VirtualProcess } from './time/virtual-process.ts'
import { createVirtualTime } from './time/virtual-time.ts'
import type { Stage } from './history/stage.ts'

/** 2027-01-01, by nobody's clock. */
const START_MS = Date.UTC(2027, 0, 1)

/** Everything a history takes place in. */
export type World = ReturnType<typeof buildWorld>

/** Builds a world with nobody in it yet: with these balances, and what payers permit at the start. */
export function buildWorld(
  stage: Stage,
  random: Random,
  plan: FaultPlan,
  start: Pick<TokenState, 'balances' | 'spends'>,
  isTraced: boolean,
) {
  const { crypto, network, hasher } = stage
  const time = createVirtualTime(START_MS)
  const trace = createTrace(time.nowMs, isTraced)
  const faults = createFaults(random.fork('faults'), plan)
  const wires = { time, trace, faults }
  const token = createToken(network.asset.address, (authorization, signature) => {
    const digest = hasher.hashTransfer(authorization)
    return crypto.recoverAddress(digest, fromHex(signature)) === authorization.from
  })
  const chain = createVirtualChain({
    nowMs: time.nowMs,
    random: random.fork('blocks'),
    trace,
    token,
    state: { ...start, spent: new Map(), isPaused: false },
  })
  const nodes = serveNodes({ wires, random, stage, chain, token })
  /** Has somebody who is no relayer send a transaction, which may be mined from so much later on. */
  const sendOnChain = (sender: string, call: TokenCall, hash: string, delayMs: number): void =>
    void chain.submit({ hash, sender, nonce: undefined, calls: [call], maxFeePerGas: 1n }, delayMs)
  return {
    wires,
    random,
    crypto,
    network,
    chain,
    token,
    sendOnChain,
    ...nodes,
    /** Those that live, by `hostName`. */
    processes: new Map<string, VirtualProcess>(),
    /** Those that call agents; a program that is started again begins a new one. */
    payers: new Set<VirtualProcess>(),
    jobs: createJobRecords(time.nowMs),
    sends: createSendRecords(time.nowMs, network),
    spends: createSpendRecords(crypto, network),
    ...openWords(),
    /** The job that a payment is bound to by its nonce, by the payment's key. */
    boundTo: new Map<string, string>(),
    /** Payments that were used at our facilitator by somebody else than our agents, with their `validBefore`. */
    meddled: new Map<string, number>(),
    /** Mischief that has not been made yet. */
    mischief: { open: 0 },
    /** Payments that a reorganisation took out of their block again. */
    undone: new Set<string>(),
    /** Payments whose row the facilitator's ledger lost, or has as given back, and since when. */
    forgottenMs: new Map<string, number>(),
    /** Payments whose row the facilitator's ledger lost, or has as it was before. */
    failureForgotten: new Set<string>(),
    setBack: new Set<string>(),
  }
}
