import type { Attack } from '../attack.ts'
import { behindPgBouncer } from './behind-pgbouncer.ts'
import { floodVerify } from './flood-verify.ts'
import { foreignPages } from './foreign-pages.ts'
import { foreignReceipts } from './foreign-receipts.ts'
import { inventedTransaction } from './invented-transaction.ts'
import { nameRebinding } from './name-rebinding.ts'
import { twoHosts } from './two-hosts.ts'
import { walletSignatures } from './wallet-signatures.ts'

/** Origins, rates, proxies and what programs print. */
export const accessAttacks: readonly Attack[] = [
  floodVerify,
  foreignPages,
  inventedTransaction,
  behindPgBouncer,
  nameRebinding,
  twoHosts,
  foreignReceipts,
  walletSignatures,
]
