import type { Database } from '@farebox/server/internal/postgres/connect'
import type { SenderLeases } from '../settlement-ledger.ts'

/** {@link SenderLeases} on PostgreSQL; leases are measured by the database's clock, which all processes share. */
export function createPostgresLeases({ schema, query }: Database): SenderLeases {
  const acquire = `insert into ${schema}.sender_leases as l (network, relayer, holder, fence, expires_at)
    values ($1, $2, $3, 1, clock_timestamp() + $4 * interval '1 millisecond')
    on conflict (network, relayer) do update set
      fence = l.fence + case when l.holder = $3 then 0 else 1 end,
      holder = $3,
      expires_at = excluded.expires_at
    where l.holder = $3 or l.expires_at < clock_timestamp()
    returning fence`
  const giveUp = `update ${schema}.sender_leases set expires_at = '-infinity', holder = ''
    where network = $1 and relayer = $2 and fence = $3`
  return {
    async acquire({ network, relayer }, holder, leaseMs) {
      const [row] = await query<{ fence: string }>('acquire', acquire, [network, relayer, holder, leaseMs])
      return row && { network, relayer, fence: BigInt(row.fence) }
    },
    async giveUp({ network, relayer, fence }) {
      await query('giveUp', giveUp, [network, relayer, fence.toString()])
    },
  }
}
