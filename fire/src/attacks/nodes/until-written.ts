import type { NodesStage } from './nodes-stage.ts'
import type { StagedPayment } from './staged-payment.ts'
import { untilTrue } from './until-true.ts'

/** A settlement is reported when it is proven, and recorded after: resolves once the ledger has these as settled. */
export async function untilWritten(
  { database, schema }: Pick<NodesStage, 'database' | 'schema'>,
  payments: readonly StagedPayment[],
): Promise<void> {
  const keys = payments.map(({ key }) => key)
  const writtenMs = await untilTrue(async () => {
    const { rows } = await database.query<{ count: number }>(
      `select count(*)::integer as count from ${schema}.payments where key = any ($1) and state = 'settled'`,
      [keys],
    )
    return rows[0]?.count === keys.length
  })
  if (writtenMs === undefined) throw new Error('what was reported as settled was not recorded')
}
