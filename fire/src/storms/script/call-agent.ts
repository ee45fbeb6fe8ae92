import { x402Client } from '@x402/core/client'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { wrapFetchWithPayment } from '@x402/fetch'
import { execute } from '@farebox/client/execute'
import type { JournalEntry } from '@farebox/client/attempt/journal-entry'
import type { JobResult } from '@farebox/client/attempt/job-result'
import { resume } from '@farebox/client/resume'
import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { privateKeySigner } from '@farebox/payments/x402/sign-payment'
import { privateKeyToAccount } from 'viem/accounts'
import { jobBody } from '../../../../e2e/stage/pay.ts'
import { CAPABILITY } from '../load/sign-order.ts'
import { HANG_MS } from '../stage/managed-process.ts'

const TRIES = 8
const RETRY_MS = 400
/** The slowest faults take half of it. */
const DEADLINE_SECONDS = 60

/** `failed`: by a typed error of the agent. */
type CallEnd = 'delivered' | 'failed' | 'unresolved'

/** What a client has in the end. */
export interface Called {
  readonly ended: CallEnd
  readonly resumed: number
  /** The job_id in the output, and the transaction its receipt names. */
  readonly text?: unknown
  readonly transaction?: string | undefined
  readonly said?: string
}

/** Our client: `execute`, and `resume` for as long as the job is unresolved or was refused for a passing reason. */
export async function callOurs(crypto: EvmCrypto, url: string, jobId: string, key: string): Promise<Called> {
  let entry: JournalEntry | undefined
  const options = (): { crypto: EvmCrypto; signal: AbortSignal } => ({
    crypto,
    signal: AbortSignal.timeout(HANG_MS),
  })
  const begin = (): Promise<JobResult> =>
    execute(
      url,
      CAPABILITY,
      { text: jobId },
      {
        ...options(),
        signer: privateKeySigner(crypto, key),
        jobId,
        deadlineSeconds: DEADLINE_SECONDS,
        journal: written => {
          entry = written
        },
      },
    )
  let said = ''
  let ended: CallEnd = 'failed'
  for (let resumed = 0; resumed < 3; resumed += 1) {
    try {
      const { output, payment } = await (entry === undefined ? begin() : resume(entry, options()))
      return { ended: 'delivered', resumed, text: output['text'], transaction: payment?.transaction }
    } catch (error) {
      ended = error instanceof Error && error.name === 'PaymentUnresolved' ? 'unresolved' : 'failed'
      said = error instanceof Error ? error.message : String(error)
      await wait(RETRY_MS)
    }
  }
  return { ended, resumed: 3, said }
}

/** The x402 project's client, called again with the same body: it signs a new payment every time. */
export async function callStock(_: EvmCrypto, url: string, jobId: string, key: string): Promise<Called> {
  const client = new x402Client().register(
    'eip155:*',
    new ExactEvmScheme(privateKeyToAccount(key as `0x${string}`)),
  )
  const pay = wrapFetchWithPayment(fetch, client)
  const body = jobBody(jobId, { text: jobId }, { capability: CAPABILITY, deadlineSeconds: DEADLINE_SECONDS })
  let said = ''
  for (let resumed = 0; resumed < TRIES; resumed += 1) {
    try {
      const answer = await pay(`${url}/execute`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      })
      const text = await answer.text()
      said = `HTTP ${answer.status} ${text.slice(0, 200)}`
      if (answer.status === 200) {
        const { output } = JSON.parse(text) as { output: { text: unknown } }
        return { ended: 'delivered', resumed, text: output.text }
      }
    } catch (error) {
      said = error instanceof Error ? error.message : String(error)
    }
    await wait(RETRY_MS)
  }
  return { ended: 'failed', resumed: TRIES, said }
}

function wait(ms: number): Promise<void> {
  return new Promise(resolve => {
    setTimeout(resolve, ms)
  })
}
