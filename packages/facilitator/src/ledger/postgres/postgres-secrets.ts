import { ACTIVE_SECRETS, type SecretStore, type StoredSecret } from '../../secrets/secret-store.ts'
import type { Database } from '@farebox/server/internal/postgres/connect'
import { sponsorStatement } from './postgres-owners.ts'

interface SecretRow {
  readonly id: string
  readonly hash: Uint8Array
  readonly owner: string
  readonly wallets: readonly string[]
  readonly created_at: string
  readonly label: string | null
  readonly replaces: string | null
  readonly revoked_at: string | null
  readonly last_used_at: string | null
}

const COLUMNS = 'id, hash, owner, wallets, label, replaces, created_at, revoked_at, last_used_at'

/** {@link SecretStore} on PostgreSQL. */
export function createPostgresSecrets({ schema, query, inTransaction }: Database): SecretStore {
  // The lock serializes creations for one owner. It is taken before the rows are counted, because a statement sees the rows
  // as of its start.
  const lock = `select pg_advisory_xact_lock(hashtextextended('secrets ' || $1, 0))`
  const create = `insert into ${schema}.secrets (${COLUMNS})
    select $1, $2, $3, $4, $5, $6, $7, $8, $9
    where (select count(*) from ${schema}.secrets where owner = $3 and revoked_at is null) < ${ACTIVE_SECRETS}
    returning id`
  const sponsor = sponsorStatement(schema)
  const find = `select ${COLUMNS} from ${schema}.secrets where id = $1`
  const list = `select ${COLUMNS} from ${schema}.secrets where owner = $1 order by created_at, id`
  const listByWallets = `select ${COLUMNS} from ${schema}.secrets where wallets && $1::text[] order by created_at, id`
  const setWallets = `update ${schema}.secrets set wallets = $2 where id = $1 returning ${COLUMNS}`
  const revoke = `update ${schema}.secrets set revoked_at = coalesce(revoked_at, $2)
    where id = $1 returning ${COLUMNS}`
  const use = `update ${schema}.secrets set last_used_at = greatest(last_used_at, $2)
    where id = $1 returning ${COLUMNS}`
  return {
    async create(secret, sponsoring) {
      return await inTransaction(async client => {
        await client.query(lock, [secret.owner])
        const { id, hash, owner, wallets, label, replaces, createdAt, revokedAt, lastUsedAt } = secret
        const values = [id, hash, owner, wallets, label, replaces, createdAt, revokedAt, lastUsedAt]
        const { rowCount } = await client.query(create, values)
        if (rowCount === 1 && sponsoring !== undefined)
          await client.query(sponsor, [owner, sponsoring.sponsorship, sponsoring.granted ?? null])
        return rowCount === 1
      })
    },
    async find(id) {
      const [row] = await query<SecretRow>('findSecret', find, [id])
      return row && toSecret(row)
    },
    async list(of) {
      const rows =
        'owner' in of
          ? await query<SecretRow>('listSecrets', list, [of.owner])
          : await query<SecretRow>('listSecretsByWallets', listByWallets, [of.wallets])
      return rows.map(toSecret)
    },
    async change(id, change) {
      const [row] =
        'wallets' in change
          ? await query<SecretRow>('setWallets', setWallets, [id, change.wallets])
          : 'revokedAt' in change
            ? await query<SecretRow>('revoke', revoke, [id, change.revokedAt])
            : await query<SecretRow>('noteUse', use, [id, change.lastUsedAt])
      return row && toSecret(row)
    },
  }
}

function toSecret(row: SecretRow): StoredSecret {
  return {
    id: row.id,
    hash: row.hash,
    owner: row.owner,
    wallets: row.wallets,
    label: row.label,
    replaces: row.replaces,
    createdAt: Number(row.created_at),
    revokedAt: row.revoked_at === null ? null : Number(row.revoked_at),
    lastUsedAt: row.last_used_at === null ? null : Number(row.last_used_at),
  }
}
