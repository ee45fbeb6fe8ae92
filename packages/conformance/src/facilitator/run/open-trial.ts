import { loadEvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { createJsonRpc } from '@farebox/payments/chain/json-rpc-pool'
import { findNetwork } from '@farebox/payments/networks'
import { isObject } from '../../is-object.ts'
import type { Need, Subject } from '../trial/subject.ts'
import { openToken } from '../trial/token.ts'
import { createTrial, type Trial } from '../trial/trial.ts'
import { createWitness } from '../trial/witness.ts'

/** How a facilitator is reached. */
export interface SubjectOptions extends Omit<Subject, 'accounts' | 'offers'> {
  /** A local chain's node, for us to look and to pay with. */
  readonly rpcUrl: string
  /** The facilitator is a service with an HTTP door of its own. */
  readonly door: boolean
}

/** A trial, and how it ends. */
export interface OpenTrial {
  readonly trial: Trial
  close(): Promise<void>
}

/**
 * Opens the trial of a facilitator: reads from `/supported` which network it settles on, from which accounts, and
 * whether it has the hold extension.
 *
 * Rejects when it does not answer that, or when the chain is none of the table.
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
  const crypto = await loadEvmCrypto()
  const network = findNetwork(`eip155:${Number(await rpc.call('eth_chainId', []))}`)
  if (network === undefined) throw new Error('the chain is none we take payments on')
  const supported = await readSupported(options.url)
  const offers = new Set<Need>([
    ...(door ? (['door'] as const) : []),
    ...(supported.extensions.includes('farebox-hold') ? (['holds'] as const) : []),
    ...(options.adminToken !== undefined ? (['secrets'] as const) : []),
    ...(options.beforeSend !== undefined ? (['node'] as const) : []),
  ])
  const subject: Subject = { ...options, accounts: supported.accounts, offers }
  const witness = await createWitness(rpc, network, supported.accounts)
  const token = openToken(rpc, network, crypto)
  return {
    trial: createTrial({ subject, network, crypto, rpc, token, witness }),
    close: () => rpc.close(),
  }
}

async function readSupported(
  url: string,
): Promise<{ readonly extensions: readonly string[]; readonly accounts: readonly string[] }> {
  const answer = await fetch(`${url}/supported`)
  const supported: unknown = await answer.json()
  const { extensions, signers } = isObject(supported) ? supported : {}
  const lists: readonly unknown[] = isObject(signers) ? Object.values(signers) : []
  return { extensions: textsOf(extensions), accounts: lists.flatMap(textsOf) }
}

/** A stranger may leave the list out, or put anything into it. */
function textsOf(list: unknown): readonly string[] {
  return Array.isArray(list) ? list.filter((one: unknown) => typeof one === 'string') : []
}
