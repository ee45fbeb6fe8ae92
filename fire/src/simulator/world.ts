import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import type { Network } from '@farebox/payments/networks'
import type { NodeRequest } from './chain/virtual-rpc.ts'
import type { Token } from './chain/token.ts'
import type { ChainTransaction, VirtualChain } from './chain/virtual-chain.ts'
import type { DeliveryRecords } from './records/delivery-records.ts'
import type { JobRecords } from './records/job-records.ts'
import type { SendRecords } from './records/send-records.ts'
import type { ReportRecords } from './records/report-records.ts'
import type { SpendRecords } from './records/spend-records.ts'
import type { Random } from './seeded-random.ts'
import type { VirtualProcess } from './time/virtual-process.ts'
import type { Callee, Wires } from './wires/exchange.ts'

/** Everything a history takes place in. */
export interface World {
  readonly wires: Wires
  readonly random: Random
  readonly crypto: EvmCrypto
  readonly network: Network
  readonly chain: VirtualChain
  readonly token: Token
  /** How long a transaction that is sent now will wait for a block; infinite for one that gets lost. */
  readonly delayOfTransaction: () => number
  /** The node each kind of process asks: both show the same chain, and lie about it each for itself. */
  readonly node: { readonly [of in 'agent' | 'facilitator']: Callee<NodeRequest, unknown> }
  /** Those that live, by `hostName`. */
  readonly processes: Map<string, VirtualProcess>
  /** Those that call agents; a program that is started again begins a new one. */
  readonly payers: Set<VirtualProcess>
  readonly jobs: JobRecords
  readonly sends: SendRecords
  readonly said: DeliveryRecords
  readonly words: ReportRecords
  /** What relayers have broadcast, in order. */
  readonly broadcast: ChainTransaction[]
  /** The job that a payment is bound to by its nonce, by the payment's key. */
  readonly boundTo: Map<string, string>
  /** Payments that were used at our facilitator by somebody else than our agents, with their `validBefore`. */
  readonly meddled: Map<string, number>
  /** Mischief that has not been made yet. */
  readonly mischief: { open: number }
  readonly spends: SpendRecords
  /** Payments that a reorganisation took out of their block again. */
  readonly undone: Set<string>
  /** Payments whose row the facilitator's ledger lost, or has as given back, and since when. */
  readonly forgottenMs: Map<string, number>
  /** Payments whose row the facilitator's ledger lost, or has as it was before. */
  readonly setBack: Set<string>
}
