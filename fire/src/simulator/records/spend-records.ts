import { permissionId, scopeOf } from '@farebox/contracts/permission-calls'
import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import type { Network } from '@farebox/payments/networks'
import { toHex } from '@farebox/payments/src/crypto/bytes'
import { SPENDING } from '../workload/cast.ts'

/** What a handler says that fails after spends, so that its answer can be compared with it. */
export const FAILED_AFTER = /failed after (\d+) spends/

/** Makes the records of spends of a history, beside the chain. */
export function createSpendRecords(crypto: EvmCrypto, { asset }: Network) {
  return {
    /** How many spends a job makes for a payer, by `<job> <payer>`. */
    planned: new Map<string, number>(),
    /** `<id> <ref>` of what a reorganisation took out of its block. */
    undone: new Set<string>(),
    /** Answers that say after how many spends their job failed. */
    failures: new Set<string>(),
    idOf: (owner: string, spender: string, agentId: bigint): string =>
      permissionId(crypto, {
        owner: owner as `0x${string}`,
        spender: spender as `0x${string}`,
        token: asset.address as `0x${string}`,
        scope: scopeOf(crypto, agentId, SPENDING),
      }),
    /** What the refs of a job's spends have in common: all but the last byte. */
    refsOf: (jobId: string): bigint =>
      BigInt(toHex(crypto.keccak256(new TextEncoder().encode(jobId.toLowerCase())))) >> 8n,
  }
}
