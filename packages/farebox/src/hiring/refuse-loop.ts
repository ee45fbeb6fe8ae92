import { canParseUrl } from '@farebox/protocol/internal/can-parse-url'
import { sameAddress } from '@farebox/payments/crypto/address'
import type { Declaration } from '@farebox/protocol/declaration/declaration'
import type { HiringJob } from '../handler/job-hiring.ts'
import { MOST_IN_PATH, readPath } from './agent-path.ts'
import { hireError } from './hire-errors.ts'

/** The parts of this agent that paths and wallets are compared with. */
interface OwnAgent {
  readonly job: Pick<HiringJob, 'origin'>
  /** Undefined in dev mode. */
  readonly payer: object | undefined
  /** Lower-case: the wallet that this agent is paid to, and below it the wallet that it hires from. */
  readonly wallet: string
  readonly hiringWallet: string
  readonly publicUrl: string | undefined
}

/** Refuses a hire that would lead back to this agent, before the other agent is called. Throws a `HireError`. */
export function refuseLoop({ job, payer, wallet, publicUrl }: OwnAgent, agent: string): void {
  const path = readPath(job.origin)
  const refuse = (reason: string): never => {
    throw hireError('loop', agent, 'no', `cannot hire ${agent}: ${reason}`)
  }
  // In dev mode agents share a wallet that receives no payments, so only the length of the path counts.
  if (payer !== undefined && path.includes(wallet)) refuse('this job came from an agent that this one hired')
  if (path.length >= MOST_IN_PATH) refuse(`${MOST_IN_PATH} agents have hired one another for this job`)
  if (publicUrl !== undefined && placeOf(publicUrl) === placeOf(agent)) refuse('it is this agent')
}

/**
 * Refuses an agent whose `/about` names a wallet of this agent or of one before it in the path. Throws a `HireError`.
 */
export function refuseOwn(parts: OwnAgent, agent: string, declaration: Declaration): void {
  const { job, payer, wallet, hiringWallet } = parts
  if (payer === undefined) return
  const refuse = (reason: string): never => {
    throw hireError('loop', agent, 'no', `cannot hire ${agent}: ${reason}`)
  }
  if (sameAddress(declaration.wallet, wallet) || sameAddress(declaration.wallet, hiringWallet))
    refuse('it is paid to a wallet of this agent')
  if (readPath(job.origin).includes(declaration.wallet.toLowerCase())) refuse('this job came from it')
}

function placeOf(url: string): string {
  return canParseUrl(url) ? new URL(url).origin + new URL(url).pathname.replace(/\/+$/, '') : url
}
