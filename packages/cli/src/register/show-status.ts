import type { Refreshed, Registration, RegistrationStatus } from '@farebox/platform-api/registry'
import type { ExitCode } from '../refusal.ts'
import { Refusal } from '../refusal.ts'
import { paintFor } from '../terminal/paint.ts'
import { printable } from '../terminal/printable.ts'
import type { World } from '../world.ts'
import { findPlatform } from './find-platform.ts'
import { openPlatform } from './open-platform.ts'
import { readAgentId } from './read-agent-id.ts'
import type { RawAgentOptions } from './register-options.ts'
import { openRegistrationJournal, type RegistrationRecord } from './registration-journal.ts'
import { tellInJson } from './tell-in-json.ts'

/** A registration of this machine, and what its platform says of it now. */
interface StatusLine {
  readonly agent_id: number | null
  readonly endpoint: string
  readonly platform: string
  readonly status: RegistrationStatus | null
  /** Why the platform does not tell. */
  readonly problem?: string
  readonly stake_page_url?: string
}

/**
 * `farebox register status`: of every registration that was begun here; with a number, has the platform look at that
 * agent and tells what it found.
 */
export async function showStatus(
  world: World,
  agentId: string | undefined,
  options: RawAgentOptions,
): Promise<ExitCode> {
  return await tellInJson(world, options, () =>
    agentId === undefined ? listAll(world, options) : lookAt(world, readAgentId(agentId), options),
  )
}

async function lookAt(world: World, agentId: number, options: RawAgentOptions): Promise<Refreshed> {
  const { url } = await findPlatform(world, options.platform)
  const found = await openPlatform(url, world.signal).refresh(agentId)
  if (options.json !== true) showLook(world, found)
  return found
}

function showLook({ out }: World, found: Refreshed): void {
  const { dim } = paintFor(out)
  const { standing, standing_reason: reason, payable, problem, changes } = found
  const rows = [
    ['agent', String(found.agent_id)],
    ['standing', reason === null ? standing : `${standing}: ${reason}`],
    [
      'paid jobs',
      payable ? 'are sent to it' : 'are not sent to it: the wallet of /about is not the one that staked',
    ],
    ...(problem === null ? [] : [['problem', problem]]),
    ...changes.map(({ sentence }) => ['changed', sentence]),
  ]
  out.write(rows.map(([name = '', text = '']) => `${dim(name.padEnd(11))}${printable(text)}\n`).join(''))
}

async function listAll(world: World, options: RawAgentOptions): Promise<object> {
  const { out, err, signal } = world
  const records = await openRegistrationJournal(world.home).list()
  const wanted = options.platform?.replace(/\/+$/, '')
  const lines: StatusLine[] = []
  for (const record of records) {
    if (wanted === undefined || record.platform === wanted) lines.push(await lineOf(record, signal))
  }
  if (options.json !== true) {
    if (lines.length === 0)
      err.write('  nothing was registered from here\n  farebox register --endpoint <https_url>\n')
    out.write(lines.map(line => describe(world, line)).join('\n'))
  }
  return { registrations: lines }
}

async function lineOf(record: RegistrationRecord, signal: AbortSignal): Promise<StatusLine> {
  const { platform, endpoint, registrationId, agentId } = record
  const line = { agent_id: agentId ?? null, endpoint, platform }
  try {
    const registration = await openPlatform(platform, signal).readRegistration(registrationId)
    return { ...line, agent_id: numberOf(registration) ?? line.agent_id, ...toldBy(registration) }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { ...line, status: null, problem: error.message }
  }
}

function toldBy({
  status,
  stake_page_url: page,
}: Registration): Pick<StatusLine, 'status' | 'stake_page_url'> {
  return status.state === 'waiting_for_stake' ? { status, stake_page_url: page } : { status }
}

function numberOf({ status }: Registration): number | undefined {
  return 'agent_id' in status ? status.agent_id : undefined
}

function describe({ out }: World, line: StatusLine): string {
  const { bold, dim } = paintFor(out)
  const { agent_id: agentId, endpoint, platform, status } = line
  const number = agentId === null ? 'no number yet' : `agent ${agentId}`
  return `${bold(number)}   ${printable(endpoint)}   ${dim(printable(platform))}\n  ${inWords(line, status)}\n`
}

function inWords({ problem, stake_page_url: page }: StatusLine, status: RegistrationStatus | null): string {
  switch (status?.state) {
    case undefined:
      return printable(problem ?? 'not known')
    case 'waiting_for_stake':
      return `waiting for the stake: ${printable(page ?? '')}`
    case 'confirming':
      return `staked, ${status.confirmations} of ${status.confirmations_wanted} blocks`
    case 'listed':
      return `listed${status.provisional ? ' as provisional (Phase 1)' : ''}: ${printable(status.profile_url)}`
    case 'refused':
      return `not listed: ${printable(status.reason)}`
  }
}
