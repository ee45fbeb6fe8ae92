import { printable } from '@farebox/conformance/internal/printable'
import type { Platform, Registration, RegistrationStatus } from '@farebox/platform-api/registry'
import { sleep, type Clock } from '@farebox/protocol/time/clock'
import { CommandError, EXIT } from '../../command-error.ts'
import { asTyped, paintFor } from '../../terminal/text.ts'
import { showProgress } from '../../terminal/progress.ts'
import { PlatformRefusal } from '../platform/ask-platform.ts'
import type { World } from '../../world.ts'
import type { ChosenPlatform } from '../platform/find-platform.ts'
import type { OpenPlatform } from '../platform/open-platform.ts'
import type { RawRegisterOptions } from '../platform/register-options.ts'
import type { RegistrationJournal } from '../platform/registration-journal.ts'

export interface ListedAgent {
  readonly agentId: number
  readonly profileUrl: string
  /** Whether the agent is Phase 1 (D36). */
  readonly isProvisional: boolean
  readonly transaction: string | undefined
}

/** How long a person at the page, and the chain and the platform after that, may take. */
const STAKE_WITHIN_MS = 20 * 60_000
/** Without a terminal, no person has seen the page's address yet; a person who reads the log runs the command again. */
const UNSEEN_STAKE_WITHIN_MS = 120_000
const LIST_WITHIN_MS = 10 * 60_000
const POLL_MS = 1_000
/** Fewer failed requests in a row than this are tolerated. */
const MAX_FAILURES = 30

/**
 * Polls the platform until the agent is listed, and shows the progress.
 *
 * @param staked what is known about the stake before the platform reports it
 * @throws {CommandError} when the platform refuses the agent; with exit code 3 when it takes too long
 */
export async function waitForListing(
  registering: Registering,
  registration: Registration,
  staked?: { readonly transaction: string | undefined },
): Promise<ListedAgent> {
  const { clock, world, timeoutMs } = registering
  const stakeWithinMs = timeoutMs ?? (world.canAsk ? STAKE_WITHIN_MS : UNSEEN_STAKE_WITHIN_MS)
  const listWithinMs = timeoutMs ?? LIST_WITHIN_MS
  const shown = createSteps(registering, registration)
  let { status } = registration
  let transaction = staked?.transaction
  let endMs = clock.nowMs() + (staked === undefined ? stakeWithinMs : listWithinMs)
  let isSeen = staked !== undefined
  try {
    for (;;) {
      if (status.state === 'listed') return toListed(status, transaction)
      if (status.state === 'refused' && !status.retried) throw refused(registering, status)
      if (status.state !== 'waiting_for_stake' && !isSeen) {
        isSeen = true
        endMs = clock.nowMs() + listWithinMs
      }
      if (status.state === 'confirming') transaction = status.transaction
      shown.show(status)
      if (clock.nowMs() >= endMs) throw tooLong(registration, isSeen)
      await sleep(clock, POLL_MS, world.signal)
      world.signal.throwIfAborted()
      status = await readStatus(registering, registration, shown)
    }
  } finally {
    shown.end()
  }
}

async function readStatus(
  { platform, clock, world }: Registering,
  { registration_id: id }: Registration,
  shown: Steps,
): Promise<RegistrationStatus> {
  for (let failures = 1; ; failures += 1) {
    try {
      const registration = await platform.readRegistration(id)
      shown.warn(registration)
      return registration.status
    } catch (error) {
      const isPassing = !(error instanceof PlatformRefusal) || error.status >= 500 || error.status === 429
      if (!isPassing || !(error instanceof CommandError) || failures === MAX_FAILURES) throw error
      await sleep(clock, POLL_MS, world.signal)
      world.signal.throwIfAborted()
    }
  }
}

interface Steps {
  show(status: RegistrationStatus): void
  /** Warns about stakes of other wallets, which do not count; once for each stake. */
  warn(registration: Registration): void
  end(): void
}

function createSteps({ world }: Registering, registration: Registration): Steps {
  const { err } = world
  let said = ''
  let progress = { end: (): void => undefined }
  const warned = new Set<number>()
  const steps: Steps = {
    show(status) {
      const text = describe(status)
      if (text === said) return
      progress.end()
      said = text
      progress = showProgress(world, text)
    },
    warn({ staked_by_others: others }) {
      for (const { agent_id: agentId, owner, reason } of others) {
        if (warned.has(agentId)) continue
        warned.add(agentId)
        progress.end()
        said = ''
        err.write(
          `${paintFor(err).yellow('!')} ${owner} staked as agent ${agentId}, which does not count: ${printable(reason)}\n` +
            `  its wallet has the stake back by: ${asTyped(world, `farebox deregister ${agentId}`)}\n`,
        )
      }
    },
    end: () => progress.end(),
  }
  steps.warn(registration)
  return steps
}

function describe(status: RegistrationStatus): string {
  switch (status.state) {
    case 'waiting_for_stake':
      return 'waiting for the stake'
    case 'confirming':
      return status.confirmations_wanted === 0 || status.confirmations >= status.confirmations_wanted
        ? `staked as agent ${status.agent_id}, the platform looks at it`
        : `staked as agent ${status.agent_id}, block ${status.confirmations} of ${status.confirmations_wanted}`
    case 'refused':
      return `not listed yet, looked at again soon: ${printable(status.reason.slice(0, 200))}`
    case 'listed':
      return 'listed'
  }
}

function toListed(
  status: Extract<RegistrationStatus, { readonly state: 'listed' }>,
  transaction: string | undefined,
): ListedAgent {
  const { agent_id: agentId, profile_url: profileUrl, provisional: isProvisional } = status
  return { agentId, profileUrl, isProvisional, transaction }
}

function refused(
  { raw }: Registering,
  { agent_id: agentId, reason }: Extract<RegistrationStatus, { readonly state: 'refused' }>,
): CommandError {
  const again = `fix it and run the same command again: farebox register --endpoint ${printable(raw.endpoint ?? '')}`
  return new CommandError(
    `agent ${agentId} is staked and not listed: ${printable(reason)}`,
    `${again}\nfarebox deregister ${agentId} returns the stake`,
  )
}

function tooLong({ endpoint, register_page_url: page }: Registration, isSeen: boolean): CommandError {
  const again = `farebox register --endpoint ${endpoint} goes on waiting; nothing is staked twice`
  const exit = { exitCode: EXIT.unresolved }
  if (isSeen) return new CommandError('staked, and not listed yet', again, exit)
  const next = `stake at ${printable(page)}\n${again}; --timeout <seconds> says how long`
  return new CommandError('nobody has staked so far', next, exit)
}

/**
 * Directs a person to the page of the registration, and waits until the agent is listed. The address is always printed as
 * well.
 */
export async function stakeInBrowser(
  registering: Registering,
  registration: Registration,
): Promise<ListedAgent> {
  const { world, raw } = registering
  const { bold, dim } = paintFor(world.err)
  const page = registration.register_page_url
  const isOpened = raw.browser !== false && (await world.openPage(page))
  const how = isOpened
    ? 'opened in your browser; any other that has the wallet will do'
    : 'open it in a browser that has the wallet'
  world.err.write(`\n  ${bold(printable(page))}\n  ${dim(how)}\n\n`)
  return await waitForListing(registering, registration)
}

export interface Registering {
  readonly world: World
  readonly clock: Clock
  readonly chosen: ChosenPlatform
  readonly platform: OpenPlatform
  readonly described: Platform
  readonly journal: RegistrationJournal
  readonly raw: RawRegisterOptions
  /** The maximum wait for the stake and for the listing, each; `undefined`: the usual time of each. */
  readonly timeoutMs: number | undefined
}
