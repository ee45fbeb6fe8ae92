import { execute } from '@farebox/client/execute'
import { quote } from '@farebox/client/quote'
import { settledIn } from '@farebox/local/internal/chain/settled-in'
import { usdcBalance } from '@farebox/local/internal/chain/top-up'
import type { Economy } from '@farebox/local/economy'
import {
  balancesLine,
  moneyLine,
  ranLine,
  settledLine,
  verifiedLine,
} from '@farebox/local/internal/money-lines'
import type { LocalAgentProcess } from '@farebox/local/internal/start-agent-process'
import { loadEvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { privateKeySigner } from '@farebox/payments/x402/sign-payment'
import { sample } from '@farebox/protocol/samples/sample'
import { formatUsdc } from '@farebox/protocol/money/usdc'
import { FIRST_JOBS } from './first-jobs.ts'
import type { JobLog } from './job-log.ts'

/** The most characters of an output that are shown, so that it fits on one line. */
const SHOWN_OUTPUT_CHARACTERS = 44

/** Pays one job through the real path and prints each step: asked, signed, verified, ran, settled, balances. */
export async function payOneJob(
  economy: Economy,
  agent: LocalAgentProcess,
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
  const shownJobId = `${jobId.slice(0, 4)}…${jobId.slice(-4)}`
  const block = await settledIn(chain, payment.transaction)
  return [
    moneyLine('402', 'asked', `${price} USDC`, `${declaration.name} · ${capability}`),
    moneyLine(
      '',
      'signed',
      `nonce bound to job ${shownJobId}, valid ${asked.requirement.maxTimeoutSeconds} s`,
    ),
    verifiedLine('held by the facilitator', between(times['execute'], times['payment verified'])),
    ranLine(shownOutput(output), times['handler ms']),
    settledLine(payment.transaction, block, between(times['output valid'], times['completed'])),
    balancesLine(
      { whose: 'you', balanceAtomic: after.payer, changeAtomic: after.payer - before.payer },
      { whose: 'agent', balanceAtomic: after.agent, changeAtomic: after.agent - before.agent },
    ),
  ]
}

function firstJob({ declaration }: LocalAgentProcess): {
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

function shownOutput(output: object): string {
  const text = JSON.stringify(output)
  return text.length > SHOWN_OUTPUT_CHARACTERS ? `${text.slice(0, SHOWN_OUTPUT_CHARACTERS - 1)}…` : text
}

function between(fromMs: number | undefined, toMs: number | undefined): number | undefined {
  return fromMs === undefined || toMs === undefined ? undefined : toMs - fromMs
}
