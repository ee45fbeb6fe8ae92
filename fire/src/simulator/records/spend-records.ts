import { permissionId, scopeOf } from '@farebox/contracts/permission-calls'
import type { EvmCrypto } from '@farebox/payments/crypto/evm-crypto'
import type { Network } from '@farebox/payments/networks'
import { toHex } from '@farebox/payments/src/crypto/bytes'
import { SPENDING } from '../workload/cast.ts'

/** What was seen of spends beside the chain. */
export interface SpendRecords {
  /** How many spends a job makes for a payer, by `<job> <payer>`. */
  readonly planned: Map<string, number>
  /** `<id> <ref>` of what a reorganisation took out of its block. */
  readonly undone: Set<string>
  /** An agent said this in an answer, whether anybody heard it or not. */
  answered(text: string): void
  /** Answers that say after how many spends their job failed, each once. */
  failures(): Iterable<string>
  /** A spend was found that an earlier run had made. */
  found(): void
  resumed(): number
  /** The id of a payer's permission. */
  idOf(owner: string, spender: string, agentId: bigint): string
  /** What the refs of a job's spends have in common: all but the last byte. */
  refsOf(jobId: string): bigint
}

/** What a handler says that fails after spends. */
export const FAILED_AFTER = /failed after (\d+) spends/

/** Makes the records of a history. */
export function createSpendRecords(crypto: EvmCrypto, { asset }: Network): SpendRecords {
  const failures = new Set<string>()
  let resumed = 0
  return {
    planned: new Map(),
    undone: new Set(),
    answered(text) {
      if (FAILED_AFTER.test(text)) failures.add(text)
    },
    failures: () => failures,
    found() {
      resumed += 1
    },
    resumed: () => resumed,
    idOf: (owner, spender, agentId) =>
      permissionId(crypto, {
        owner: owner as `0x${string}`,
        spender: spender as `0x${string}`,
        token: asset.address as `0x${string}`,
        scope: scopeOf(crypto, agentId, SPENDING),
      }),
    refsOf: jobId => BigInt(toHex(crypto.keccak256(new TextEncoder().encode(jobId.toLowerCase())))) >> 8n,
  }
}
