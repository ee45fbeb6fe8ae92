import type { WorkloadPlan } from '../workload/plan-workload.ts'
import { NOBODY } from '../workload/cast.ts'
import type { World } from '../build-world.ts'
import type { Parties } from './start-parties.ts'

const SETTLING_MS = 12_000
/** A transaction that hangs is looked into after 15 s, and may have others behind it. */
const RECOVERY_MS = 90_000
const LOOK_MS = 2_000

/** What a history goes through until it is over. */
export interface Course {
  readonly world: World
  readonly plan: WorkloadPlan
  readonly parties: Parties
  readonly errands: { readonly left: number }
  /** Faults that have their own time and have not happened yet. */
  readonly scheduled: { readonly left: number }
}

/** Lets happen what was planned, and whatever goes wrong with it. */
export async function liveThrough(course: Course): Promise<void> {
  const { world, plan, scheduled } = course
  const endMs = world.wires.time.nowMs() + plan.lengthMs
  await runUntilOver(world, endMs, async () => scheduled.left === 0 && (await isAtRest(course)))
}

/**
 * Nothing goes wrong any more; then no authorization can be used any more, whatever the chain may do; then all
 * programs begin anew and see through what was left.
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
  // Who is asleep signs nothing later on.
  if (plan.sleepsToTheEnd) for (const payer of world.payers) payer.crash()
  else await runUntilOver(world, expiryMs(world), isOver)
  await waitUntilExpired(world)
  trace.note('history', () => 'everything that was signed has expired; all is started anew')
  for (const program of parties.programs) program.restart()
  // Callers who never woke up again are waited for by nobody.
  const isCalm = plan.sleepsToTheEnd ? (): Promise<boolean> => isMoneyAtRest(world, parties) : isOver
  // A verification that stood still may have made a hold just now, whose time is over: the next round ends it.
  const isRecovered = async (): Promise<boolean> => (await isCalm()) && (await isNothingHeld(world, parties))
  await runUntilOver(world, time.nowMs() + RECOVERY_MS, isRecovered)
}

/** Asleep, as machines that were suspended: mostly at once, otherwise when there is nothing left to do. */
async function waitUntilExpired(world: World): Promise<void> {
  const { time } = world.wires
  // Callers that are still at it may sign once more.
  while (time.nowMs() < expiryMs(world)) {
    time.leapTo(expiryMs(world))
    await time.runUntil(time.nowMs())
  }
}

/** When nothing that was signed can be used any more, nor what used it undone. */
function expiryMs({ sends, meddled, network }: World): number {
  const lastValid = Math.max(0, ...meddled.values(), ...sends.all().map(send => send.validBefore))
  return (lastValid + network.finalitySeconds) * 1_000 + SETTLING_MS
}

/** Lets time pass until nothing more is to come of what was begun, at the latest until then. */
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

/** Every caller has ended, and no money is on its way. */
async function isAtRest({ world, parties, errands }: Course): Promise<boolean> {
  return errands.left === 0 && world.mischief.open === 0 && (await isMoneyAtRest(world, parties))
}

async function isMoneyAtRest({ wires, jobs, network }: World, parties: Parties): Promise<boolean> {
  for (const { state } of jobs.all().values()) if (state === 'saved') return false
  const { captured, submitted } = await parties.ledger.totals(network.id, wires.time.nowMs() / 1_000)
  return captured + submitted === 0
}

async function isNothingHeld({ network }: World, { ledger }: Parties): Promise<boolean> {
  // At the time zero every hold counts, however long its end is past.
  return (await ledger.totals(network.id, 0)).held === 0
}
