import { execute } from '@farebox/client/execute'
import { quote } from '@farebox/client/quote'
import { usdcBalance } from '@farebox/local/chain/top-up'
import type { Economy } from '@farebox/local/economy'
import type { AgentProcess } from '@farebox/local/start-agent-process'
import { createJsonRpc } from '@farebox/payments/json-rpc-pool'
import { readReceipt } from '@farebox/payments/chain-proof'
import { loadEvmCrypto } from '@farebox/payments/evm-crypto'
import { privateKeySigner } from '@farebox/payments/sign-payment'
import { sample } from '@farebox/protocol/fields/sample'
import { formatUsdc } from '@farebox/protocol/money/usdc'
import { FIRST_JOBS } from './first-jobs.ts'
import type { JobLog } from './job-log.ts'

/** Longest output shown on the one line it has. */
const SHOWN_OUTPUT_CHARACTERS = 44

/** Pays one job through the real path and tells it line by line: asked, signed, verified, ran, settled, balances. */
export async function payOneJob(
  economy: Economy,
  agent: AgentProcess,
  jobLog: JobLog,
): Promise<readonly string[]> {
  const { chain, payer } = economy
  const { declaration, url } = agent
  const { capability, input } = firstJob(agent)
  const crypto = await loadEvmCrypto()
  const balances = async (): Promise<{ readonly payer: bigint; readonly agent: bigint }> => ({
    payer: await usdcBalance(chain, payer.address),
    agent: await usdcBalance(chain, declaration.wallet),
  })

  const before = await balances()
  const asked = await quote({ url, declaration }, capability)
  const signer = privateKeySigner(crypto, payer.privateKey)
  const { output, jobId, payment } = await execute({ url, declaration }, capability, input, {
    signer,
    crypto,
  })
  if (asked === undefined || payment?.transaction === undefined)
    throw new Error(`${declaration.name} was not paid: is it in dev mode?`)
  const after = await balances()

  const times = await jobLog.completed(jobId)
  const price = formatUsdc(asked.amountAtomic, { decimals: 6 })
  return [
    row('402', 'asked', `${price} USDC`.padEnd(46), `${declaration.name} · ${capability}`),
    row(
      '',
      'signed',
      `nonce bound to job ${jobId.slice(0, 4)}…${jobId.slice(-4)}, valid ${asked.requirement.maxTimeoutSeconds} s`,
    ),
    row(
      '',
      'verified',
      'held by the facilitator'.padEnd(46),
      between(times['execute'], times['payment verified']),
    ),
    row('', 'ran', shownOutput(output).padEnd(46), milliseconds(times['handler ms'])),
    row(
      '200',
      'settled',
      `${shortHash(payment.transaction)} in block ${await blockOf(chain.rpcUrl, payment.transaction)}`.padEnd(
        46,
      ),
      between(times['output valid'], times['completed']),
    ),
    row(
      '',
      '',
      `you ${balanceOf(after.payer, after.payer - before.payer)}    agent ${balanceOf(after.agent, after.agent - before.agent)}`,
    ),
  ]
}

function firstJob({ declaration }: AgentProcess): {
  readonly capability: string
  readonly input: Parameters<typeof execute>[2]
} {
  const known = FIRST_JOBS[declaration.name]
  if (known !== undefined) return known
  const [first] = Object.entries(declaration.capabilities)
  const made = first && sample(first[1].input_schema)
  if (first === undefined || made?.ok !== true)
    throw new Error(`no first job is known for ${declaration.name}`)
  return { capability: first[0], input: made.value }
}

function row(status: string, step: string, ...columns: readonly string[]): string {
  return `    ${status.padEnd(5)}${step.padEnd(11)}${columns.join(' ')}`.trimEnd()
}

function shownOutput(output: object): string {
  const text = JSON.stringify(output)
  return text.length > SHOWN_OUTPUT_CHARACTERS ? `${text.slice(0, SHOWN_OUTPUT_CHARACTERS - 1)}…` : text
}

function balanceOf(atomic: bigint, change: bigint): string {
  const sign = change < 0n ? '−' : '+'
  const size = formatUsdc(change < 0n ? -change : change, { decimals: 6 })
  return `${formatUsdc(atomic, { decimals: 6 })} USDC (${sign}${size})`
}

function between(fromMs: number | undefined, toMs: number | undefined): string {
  return fromMs === undefined || toMs === undefined ? '' : milliseconds(toMs - fromMs)
}

function milliseconds(ms: number | undefined): string {
  return ms === undefined ? '' : `${ms} ms`.padStart(7)
}

function shortHash(hash: string): string {
  return `${hash.slice(0, 6)}…${hash.slice(-4)}`
}

async function blockOf(rpcUrl: string, transaction: string): Promise<string> {
  const rpc = createJsonRpc(rpcUrl)
  try {
    return String((await readReceipt(rpc, transaction))?.blockNumber ?? '?')
  } finally {
    await rpc.close()
  }
}
