import type { WorkloadPlan } from '../workload/plan-workload.ts'
import { NOBODY } from '../workload/cast.ts'
import type { World } from '../build-world.ts'
import type { Parties } from './start-parties.ts'

const SETTLING_MS = 12_000
/** A stuck transaction is inspected after 15 s, and may block others. */
const RECOVERY_MS = 90_000
const LOOK_MS = 2_000

/** The phases of a history. */
export interface Course {
  readonly world: World
  readonly plan: WorkloadPlan
  readonly parties: Parties
  readonly errands: { readonly left: number }
  /** Scheduled faults that have not happened yet. */
  readonly scheduled: { readonly left: number }
}

/** Runs the planned events, with all their faults. */
export async function liveThrough(course: Course): Promise<void> {
  const { world, plan, scheduled } = course
  const endMs = world.wires.time.nowMs() + plan.lengthMs
  await runUntilOver(world, endMs, async () => scheduled.left === 0 && (await isAtRest(course)))
}

/**
 * Faults stop; then every authorization expires, whatever the chain does; then all programs restart and complete the
 * open work.
 */
export async function bringToAnEnd(course: Course): Promise<void> {
  const { world, plan, parties } = course
  const { time, trace, faults } = world.wires
  const isOver = (): Promise<boolean> => isAtRest(course)
  faults.isCalm = true
  for (const program of parties.programs) program.setClockRight()
  trace.note('history', () => 'nothing goes wrong any more')
  world.sendOnChain(NOBODY, { kind: 'unpause' }, world.random.fork('unpause').hex(32), 0)
  await runUntilOver(world, time.nowMs() + SETTLING_MS, isOver)
  // A suspended process signs nothing later.
  if (plan.sleepsToTheEnd) for (const payer of world.payers) payer.crash()
  else await runUntilOver(world, expiryMs(world), isOver)
  await waitUntilExpired(world)
  trace.note('history', () => 'everything that was signed has expired; all is started anew')
  for (const program of parties.programs) program.restart()
  // Callers that never resumed are not awaited.
  const isCalm = plan.sleepsToTheEnd ? (): Promise<boolean> => isMoneyAtRest(world, parties) : isOver
  // A suspended verification may have just created a hold that has already expired: the next round ends it.
  const isRecovered = async (): Promise<boolean> => (await isCalm()) && (await isNothingHeld(world, parties))
  await runUntilOver(world, time.nowMs() + RECOVERY_MS, isRecovered)
}

/** Suspends the processes like machines: usually all at once, otherwise when no work is left. */
async function waitUntilExpired(world: World): Promise<void> {
  const { time } = world.wires
  // Callers that still run may sign once more.
  while (time.nowMs() < expiryMs(world)) {
    time.leapTo(expiryMs(world))
    await time.runUntil(time.nowMs())
  }
}

/** When no signature can be used any more, and no use of one can be undone. */
function expiryMs({ sends, meddled, network }: World): number {
  const lastValid = Math.max(0, ...meddled.values(), ...sends.all().map(send => send.validBefore))
  return (lastValid + network.finalitySeconds) * 1_000 + SETTLING_MS
}

/** Advances the time until no started work remains, at the latest until the given time. */
async function runUntilOver(
  { wires: { time } }: World,
  untilMs: number,
  isOver: () => Promise<boolean>,
): Promise<void> {
  while (time.nowMs() < untilMs) {
    await time.runUntil(Math.min(untilMs, time.nowMs() + LOOK_MS))
    if (await isOver()) return
  }
}

/** Every caller has ended, and no payment is pending. */
async function isAtRest({ world, parties, errands }: Course): Promise<boolean> {
  return errands.left === 0 && world.mischief.open === 0 && (await isMoneyAtRest(world, parties))
}

async function isMoneyAtRest({ wires, jobs, network }: World, parties: Parties): Promise<boolean> {
  for (const { state } of jobs.all().values()) if (state === 'saved') return false
  const { captured, submitted } = await parties.ledger.totals(network.id, wires.time.nowMs() / 1_000)
  return captured + submitted === 0
}

async function isNothingHeld({ network }: World, { ledger }: Parties): Promise<boolean> {
  // At time zero every hold counts, however long ago it expired.
  return (await ledger.totals(network.id, 0)).held === 0
}
