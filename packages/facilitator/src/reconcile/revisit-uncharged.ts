import { correctLedger, type ReconcilerParts } from './correct-ledger.ts'
import { paymentFields } from '../ledger/payment-fields.ts'
import type { PaymentRecord } from '../ledger/payment-record.ts'

/** Rows checked in one call to the node. */
const ROWS_PER_LOOK = 50
/** Rows read from the ledger at once. */
const ROWS_PER_PAGE = 500
/** More rows than callers can create between two rounds; the node gets one call for fifty rows. */
const PAGES_PER_ROUND = 20

/**
 * Checks the rows that are recorded as uncharged and not yet audited at this head of the chain, each once: another account
 * may have submitted their authorizations.
 */
export async function revisitUncharged(parts: ReconcilerParts, headSeconds: number): Promise<void> {
  const { ledger, network } = parts
  const seen = new Set<string>()
  for (let page = 0; page < PAGES_PER_ROUND; page += 1) {
    const rows = await ledger.audit.uncharged(network.id, network.finalitySeconds, {
      auditedBefore: headSeconds,
      limit: ROWS_PER_PAGE,
    })
    // A node that is behind the one that showed the head leaves rows unaudited; the next round checks them with another
    // head.
    const unseen = rows.filter(({ key }) => !seen.has(key))
    for (const { key } of unseen) seen.add(key)
    for (let start = 0; start < unseen.length; start += ROWS_PER_LOOK)
      await look(parts, unseen.slice(start, start + ROWS_PER_LOOK))
    if (rows.length < ROWS_PER_PAGE || unseen.length === 0) return
  }
}

async function look(parts: ReconcilerParts, records: readonly PaymentRecord[]): Promise<void> {
  const { ledger, reader, network } = parts
  const observations = await reader.observe(records)
  const unused: string[] = []
  let headSeconds = 0
  for (const [index, { key, state, authorization }] of records.entries()) {
    const observation = observations[index]
    const record = records[index]
    if (observation === undefined || record === undefined) continue
    headSeconds = observation.blockSeconds
    const verdict = observation.used ? await reader.findSettlement(record) : undefined
    if (verdict?.kind === 'settled') {
      // Another account submitted the authorization (PAY-16): the payer has paid, although the agent was told otherwise.
      parts.log.error('a payment reported as uncharged was settled by someone else', {
        ...paymentFields(record),
        was: state,
        payer: authorization.from,
      })
      await correctLedger(parts, `settled-though-${state}`, {
        key,
        from: state,
        to: 'settled',
        transaction: verdict.transaction,
        blockNumber: verdict.blockNumber,
      })
    } else if (verdict?.kind !== 'unclear') {
      unused.push(key)
    }
  }
  await ledger.audit.markAudited(unused, headSeconds, network.finalitySeconds)
}
