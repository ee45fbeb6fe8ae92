import type { Flow } from '@farebox/flows/document/flow'
import { readFlow } from '@farebox/flows/document/read-flow'
import { runQuote, type RunQuote } from '@farebox/platform-api/flows/run-quote'
import { runRequest, type RunPayment, type RunRequest } from '@farebox/platform-api/flows/runs'
import type { JsonObject } from '@farebox/protocol/fields/field'
import { formatProblem } from '@farebox/protocol/problems/problem'
import { askPlatform } from './exchange/ask-platform.ts'
import { connectionOf, type Connection } from './exchange/client-options.ts'
import { followRun } from './run/follow-run.ts'
import { limitTotal } from './run/limit-total.ts'
import { openRun, readTotalLimit } from './run/open-run.ts'
import { priceJobs, refuseDearer, refuseMissing } from './run/price-jobs.ts'
import type { FlowResult, RunFlowOptions } from './run/run-options.ts'
import { readPlatformUrl, type RunRecord } from './run/run-record.ts'
import { signJobs } from './run/sign-jobs.ts'
import { startRun } from './run/start-run.ts'

/**
 * Runs a flow on a platform and pays for its jobs, each at most once.
 *
 * Requests all prices, refuses prices above those pinned in the flow or above `maxTotal`, signs each payment for its job
 * only (D13), journals the run, and starts it under its own id, repeating the same request until there is a response. Then
 * it follows the run to its end and signs further payments that the run asks for, all within `maxTotal`; a charged job is
 * not paid again. The platform executes the run: it continues if this process dies.
 *
 * @param platformUrl base URL
 * @param input values of the flow's inputs
 * @throws {TypeError | RangeError} for an invalid argument; nothing was sent
 * @throws {RunRefused} when it costs too much, or an agent has no price; nothing was signed
 * @throws {PlatformRefused} when the platform refuses the run; nothing was charged
 * @throws {PlatformUnreachable} when the platform did not respond before anything was signed
 * @throws {StepFailed | PersonNeeded | PaymentNeeded | RunStopped} when the run waits for an action of the caller
 * @throws {RunUnresolved} when it was started, or may have been, and its state is unknown: `resumeRun` it
 * @example
 * ```ts
 * import { readFile, writeFile } from 'node:fs/promises'
 * import { runFlow } from '@farebox/client/run-flow'
 * import { loadEvmCrypto } from '@farebox/payments/crypto/evm-crypto'
 * import { privateKeySigner } from '@farebox/payments/x402/sign-payment'
 *
 * const flow = JSON.parse(await readFile('flow.json', 'utf8'))
 * const { output, paid } = await runFlow('https://platform.example', flow, { article: 'Long.' }, {
 *   signer: privateKeySigner(await loadEvmCrypto(), process.env['PAYER_KEY'] ?? ''),
 *   maxTotal: '0.05',
 *   journal: record => writeFile(`${record.runId}.json`, JSON.stringify(record), { flush: true }),
 * })
 * console.log(output, paid)
 * ```
 */
export async function runFlow(
  platformUrl: string,
  flow: Flow,
  input: JsonObject,
  options: RunFlowOptions,
): Promise<FlowResult> {
  const connection = connectionOf(options)
  const platform = readPlatformUrl(platformUrl, connection)
  const { sign = 'upfront', signer, agree, maxTotal } = options
  const maxAtomic = readTotalLimit(maxTotal)
  checkNames(options)
  const document = checkDocument(flow)

  const quote = await askPrices(connection, platform, document)
  const jobs = priceJobs(document, quote, options.networks)
  refuseMissing(document, jobs)
  refuseDearer(jobs)
  limitTotal(document, jobs, { maxAtomic, sign })
  await agree?.(quote)
  const known = sign === 'upfront' ? jobs.filter(job => job.sign === 'now') : []
  const payments = await signJobs(connection, signer, known)

  const record = recordOf(platform, { flow: document, input, payments }, options)
  await options.journal?.(record)
  connection.signal?.throwIfAborted()
  const { handle, progress } = await startRun(connection, record, record.request)
  const kept = { request: record.request, payments: [] }
  const run = openRun(connection, { handle, flow: document, maxTotal, payments, record: kept }, options)
  if (handle.token !== record.token) await run.keep([])
  return await followRun(run, progress)
}

async function askPrices(connection: Connection, platform: string, flow: Flow): Promise<RunQuote> {
  return await askPlatform(connection, {
    method: 'POST',
    url: `${platform}/v1/runs/quote`,
    body: JSON.stringify({ flow }),
    schema: runQuote,
  })
}

function checkNames({ runId, token }: RunFlowOptions): void {
  const { run_id: runIds, run_token: tokens } = runRequest.shape
  if (!runIds.safeParse(runId).success) throw new TypeError('runId: must be a UUID')
  if (!tokens.safeParse(token).success) throw new TypeError('token: must be 32 random bytes in base64url')
}

function checkDocument(flow: Flow): Flow {
  const read = readFlow(flow)
  if (read.ok) return read.flow
  const [first] = read.problems
  throw new TypeError(`flow: ${first === undefined ? 'is none' : formatProblem(first)}`)
}

function recordOf(
  platformUrl: string,
  {
    flow,
    input,
    payments,
  }: Pick<RunRequest, 'input'> & {
    readonly flow: Flow
    readonly payments: readonly RunPayment[]
  },
  { runId = globalThis.crypto.randomUUID(), token = newToken(), flowId, maxTotal }: RunFlowOptions,
): RunRecord & { readonly request: string } {
  const request = {
    run_id: runId,
    run_token: token,
    flow,
    ...(flowId !== undefined && { flow_id: flowId }),
    input,
    max_total: maxTotal,
    payments,
  } satisfies Omit<RunRequest, 'flow' | 'payments'> & {
    readonly flow: Flow
    readonly payments: readonly RunPayment[]
  }
  return { platformUrl, runId, token, request: JSON.stringify(request), payments: [] }
}

/** 32 random bytes in base64url. */
function newToken(): string {
  const bytes = globalThis.crypto.getRandomValues(new Uint8Array(32))
  const base64 = btoa(String.fromCharCode(...bytes))
  return base64.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}
