import { describeError } from '@farebox/server/log'
import type { PlatformParts } from '../../platform-parts.ts'
import type { SettlementRule } from '../../settlement-rule.ts'
import { startLoops, type Background, type Loop } from '../../work/loop.ts'
import { createFacilitatorAdmin, type FacilitatorAdmin } from './facilitator-admin.ts'
import { recordListingReports, takeListingReports, type ListingReport } from './secret-owners.ts'
import { sponsoringOf } from './owner-standing.ts'

/**
 * The maximum delay, apart from a backlog, between a change of an agent's listing or standing and the report to the
 * facilitator.
 */
const REPORT_EVERY_MS = 10_000

type Reporting = Pick<PlatformParts, 'database' | 'clock' | 'settings'>

/**
 * Reports to the facilitator which owners of secrets have a listed agent, and how many settlements they are granted for
 * its stake and standing: after every change, and every hour (D41). Any number of processes can run this on one
 * database; a report that a crash interrupts is repeated.
 */
export function startListingReports(parts: PlatformParts): Background {
  const { clock, log, settings } = parts
  const admin = createFacilitatorAdmin(settings.facilitator)
  const reports: Loop = {
    pauseMs: REPORT_EVERY_MS,
    pass: signal => reportListings(parts, admin, signal),
    onFailure: error =>
      log.warn('cannot report the listing of owners to the facilitator; will retry', {
        error: describeError(error),
      }),
  }
  return startLoops(clock, settings.facilitator === undefined ? [] : [reports])
}

/**
 * Reports every owner that is due; resolves to their number.
 *
 * @throws {Refusal} when the facilitator does not accept a report; its owners are due again when their lease ends
 */
export async function reportListings(
  { database, clock, settings }: Reporting,
  admin: FacilitatorAdmin,
  signal?: AbortSignal,
): Promise<number> {
  for (let reported = 0; ;) {
    const reports = signal?.aborted === true ? [] : await takeListingReports(database, clock.nowMs())
    if (reports.length === 0) return reported
    await send(admin, reports, settings.settlements)
    await recordListingReports(database, reports, clock.nowMs())
    reported += reports.length
  }
}

async function send(
  admin: FacilitatorAdmin,
  reports: readonly ListingReport[],
  rule: SettlementRule | undefined,
): Promise<void> {
  for (const listing of ['listed', 'unlisted'] as const) {
    const owners = reports
      .filter(one => one.listing === listing)
      .map(({ owner, ...standing }) => {
        const { dailySettlements } = sponsoringOf(standing, rule)
        return dailySettlements === undefined ? owner : { owner, dailySettlements }
      })
    if (owners.length > 0) await admin.sponsor(owners, listing)
  }
}
