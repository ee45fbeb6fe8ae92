import { loadEvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { createJsonRpc } from '@farebox/payments/chain/json-rpc-pool'
import { findNetwork } from '@farebox/payments/networks'
import type { Need, Subject } from '../trial/subject.ts'
import { openToken } from '../trial/token.ts'
import { createTrial, type Trial } from '../trial/trial.ts'
import { createWitness } from '../trial/witness.ts'
import { readSupported } from './read-supported.ts'

/** How to reach a facilitator. */
export interface SubjectOptions extends Omit<Subject, 'accounts' | 'offers' | 'attempts'> {
  /** The node of a local chain, through which the kit reads the chain and pays. */
  readonly rpcUrl: string
  /** Whether the facilitator is a service with its own HTTP interface. */
  readonly door: boolean
}

/** A trial and the function that ends it. */
export interface OpenTrial {
  readonly trial: Trial
  close(): Promise<void>
}

/**
 * Opens the trial of a facilitator: reads from `/supported` the network on which it settles, its accounts, and whether it
 * has the hold extension.
 *
 * Rejects when the facilitator does not respond within 15 s, or when the networks table does not contain the chain.
 *
 * @example
 * ```ts
 * import { openTrial, playMatrix, ruleCases } from '@farebox/conformance/facilitator'
 *
 * const { trial, close } = await openTrial({
 *   name: 'mine',
 *   url: 'http://127.0.0.1:4010',
 *   rpcUrl: 'http://127.0.0.1:8545',
 *   secret: '',
 *   payTo: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
 *   secondPayTo: '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc',
 *   door: true,
 * })
 * for (const { ruleCase, outcome } of await playMatrix(trial, ruleCases)) {
 *   if (outcome?.wrong !== undefined) console.log(ruleCase.id, outcome.wrong)
 * }
 * await close()
 * ```
 */
export async function openTrial({ rpcUrl, door, ...options }: SubjectOptions): Promise<OpenTrial> {
  const rpc = createJsonRpc(rpcUrl)
  try {
    const crypto = await loadEvmCrypto()
    const network = findNetwork(`eip155:${Number(await rpc.call('eth_chainId', []))}`)
    if (network === undefined) throw new Error('the chain is none we take payments on')
    const { networks, accounts, hasHolds } = await readSupported(options.url, options.signal)
    if (networks === undefined) throw new Error('GET /supported does not answer with kinds')
    const offers = new Set<Need>([
      ...(door ? (['door'] as const) : []),
      ...(hasHolds ? (['holds'] as const) : []),
      ...(options.adminToken !== undefined ? (['secrets'] as const) : []),
      ...(options.beforeSend !== undefined ? (['node'] as const) : []),
    ])
    const attempts = { answered: 0, unanswered: 0, timedOutInARow: 0 }
    const subject: Subject = { ...options, accounts, offers, attempts }
    const witness = await createWitness(rpc, network, accounts)
    const token = openToken(rpc, network, crypto)
    return {
      trial: createTrial({ subject, network, crypto, rpc, token, witness }),
      close: () => rpc.close(),
    }
  } catch (error) {
    await rpc.close()
    throw error
  }
}
