import type { Database } from '@farebox/server/internal/postgres/connect'
import type { PaymentSeal } from './payment-seal.ts'

/**
 * Records the key that payments are encrypted with from now on. Processes with different keys could not send each
 * other's payments.
 *
 * @returns false when the database has payments encrypted with a newer key that this process does not have
 */
export async function claimPaymentKey(
  database: Database,
  { keyId, keyIds }: Pick<PaymentSeal, 'keyId' | 'keyIds'>,
): Promise<boolean> {
  return await database.inTransaction(async client => {
    await client.query('lock table payment_keys in share row exclusive mode')
    const { rows } = await client.query<{ key_id: string }>(
      'select key_id from payment_keys order by first_used_at desc, key_id limit 1',
    )
    const newest = rows[0]?.key_id
    if (newest === keyId) return true
    if (newest !== undefined && !keyIds.includes(newest)) return false
    await client.query(
      `insert into payment_keys (key_id, first_used_at) values ($1, clock_timestamp())
       on conflict (key_id) do update set first_used_at = excluded.first_used_at`,
      [keyId],
    )
    return true
  })
}
