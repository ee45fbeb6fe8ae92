import { printable } from '@farebox/conformance/internal/printable'
import type { Registration } from '@farebox/platform-api/registry'
import { systemClock, type Clock } from '@farebox/protocol/time/clock'
import { CommandError, type ExitCode, usageError } from '../command-error.ts'
import { readSeconds } from '../terminal/read-option.ts'
import type { World } from '../world.ts'
import { checkRegistration, findKey, localEconomyOf } from './transaction/open-registry.ts'
import { precheckAgent } from './examination/precheck-agent.ts'
import { findPlatform } from './platform/find-platform.ts'
import { openPlatform } from './platform/open-platform.ts'
import { readEndpoint, refuseUncallable } from './examination/read-endpoint.ts'
import type { RawRegisterOptions } from './platform/register-options.ts'
import {
  type ListedAgent,
  type Registering,
  stakeInBrowser,
  waitForListing,
} from './stake/wait-for-listing.ts'
import { openRegistrationJournal } from './platform/registration-journal.ts'
import {
  showListed,
  showPhaseOne,
  showPrechecked,
  showSpending,
  showStakeTerms,
} from './stake/show-registration.ts'
import { followEarlierStake, stakeByKey } from './stake/stake-by-key.ts'
import { runWithJson } from '../terminal/run-with-json.ts'
import { readWalletFile } from '../keys/wallet-files.ts'
import { unlessPlatformRefused } from './platform/ask-platform.ts'

/**
 * `farebox register`: checks the agent, has its stake paid, and waits until it is listed. With `--json` the output is
 * always exactly one document.
 */
export async function runRegister(
  world: World,
  raw: RawRegisterOptions & { readonly url?: string },
  clock: Clock = systemClock,
): Promise<ExitCode> {
  return await runWithJson(world, raw, async () => {
    // The wallet is checked first: it is needed only after all checks of the agent, and a typo in its name would be found
    // only then.
    if (typeof raw.wallet === 'string') await readWalletFile(world, raw.wallet)
    refuseWord(raw)
    const endpoint = readEndpoint(raw.endpoint)
    const timeoutMs = raw.timeout === undefined ? undefined : readSeconds('--timeout', raw.timeout, TIMEOUT)
    const chosen = await findPlatform(world, raw.platform)
    const platform = openPlatform(chosen.url, world.signal, world.home)
    const described = await platform.describe()
    const journal = openRegistrationJournal(world.home)
    const registering = { world, clock, chosen, platform, described, journal, raw, timeoutMs }
    const registration = await begin(registering, endpoint)
    const listed = await stakeAndWait(registering, registration)
    await note(registering, registration, listed.agentId)
    showListed(registering, listed)
    await showSpending(world, endpoint, listed.agentId)
    return documentOf(chosen.url, registration, listed)
  })
}

const TIMEOUT = { most: 86_400, example: 120 }

/** Refuses an argument that is neither an option nor a subcommand, which Commander passes on. */
function refuseWord({ url, endpoint }: { readonly url?: string; readonly endpoint?: string }): void {
  if (url === undefined) return
  const shown = printable(url.slice(0, 100))
  const isUrl = endpoint === undefined && /[.:/]/.test(url)
  throw usageError(
    isUrl ? 'the URL goes after --endpoint' : `"${shown}" has no place here`,
    isUrl ? `farebox register --endpoint ${shown}` : 'farebox register --help lists the options',
  )
}

/** Continues a registration with an existing stake; every other registration starts with a check of the agent. */
async function begin(registering: Registering, endpoint: string): Promise<Registration> {
  const { world, platform, described } = registering
  const known = await findBegun(registering, endpoint)
  if (known !== undefined) return known
  refuseUncallable(endpoint, { localMode: described.local_mode })
  const agent = await precheckAgent(world, endpoint)
  showPrechecked(world, agent)
  await agreeToFlaws(registering, agent)
  const registration = checkRegistration(await platform.register(endpoint), { endpoint, described })
  await refuseForeign(registering, registration)
  await note(registering, registration)
  if (registration.found.phase === 'phase-1') showPhaseOne(registering)
  return registration
}

/** Refuses an agent that is listed for another wallet than the named one: this machine must not record it. */
async function refuseForeign(
  { world, raw, chosen, described }: Registering,
  { found, status }: Registration,
): Promise<void> {
  if (raw.wallet === undefined || status.state !== 'listed' || found.phase !== 'agent') return
  const { address } = await findKey(world, raw, localEconomyOf(chosen, described))
  if (address.toLowerCase() === found.wallet.toLowerCase()) return
  throw new CommandError(
    `agent ${status.agent_id} is listed there already, held by ${found.wallet}, which is not your wallet`,
    'nothing was staked; where that wallet is yours, name it: --wallet <name>',
  )
}

/** Returns `undefined` when this machine knows of no stake, or the platform no longer has the registration. */
async function findBegun(
  { platform, chosen, described, journal }: Registering,
  endpoint: string,
): Promise<Registration | undefined> {
  const record = await journal.registration({ platform: chosen.url, endpoint }).read()
  if (record === undefined) return undefined
  const known = await unlessPlatformRefused(platform.readRegistration(record.registrationId), [404])
  const isStaked =
    (known !== undefined && known.status.state !== 'waiting_for_stake') ||
    (await journal.stake({ platform: chosen.url, endpoint }).read()) !== undefined
  return known === undefined || !isStaked ? undefined : checkRegistration(known, { endpoint, described })
}

async function note(
  { chosen, journal, clock }: Registering,
  { endpoint, registration_id: registrationId }: Registration,
  agentId?: number,
): Promise<void> {
  const key = { platform: chosen.url, endpoint }
  const file = journal.registration(key)
  const startedAt = (await file.read())?.startedAt ?? Math.floor(clock.nowMs() / 1_000)
  await file.write({
    version: 1,
    ...key,
    registrationId,
    startedAt,
    ...(agentId !== undefined && { agentId }),
  })
}

async function agreeToFlaws(
  { world }: Registering,
  { findings, declaration, endpoint }: Awaited<ReturnType<typeof precheckAgent>>,
): Promise<void> {
  const isFlawed =
    findings.results.some(({ outcome }) => outcome === 'failed') || findings.stopped !== undefined
  if ((!isFlawed && declaration !== undefined) || !world.canAsk) return
  const question = isFlawed ? 'Register it as it is?' : 'Register it as Phase 1?'
  if (await world.ask.confirm(question)) return
  throw new CommandError(
    'not registered',
    `nothing was staked; farebox check ${endpoint} shows how to fix it`,
  )
}

async function stakeAndWait(registering: Registering, registration: Registration): Promise<ListedAgent> {
  if (registration.status.state !== 'waiting_for_stake')
    return await waitForListing(registering, await lookAgain(registering, registration))
  const transaction = await followEarlierStake(registering, registration)
  if (transaction !== undefined) return await waitForListing(registering, registration, { transaction })
  if (registering.raw.wallet !== undefined) return await stakeByKey(registering, registration)
  await showStakeTerms(registering, registration, undefined)
  return await stakeInBrowser(registering, registration)
}

/**
 * Makes the platform probe a registration whose stake it refused and that it no longer checks by itself: an owner who runs
 * the same command again has probably fixed the problem. Any other registration is returned unchanged.
 */
async function lookAgain({ platform }: Registering, registration: Registration): Promise<Registration> {
  const { status } = registration
  if (status.state !== 'refused' || status.retried) return registration
  // The agent was taken down, or changed on the chain in the meantime: the registration says which.
  await unlessPlatformRefused(platform.refresh(status.agent_id), [404, 409])
  const { status: now, staked_by_others } = await platform.readRegistration(registration.registration_id)
  return { ...registration, status: now, staked_by_others }
}

function documentOf(platform: string, registration: Registration, listed: ListedAgent): object {
  return {
    ok: true,
    agent_id: listed.agentId,
    profile_url: listed.profileUrl,
    provisional: listed.isProvisional,
    endpoint: registration.endpoint,
    platform,
    transaction: listed.transaction ?? null,
  }
}
