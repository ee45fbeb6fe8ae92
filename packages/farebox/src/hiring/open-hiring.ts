import { setMaxListeners } from 'node:events'
import { sameAddress } from '@farebox/payments/crypto/address'
import { loadEvmCrypto, type EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import { fromHex } from '@farebox/payments/internal/crypto/bytes'
import { privateKeySigner } from '@farebox/payments/x402/sign-payment'
import type { Clock } from '@farebox/protocol/time/clock'
import { EnvironmentError, type EnvironmentProblem } from '../environment/environment-error.ts'
import type { Environment } from '../environment/read-environment.ts'
import type { HiringSettings } from '../environment/read-hiring.ts'
import type { Hiring, HiringJob } from '../handler/job-hiring.ts'
import type { JobAccounts } from '../jobs/job-accounts.ts'
import type { Log } from '../log.ts'
import { hireBounds, MOST_HIRES } from './hire-bounds.ts'
import { hireForJob } from './hire-for-job.ts'
import type { HireParts } from './hire-once.ts'
import { loadClient, type HireClient } from './load-client.ts'

/** The parts that hiring needs from the agent. */
export interface HiringTools {
  readonly accounts: JobAccounts
  readonly clock: Clock
  readonly log: Log
}

/**
 * Opens hiring: in dev mode for agents that ask for no payment, otherwise from the wallet of `HIRING_PRIVATE_KEY`. It
 * calls no agent yet.
 *
 * Throws an {@link EnvironmentError} when the key is not suitable for hiring.
 */
export async function openHiring(environment: Environment, tools: HiringTools): Promise<Hiring> {
  const { hiring: settings, devMode } = environment
  const crypto = await loadEvmCrypto()
  const address = settings && readAddress(crypto, settings.privateKey)
  if (settings !== undefined) refuseKey(environment, crypto, address)
  const isPaying = settings !== undefined && address !== undefined && !devMode
  // The client is loaded at the start, so that the first job does not wait for it.
  const client = isPaying ? await loadClient() : undefined
  if (isPaying) tools.log.note('hires are paid for', { from: address })
  const payer = isPaying
    ? { signer: privateKeySigner(crypto, settings.privateKey), privateKey: settings.privateKey, address }
    : undefined
  return {
    forJob: job =>
      hireForJob(job.payer, async () => {
        // Each hire in progress adds listeners to the signal.
        setMaxListeners(2 * MOST_HIRES, job.aborter.signal)
        const made = { crypto, payer, settings, client: client ?? (await loadClient()) }
        return partsOf(environment, tools, made, job)
      }),
  }
}

function partsOf(
  environment: Environment,
  { accounts, clock, log }: HiringTools,
  made: {
    readonly crypto: EvmCrypto
    readonly client: HireClient
    readonly payer: (NonNullable<HireParts['payer']> & { readonly address: string }) | undefined
    readonly settings: HiringSettings | undefined
  },
  job: HiringJob,
): HireParts {
  const { crypto, client, payer, settings } = made
  const { network, wallet, publicUrl } = environment
  const hiringWallet = payer?.address.toLowerCase() ?? wallet.toLowerCase()
  return {
    client,
    accounts,
    crypto,
    clock,
    log,
    networkId: network.id,
    payer,
    wallet: wallet.toLowerCase(),
    hiringWallet,
    publicUrl,
    job,
    bounds: hireBounds({
      settings: payer === undefined || settings === undefined ? NOTHING : settings,
      priceAtomic: job.priceAtomic,
      wallet: `${network.id} ${hiringWallet}`,
      payer: job.payer ?? 'dev',
      log,
    }),
  }
}

/** The limits in dev mode, where nothing can be paid. */
const NOTHING = { jobPercent: 0n, dayAtomic: 0n, lossesAtomic: 0n }

function refuseKey(environment: Environment, crypto: EvmCrypto, address: string | undefined): void {
  const refuse = (problem: string): never => {
    const hint = 'make an account for hiring alone, and give it USDC for a day and nothing else'
    const fault: EnvironmentProblem = { variable: 'HIRING_PRIVATE_KEY', problem, hint }
    throw new EnvironmentError(fault)
  }
  if (address === undefined) return refuse('is no key: it is zero, or not below the order of the curve')
  if (sameAddress(address, environment.wallet))
    return refuse('is the key of AGENT_WALLET_ADDRESS: what is earned must not lie where this process signs')
  const { spenderPrivateKey: spender } = environment
  const spends = spender === undefined ? undefined : readAddress(crypto, spender)
  if (spends !== undefined && sameAddress(address, spends))
    return refuse('is SPENDER_PRIVATE_KEY: what payers permit must not be mixed with what this agent pays')
}

/** The address of a key; undefined when the digits are not a valid key of the curve. */
function readAddress(crypto: EvmCrypto, privateKey: string): string | undefined {
  try {
    return crypto.addressOf(fromHex(privateKey))
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}
