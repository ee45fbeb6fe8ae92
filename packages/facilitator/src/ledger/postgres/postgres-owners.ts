import type { Database } from '@farebox/server/internal/postgres/connect'
import type { OwnerLedger, Sponsorship } from '../owner-ledger.ts'

interface UseRow {
  readonly sponsorship: Sponsorship
  readonly settlements: number
  readonly unsent: number
  readonly reverted_gas: number
}

/** {@link OwnerLedger} on PostgreSQL. */
export function createPostgresOwners({ schema, query }: Database): OwnerLedger {
  const use = `select ${schema}.owner_use_now($1, $2) as use`
  const sponsor = sponsorStatement(schema)
  // One that nothing was said of counts as named, so it gets a row.
  const unname = `insert into ${schema}.owners as o (owner, sponsorship) values ($1, 'unlisted')
    on conflict (owner) do update set sponsorship = 'unlisted' where o.sponsorship = 'named'`
  return {
    async use(owner, nowSeconds) {
      const [row] = await query<{ use: UseRow }>('ownerUse', use, [owner, nowSeconds])
      if (row === undefined) throw new Error('ownerUse returned no row')
      const { sponsorship, settlements, unsent, reverted_gas: revertedGas } = row.use
      return { sponsorship, settlements, unsent, revertedGas }
    },
    async sponsor(owner, sponsorship) {
      await query('sponsor', sponsor, [owner, sponsorship])
    },
    async unname(owner) {
      await query('unname', unname, [owner])
    },
  }
}

/** Says of an owner ($1) why its gas is paid ($2); one that is named stays named. */
export function sponsorStatement(schema: string): string {
  return `insert into ${schema}.owners as o (owner, sponsorship) values ($1, $2)
    on conflict (owner) do update set sponsorship = excluded.sponsorship where o.sponsorship <> 'named'`
}
