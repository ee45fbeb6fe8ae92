import { permissionId, scopeOf } from '@farebox/contracts/permission-calls'
import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import type { Network } from '@farebox/payments/networks'
import { toHex } from '@farebox/payments/src/crypto/bytes'
import { SPENDING } from '../workload/cast.ts'

/** The message of a handler that fails after spends, to compare with its answer. */
export const FAILED_AFTER = /failed after (\d+) spends/

/** Creates the records of spends of a history, in addition to the chain. */
export function createSpendRecords(crypto: EvmCrypto, { asset }: Network) {
  return {
    /** The number of spends that a job makes for a payer, by `<job> <payer>`. */
    planned: new Map<string, number>(),
    /** `<id> <ref>` of spends that a reorganisation removed from their block. */
    undone: new Set<string>(),
    /** Answers that contain the number of spends after which their job failed. */
    failures: new Set<string>(),
    idOf: (owner: string, spender: string, agentId: bigint): string =>
      permissionId(crypto, {
        owner: owner as `0x${string}`,
        spender: spender as `0x${string}`,
        token: asset.address as `0x${string}`,
        scope: scopeOf(crypto, agentId, SPENDING),
      }),
    /** The common part of the refs of a job's spends: all but the last byte. */
    refsOf: (jobId: string): bigint =>
      BigInt(toHex(crypto.keccak256(new TextEncoder().encode(jobId.toLowerCase())))) >> 8n,
  }
}
