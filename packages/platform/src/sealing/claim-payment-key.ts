import type { Database } from '@farebox/server/internal/postgres/connect'
import type { PaymentSeal } from './payment-seal.ts'

/**
 * Notes the key that payments are encrypted with from now on. A process with another key than the others could not send
 * what they wrote down, nor they what it did.
 *
 * @returns false where the database has payments that were encrypted with a newer key, which is not among those here
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
