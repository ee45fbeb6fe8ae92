import { setTimeout as delay } from 'node:timers/promises'
import { x402Client } from '@x402/core/client'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment } from '@x402/fetch'
import type { JournalEntry } from '@farebox/client/attempt/journal-entry'
import type { Fetch } from '@farebox/client/exchange/client-options'
import { execute } from '@farebox/client/execute'
import { resume } from '@farebox/client/resume'
import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { privateKeySigner } from '@farebox/payments/x402/sign-payment'
import { privateKeyToAccount } from 'viem/accounts'
import { jobBody } from '../../../../e2e/stage/pay.ts'
import { CAPABILITY } from '../order.ts'
import { HANG_MS } from '../stage/managed-process.ts'

/** The final result of a client. */
export interface Called {
  /** `failed`: by an error that says so. */
  readonly ended: 'delivered' | 'failed' | 'unresolved'
  /** The last error. */
  readonly said?: string
  /** The job_id in the output. */
  readonly text?: unknown
}

/** A paid job, and its payer. */
export interface Call {
  readonly crypto: EvmCrypto
  /** The agent's URL. */
  readonly url: string
  readonly jobId: string
  readonly privateKey: string
  /** In place of the global one; our client's alone. */
  readonly fetch?: Fetch
}

/** Tries once, and again when it is called again; resolves to the text in the output. */
type Attempt = () => Promise<unknown>

const RETRY_MS = 400
/** The slowest faults take half of it. */
const DEADLINE_SECONDS = 60

/** Calls an agent, and repeats while the job is unresolved or was refused temporarily. */
export async function callAgent(caller: 'ours' | 'stock', call: Call): Promise<Called> {
  // Our client needs fewer attempts: it repeats by itself.
  const [attempt, tries] = caller === 'ours' ? [createOurs(call), 3] : [createStock(call), 8]
  let last: Called = { ended: 'failed' }
  for (let tried = 0; tried < tries; tried += 1) {
    try {
      return { ended: 'delivered', text: await attempt() }
    } catch (error) {
      const isOpen = error instanceof Error && error.name === 'PaymentUnresolved'
      last = { ended: isOpen ? 'unresolved' : 'failed', said: String(error) }
      await delay(RETRY_MS)
    }
  }
  return last
}

/** Our client: `execute`, then `resume`. */
function createOurs({ crypto, url, jobId, privateKey, fetch }: Call): Attempt {
  const signer = privateKeySigner(crypto, privateKey)
  let entry: JournalEntry | undefined
  const journal = (written: JournalEntry): void => {
    entry = written
  }
  return async () => {
    const options = { crypto, signal: AbortSignal.timeout(HANG_MS), ...(fetch && { fetch }) }
    const first = { ...options, signer, jobId, deadlineSeconds: DEADLINE_SECONDS, journal }
    const { output } = await (entry === undefined
      ? execute(url, CAPABILITY, { text: jobId }, first)
      : resume(entry, options))
    return output['text']
  }
}

/** The x402 project's client, with the same body each time: it signs a new payment. */
function createStock({ url, jobId, privateKey }: Call): Attempt {
  const scheme = new ExactEvmScheme(privateKeyToAccount(privateKey as `0x${string}`))
  const pay = wrapFetchWithPayment(fetch, new x402Client().register('eip155:*', scheme))
  const body = jobBody(jobId, { text: jobId }, { capability: CAPABILITY, deadlineSeconds: DEADLINE_SECONDS })
  const headers = { 'content-type': 'application/json' }
  return async () => {
    const answer = await pay(`${url}/execute`, { method: 'POST', headers, body })
    const text = await answer.text()
    if (answer.status !== 200) throw new Error(`HTTP ${answer.status} ${text.slice(0, 200)}`)
    return (JSON.parse(text) as { output: { text: unknown } }).output.text
  }
}
